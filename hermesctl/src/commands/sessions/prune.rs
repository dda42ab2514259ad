//! `sessions prune`.

use hermes_kit::state::{Age, Archived as Which, DeleteOptions, PruneFilter};

use super::delete::{ask, finish, foretell};
use crate::cli::{Archived, Filter, Global, Prune, Scope};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;
use crate::progress::Progress;

pub(crate) fn run(global: &Global, args: &Prune, output: &mut Output) -> Result<(), Failure> {
    if args.filter == Filter::default() {
        return Err(Failure::new(
            "usage",
            "which sessions are meant?",
            "give at least one filter, such as --older-than 90; see `hermesctl sessions prune --help`",
        )
        .with_exit(crate::EXIT_USAGE));
    }
    let archived = match args.archived {
        Archived::Leave => Which::Leave,
        Archived::Include => Which::Include,
        Archived::Only => Which::Only,
    };
    let filter = filter(&args.filter, &args.scope, archived);
    let look = |store: &hermes_kit::state::Store| {
        let _progress = Progress::spinner("looking for sessions");
        store.prune_candidates(&filter)
    };
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        return foretell(&look(&store)?, output);
    }
    let (store, files) = home::store_to_change(global, output)?;
    let found = look(&store)?;
    if !args.yes && !found.sessions.is_empty() {
        ask(&found, output)?;
    }
    let options = DeleteOptions::new().files_in(files);
    finish(&found, output, |work| store.prune(&filter, &options, work))
}

pub(super) fn filter(args: &Filter, scope: &Scope, archived: Which) -> PruneFilter {
    type Text = fn(PruneFilter, String) -> PruneFilter;
    type Number = fn(PruneFilter, f64) -> PruneFilter;
    let texts: [(&Option<String>, Text); 9] = [
        (&args.title, PruneFilter::title_like),
        (&args.model, PruneFilter::model_like),
        (&args.branch, PruneFilter::branch_like),
        (&args.cwd, PruneFilter::cwd_prefix),
        (&args.end_reason, PruneFilter::end_reason),
        (&args.provider, PruneFilter::provider),
        (&args.user, PruneFilter::user_id),
        (&args.chat, PruneFilter::chat_id),
        (&args.chat_type, PruneFilter::chat_type),
    ];
    let numbers: [(Option<f64>, Number); 11] = [
        (args.older_than, PruneFilter::older_than_days),
        (args.before, PruneFilter::started_before),
        (args.after, PruneFilter::started_after),
        (args.min_messages.map(f64::from), PruneFilter::min_messages),
        (args.max_messages.map(f64::from), PruneFilter::max_messages),
        (args.min_tokens, PruneFilter::min_tokens),
        (args.max_tokens, PruneFilter::max_tokens),
        (args.min_cost, PruneFilter::min_cost),
        (args.max_cost, PruneFilter::max_cost),
        (
            args.min_tool_calls.map(f64::from),
            PruneFilter::min_tool_calls,
        ),
        (
            args.max_tool_calls.map(f64::from),
            PruneFilter::max_tool_calls,
        ),
    ];
    let mut filter = PruneFilter::new();
    for (text, set) in texts {
        if let Some(text) = text {
            filter = set(filter, text.clone());
        }
    }
    for (number, set) in numbers {
        if let Some(number) = number {
            filter = set(filter, number);
        }
    }
    filter = args.only.iter().fold(filter, PruneFilter::source);
    filter = args.except.iter().fold(filter, PruneFilter::exclude_source);
    filter = filter.age_by(if scope.by_start {
        Age::Start
    } else {
        Age::Activity
    });
    filter = filter.archived(archived);
    if scope.delegates {
        filter = filter.with_delegates();
    }
    filter
}
