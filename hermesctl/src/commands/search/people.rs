//! Matches for people: under the session they are in, with what was said around them.

use std::collections::HashSet;

use hermes_kit::fts::{SanitizedQuery, sanitize};
use hermes_kit::state::{
    Collapse, ContextMessage, MessageId, NATIVE_VERSION, NEWEST_WRITABLE_VERSION, SearchGroup,
    SearchMatch, SearchOptions, SearchResults, Session, Store,
};

use super::{View, by_session, snippet};
use crate::commands::sessions::show;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::text::{counted, harmless, indented, one_line};
use crate::when::When;

const MARGIN: &str = "    ";

/// How the query is read.
pub(super) fn explanation(query: &SanitizedQuery, output: &mut Output) -> Result<(), Failure> {
    let text = harmless(&query.explain().to_string());
    let text = output.paint(Tone::Faint, text.trim_end());
    Ok(output.line(format_args!("{text}\n"))?)
}

/// What a person must know of how it was searched.
pub(super) fn warnings(store: &Store, truncated: bool, degraded: bool, output: &Output) {
    if truncated {
        output.remark("warning: the query is long: only its first 2,048 characters were used");
    }
    if degraded {
        let why = store
            .index_trouble()
            .unwrap_or_else(|| "the search index is damaged".to_owned());
        output.remark(format_args!(
            "warning: searched message by message, newest first ({why})"
        ));
        // An older store has been told so already; the index of a newer one is as it is meant to be.
        if (NATIVE_VERSION..=NEWEST_WRITABLE_VERSION).contains(&store.schema_version()) {
            output.remark(" hint: `hermesctl db migrate` makes the index anew");
        }
    }
}

/// A page of matches. `totals`: how many matches each session has in all, where that is known.
pub(crate) fn page(
    store: &Store,
    results: &SearchResults,
    totals: &[SearchGroup],
    view: View,
    output: &mut Output,
) -> Result<(), Failure> {
    warnings(store, results.truncated_query, results.degraded, output);
    let page = Page {
        store,
        view,
        when: When::now(),
        terms: sanitize(&results.query)
            .tree()
            .map(snippet::wanted_terms)
            .unwrap_or_default(),
    };
    for (n, group) in by_session(&results.matches).into_iter().enumerate() {
        if n > 0 {
            output.line("")?;
        }
        page.session(&group, totals, output)?;
    }
    Ok(())
}

/// What there is besides.
pub(super) fn more(
    options: &SearchOptions,
    limit: usize,
    totals: &[SearchGroup],
    output: &mut Output,
) -> Result<(), Failure> {
    let next = options.offset.saturating_add(limit);
    let matches: u64 = totals.iter().map(|group| group.matches).sum();
    let unit = match options.collapse {
        Collapse::Lineage => "lineage",
        _ => "session",
    };
    let all = match totals.len() {
        0 => String::new(),
        sessions => format!(
            " ({} in {})",
            counted_matches(matches),
            counted(sessions as u64, unit)
        ),
    };
    let text = format!("\nmore: --offset {next}, or --limit N{all}");
    Ok(output.line(output.paint(Tone::Faint, text))?)
}

pub(super) fn counted_matches(n: u64) -> String {
    format!("{n} match{}", if n == 1 { "" } else { "es" })
}

struct Page<'a> {
    store: &'a Store,
    view: View,
    when: When,
    /// What a match has, in small letters.
    terms: Vec<String>,
}

