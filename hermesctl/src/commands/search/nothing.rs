//! What a person can try when nothing was found.

use hermes_kit::fts::sanitize;
use hermes_kit::state::{SearchFilter, SearchOptions, Store, SuggestedQuery, SuggestionKind};

use super::people::counted_matches;
use crate::failure::Failure;
use crate::output::Output;
use crate::text::one_line;

/// Says it on stderr, where it is in nobody's way.
pub(super) fn people(
    store: &Store,
    options: &SearchOptions,
    output: &Output,
) -> Result<(), Failure> {
    if options.offset > 0 && store.search_count(options)?.count > 0 {
        output.remark("hint: there are fewer matches than --offset skips");
        return Ok(());
    }
    let query = sanitize(&options.query);
    if query.is_empty() {
        output.remark("hint: the query looks for nothing");
    }
    for left_out in query.explain().left_out {
        let text = one_line(&left_out.text);
        output.remark(format_args!(
            "hint: {text} was left out: {}",
            left_out.reason
        ));
    }
    let suggestions = store.search_suggestions(options)?;
    for suggestion in &suggestions.queries {
        output.remark(format_args!("hint: {}", sentence(suggestion)));
    }
    if !suggestions.words.is_empty() {
        let words = suggestions.words.iter();
        let words = words.map(|word| format!("{} {}", one_line(&word.word), word.count));
        let words = words.collect::<Vec<_>>().join(", ");
        output.remark(format_args!(
            "hint: alone, each is in so many messages: {words}"
        ));
    }
    Ok(())
}

fn sentence(suggestion: &SuggestedQuery) -> String {
    let query = one_line(&suggestion.query);
    let count = counted_matches(suggestion.count);
    let without: Vec<String> = suggestion.without.iter().map(flag).collect();
    let without = without.join(" and ");
    let count = match (suggestion.kind, without.as_str()) {
        (SuggestionKind::AsTyped, "--inactive") => return format!("{count} with --inactive"),
        (SuggestionKind::AsTyped, _) => return format!("{count} without {without}"),
        (_, "") => count,
        _ => format!("{count} without {without}"),
    };
    match suggestion.kind {
        SuggestionKind::Spelling => format!("did you mean `{query}`? ({count})"),
        SuggestionKind::Beginning => format!("words that begin so: `{query}` ({count})"),
        SuggestionKind::Unquoted => format!("in any order: `{query}` ({count})"),
        SuggestionKind::Part => format!("a part of it: `{query}` ({count})"),
        SuggestionKind::AnyWord => format!("any of the words: `{query}` ({count})"),
        _ => format!("try `{query}` ({count})"),
    }
}

/// The option that sets a filter.
fn flag(filter: &SearchFilter) -> String {
    match filter {
        SearchFilter::Source => "--source",
        SearchFilter::ExcludeSource => "--exclude-source",
        SearchFilter::ExcludeHidden => "--exclude-hidden",
        SearchFilter::Role => "--role",
        SearchFilter::Session => "--session",
        SearchFilter::ExcludeSession => "--exclude-session",
        SearchFilter::Lineage => "--lineage",
        SearchFilter::ExcludeLineage => "--exclude-lineage",
        SearchFilter::Tool => "--tool",
        SearchFilter::Since => "--since",
        SearchFilter::Until => "--until",
        SearchFilter::Model => "--model",
        SearchFilter::Title => "--title",
        SearchFilter::Inactive => "--inactive",
        // A filter that is newer than this program.
        other => return format!("{other:?}").to_lowercase(),
    }
    .to_owned()
}
