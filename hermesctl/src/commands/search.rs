//! `search`.

mod machines;
mod nothing;
mod people;
mod snippet;

use std::collections::HashMap;

use hermes_kit::fts::sanitize;
use hermes_kit::state::{
    Collapse, SearchMatch, SearchOptions, SearchOrder, SearchResults, SessionId, Store,
};

use crate::cli::{Global, Search, Sort};
use crate::commands::sessions;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::{home, query};

pub(crate) use people::page;

/// How a search is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct View {
    /// Messages before and after each match.
    pub(crate) context: usize,
    /// The messages whole.
    pub(crate) whole: bool,
}

pub(crate) fn run(global: &Global, args: &Search, output: &mut Output) -> Result<(), Failure> {
    let typed = query::typed(&args.query)?;
    if args.explain && !output.json() {
        people::explanation(&sanitize(&typed), output)?;
    }
    let store = home::store_to_read(global, output)?;
    let Some(store) = store else {
        return match output.json() {
            true if args.count => machines::count(&typed, None, output),
            true => machines::matches(&typed, None, args, output),
            false => Ok(()),
        };
    };
    let options = options(typed, args, &store)?;
    if args.count {
        return count(&store, &options, output);
    }
    if output.json() {
        let results = find(&store, &options)?;
        return machines::matches(
            &options.query,
            Some((&store, &options, &results)),
            args,
            output,
        );
    }
    let view = View {
        context: usize::from(args.context),
        whole: args.open,
    };
    show(&store, options, view, output)
}

fn options(typed: String, args: &Search, store: &Store) -> Result<SearchOptions, Failure> {
    let ids = |names: &[String]| -> Result<Vec<String>, Failure> {
        let ids = sessions::each_once(names, |name| sessions::resolve(store, name))?;
        Ok(ids.iter().map(|id| id.as_str().to_owned()).collect())
    };
    let mut options = SearchOptions::new(typed);
    options.sources = Some(args.sources.only.clone()).filter(|only| !only.is_empty());
    options.exclude_sources.clone_from(&args.sources.except);
    options.exclude_hidden = args.exclude_hidden;
    options.roles.clone_from(&args.roles);
    options.tools.clone_from(&args.tools);
    options.sessions = ids(&args.sessions)?;
    options.lineages = ids(&args.lineages)?;
    options.exclude_sessions = ids(&args.except_sessions)?;
    options.exclude_lineages = ids(&args.except_lineages)?;
    options.model.clone_from(&args.model);
    options.title.clone_from(&args.title);
    options.since = args.since;
    options.until = args.until;
    options.include_inactive = args.inactive;
    options.order = match args.sort {
        Sort::Rank => SearchOrder::Rank,
        Sort::Newest => SearchOrder::Newest,
        Sort::Oldest => SearchOrder::Oldest,
    };
    options.collapse = match (args.by_session, args.by_lineage) {
        (true, _) => Collapse::Session,
        (_, true) => Collapse::Lineage,
        _ => Collapse::Off,
    };
    options.limit = args.page.limit;
    options.offset = args.page.offset;
    // Programs get the message before and the one after unless they ask for more.
    options.context = usize::from(args.context).max(1);
    Ok(options)
}

/// The same with the marks that [`page`] looks for.
pub(crate) fn for_people(options: SearchOptions) -> SearchOptions {
    options.marks(snippet::BEGIN, snippet::END)
}

fn find(store: &Store, options: &SearchOptions) -> Result<SearchResults, Failure> {
    let _progress = Progress::spinner("searching");
    Ok(store.search(options)?)
}

fn count(store: &Store, options: &SearchOptions, output: &mut Output) -> Result<(), Failure> {
    let counted = {
        let _progress = Progress::spinner("searching");
        store.search_count(options)?
    };
    if output.json() {
        return machines::count(&options.query, Some(&counted), output);
    }
    people::warnings(store, counted.truncated_query, counted.degraded, output);
    Ok(output.line(counted.count)?)
}

/// A search for people: a page of it, and what more there is.
fn show(
    store: &Store,
    mut options: SearchOptions,
    view: View,
    output: &mut Output,
) -> Result<(), Failure> {
    let limit = options.limit;
    // One more than shown tells whether there are more.
    options.limit = limit.saturating_add(1);
    // Whole messages are read with those around them.
    options.context = if view.whole { 0 } else { view.context };
    let options = for_people(options);
    let mut results = find(store, &options)?;
    let more = results.matches.len() > limit;
    results.matches.truncate(limit);
    if results.matches.is_empty() && !more {
        people::warnings(store, results.truncated_query, results.degraded, output);
        output.line("no matches")?;
        output.finish()?;
        return nothing::people(store, &options, output);
    }
    // Where every message has to be looked at, once is enough.
    let is_part = more || options.offset > 0;
    let groups = match is_part && !results.degraded {
        true => Some(store.search_groups(&options)?.groups),
        false => None,
    };
    let totals = groups.as_deref().unwrap_or_default();
    people::page(store, &results, totals, view, output)?;
    if more {
        people::more(&options, limit, totals, output)?;
    }
    Ok(())
}

/// The matches of each session, the session with the first match first.
fn by_session(matches: &[SearchMatch]) -> Vec<Vec<&SearchMatch>> {
    let mut places: HashMap<&SessionId, usize> = HashMap::new();
    let mut groups: Vec<Vec<&SearchMatch>> = Vec::new();
    for found in matches {
        let place = *places.entry(&found.session_id).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
}