impl Page<'_> {
    fn session(
        &self,
        matches: &[&SearchMatch],
        totals: &[SearchGroup],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Some(first) = matches.first() else {
            return Ok(());
        };
        let session = self.store.session(&first.session_id)?;
        output.line(self.head(session.as_ref(), matches, totals, output))?;
        let found: HashSet<MessageId> = matches.iter().map(|found| found.id).collect();
        let mut shown = found.clone();
        for one in matches {
            if self.view.whole {
                self.whole(one, &found, &mut shown, output)?;
            } else {
                self.brief(one, &mut shown, output)?;
            }
        }
        Ok(())
    }

    fn head(
        &self,
        session: Option<&Session>,
        matches: &[&SearchMatch],
        totals: &[SearchGroup],
        output: &Output,
    ) -> String {
        let Some(first) = matches.first() else {
            return String::new();
        };
        let title = session
            .and_then(|session| session.title.as_deref())
            .map(one_line)
            .filter(|title| !title.is_empty());
        let mut facts = vec![
            one_line(&first.source),
            self.when.minute(first.session_started),
        ];
        let shown = matches.len() as u64;
        let total = totals.iter().find(|group| group.id == first.session_id);
        match (first.further, total) {
            (Some(0), _) => {}
            (Some(further), _) => facts.push(format!("{further} more")),
            (None, Some(total)) if total.matches > shown => {
                facts.push(format!("{shown} of {}", counted_matches(total.matches)));
            }
            _ => {}
        }
        if let Some(root) = first
            .lineage
            .as_ref()
            .filter(|root| **root != first.session_id)
        {
            facts.push(format!("of {}", one_line(root.as_str())));
        }
        format!(
            "{}  {}  {}",
            output.paint(Tone::Name, one_line(first.session_id.as_str())),
            output.paint(
                Tone::Strong,
                title.unwrap_or_else(|| "(untitled)".to_owned())
            ),
            output.paint(Tone::Faint, facts.join(" · "))
        )
    }

    /// The snippet, and the beginnings of what was said before and after.
    fn brief(
        &self,
        found: &SearchMatch,
        shown: &mut HashSet<MessageId>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let tool = found.tool_name.as_deref().filter(|tool| !tool.is_empty());
        let mut who = match tool {
            Some(tool) => format!("{} {}", one_line(&found.role), one_line(tool)),
            None => one_line(&found.role),
        };
        if found.compacted {
            who.push_str(" (replaced by a compaction)");
        }
        let about = format!("  {who} {} #{}", self.when.ago(found.timestamp), found.id);
        output.line(output.paint(Tone::Faint, about))?;
        let wanted = self.view.context;
        let at = found.context_index;
        let before = found.context.get(at.saturating_sub(wanted)..at);
        let after = found.context.get(at.saturating_add(1)..);
        self.neighbours(before.unwrap_or_default(), shown, output)?;
        let text = found
            .snippet
            .as_deref()
            .unwrap_or("(no text of its own: see --open)");
        let text = snippet::with_marks(&one_line(text), &self.terms);
        let text = indented(&text, MARGIN, output.width());
        output.line(snippet::highlighted(&text, output))?;
        let after = after.unwrap_or_default();
        self.neighbours(after.get(..wanted).unwrap_or(after), shown, output)
    }

    /// Messages beside a match, as far as they are not there already.
    fn neighbours(
        &self,
        messages: &[ContextMessage],
        shown: &mut HashSet<MessageId>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        for message in messages {
            if message.content.trim().is_empty() || !shown.insert(message.id) {
                continue;
            }
            let text = format!("{}: {}", message.role, message.content);
            let text = indented(&one_line(&text), MARGIN, output.width());
            output.line(output.paint(Tone::Faint, text))?;
        }
        Ok(())
    }

    /// The message itself, and those around it.
    fn whole(
        &self,
        match_: &SearchMatch,
        found: &HashSet<MessageId>,
        shown: &mut HashSet<MessageId>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let around =
            self.store
                .messages_around(&match_.session_id, match_.id, self.view.context)?;
        for message in &around.window {
            let is_match = message.id == match_.id;
            // A neighbour that is a match, too, has its own turn.
            if is_match || shown.insert(message.id) {
                show::body(message, found.contains(&message.id), &self.when, output)?;
            }
        }
        Ok(())
    }
}
