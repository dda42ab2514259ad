//! Filters that may have kept out what was looked for.

use serde::Serialize;

use crate::search::options::SearchOptions;

/// A condition of a search beside its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchFilter {
    /// [`SearchOptions::sources`].
    Source,
    /// [`SearchOptions::exclude_sources`].
    ExcludeSource,
    /// [`SearchOptions::exclude_hidden`].
    ExcludeHidden,
    /// [`SearchOptions::roles`].
    Role,
    /// [`SearchOptions::sessions`].
    Session,
    /// [`SearchOptions::exclude_sessions`].
    ExcludeSession,
    /// [`SearchOptions::lineages`].
    Lineage,
    /// [`SearchOptions::exclude_lineages`].
    ExcludeLineage,
    /// [`SearchOptions::tools`].
    Tool,
    /// [`SearchOptions::since`].
    Since,
    /// [`SearchOptions::until`].
    Until,
    /// [`SearchOptions::model`].
    Model,
    /// [`SearchOptions::title`].
    Title,
    /// That messages which were taken back are left out: [`SearchOptions::include_inactive`].
    Inactive,
}

const ALL: [SearchFilter; 14] = [
    SearchFilter::Since,
    SearchFilter::Until,
    SearchFilter::Source,
    SearchFilter::ExcludeSource,
    SearchFilter::ExcludeHidden,
    SearchFilter::Role,
    SearchFilter::Tool,
    SearchFilter::Model,
    SearchFilter::Title,
    SearchFilter::Session,
    SearchFilter::ExcludeSession,
    SearchFilter::Lineage,
    SearchFilter::ExcludeLineage,
    SearchFilter::Inactive,
];

impl SearchFilter {
    /// Those that are set. `may_be_inactive`: the store has messages that were taken back.
    pub(super) fn all_set(options: &SearchOptions, may_be_inactive: bool) -> Vec<SearchFilter> {
        let set = |filter: &SearchFilter| match filter {
            SearchFilter::Source => options.sources.is_some(),
            SearchFilter::ExcludeSource => !options.exclude_sources.is_empty(),
            SearchFilter::ExcludeHidden => options.exclude_hidden,
            SearchFilter::Role => !options.roles.is_empty(),
            SearchFilter::Session => !options.sessions.is_empty(),
            SearchFilter::ExcludeSession => !options.exclude_sessions.is_empty(),
            SearchFilter::Lineage => !options.lineages.is_empty(),
            SearchFilter::ExcludeLineage => !options.exclude_lineages.is_empty(),
            SearchFilter::Tool => !options.tools.is_empty(),
            SearchFilter::Since => options.since.is_some(),
            SearchFilter::Until => options.until.is_some(),
            SearchFilter::Model => options.model.is_some(),
            SearchFilter::Title => options.title.is_some(),
            SearchFilter::Inactive => may_be_inactive && !options.include_inactive,
        };
        ALL.into_iter().filter(set).collect()
    }

    /// Takes it out of the options.
    pub(super) fn drop_from(self, options: &mut SearchOptions) {
        match self {
            SearchFilter::Source => options.sources = None,
            SearchFilter::ExcludeSource => options.exclude_sources.clear(),
            SearchFilter::ExcludeHidden => options.exclude_hidden = false,
            SearchFilter::Role => options.roles.clear(),
            SearchFilter::Session => options.sessions.clear(),
            SearchFilter::ExcludeSession => options.exclude_sessions.clear(),
            SearchFilter::Lineage => options.lineages.clear(),
            SearchFilter::ExcludeLineage => options.exclude_lineages.clear(),
            SearchFilter::Tool => options.tools.clear(),
            SearchFilter::Since => options.since = None,
            SearchFilter::Until => options.until = None,
            SearchFilter::Model => options.model = None,
            SearchFilter::Title => options.title = None,
            SearchFilter::Inactive => options.include_inactive = true,
        }
    }
}
