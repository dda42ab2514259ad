//! How an import goes about what is there already, what is wrong and what is too much.

/// What happens to a session that the store has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// The store's stays as it is.
    #[default]
    Skip,
    /// The store's stays as it is; the input's is stored beside it under another id
    /// (`<id>_copy`, `<id>_copy2`, …).
    Copy,
    /// The input's columns and messages replace the store's.
    Overwrite,
}

/// What happens to a title that another session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Titles {
    /// It gets the first number that is free: ` #2`, ` #3`, …
    #[default]
    Number,
    /// The session is not imported.
    Refuse,
}

/// How to import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// What happens to sessions that the store has already.
    pub existing: Existing,
    /// What happens to titles that are taken.
    pub titles: Titles,
    /// Stores nothing, and reports what an import would do.
    pub dry_run: bool,
    /// One transaction for everything, and nothing is imported if a session cannot be. All of the
    /// input is held in memory, and nobody else can write meanwhile: set `limits` as well.
    pub all_or_nothing: bool,
    /// What is refused as too much. Nothing if `None`.
    pub limits: Option<ImportLimits>,
}

/// What an import refuses as too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportLimits {
    /// Sessions.
    pub sessions: u64,
    /// Messages of one session.
    pub messages_per_session: u64,
    /// Messages of all sessions.
    pub messages: u64,
    /// Bytes of one session as compact JSON.
    pub bytes_per_session: u64,
    /// Bytes of all sessions.
    pub bytes: u64,
}

impl Default for ImportLimits {
    /// Those of Hermes.
    fn default() -> ImportLimits {
        ImportLimits {
            sessions: 500,
            messages_per_session: 10_000,
            messages: 50_000,
            bytes_per_session: 5 << 20,
            bytes: 25 << 20,
        }
    }
}
