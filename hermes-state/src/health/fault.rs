//! What can be wrong with a store: how bad each fault is, and what repairs it.

use serde::Serialize;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing is lost or wrong now; worth knowing.
    Note,
    /// Something is not as it should be; every message can be read and written.
    Warning,
    /// Something cannot be read, found or written.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What puts a fault right.
///
/// In order of harm: what comes first changes least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// Nothing here does.
    None,
    /// Take the file and its side files from everybody but the owner.
    TightenModes,
    /// Remove the later ones of doubled definitions.
    DeduplicateSchema,
    /// Put a number in the place of a version that is none, by what the tables look like.
    SetVersion,
    /// Make the full-text index and its triggers anew from the messages.
    RebuildIndex,
    /// Make ordinary indexes anew from their tables.
    Reindex,
    /// Bring the tables to the version that is written (`hermesctl db migrate`).
    Migrate,
    /// Make the ordinary indexes that are missing.
    CreateIndexes,
    /// Mark messages as active that are neither active nor not.
    HealActive,
    /// Count the messages of sessions again.
    Recount,
    /// Wrap what is no JSON as a JSON string.
    QuoteJson,
    /// Take away parents that are not there or are the session's own descendants.
    DetachParents,
    /// Make a session for messages whose session is not there.
    AdoptOrphans,
    /// Put U+FFFD in the place of bytes that are no text.
    MendText,
    /// Move the log into the file and cut it.
    Checkpoint,
    /// Write the file anew without its lost pages.
    Vacuum,
    /// Read the rows page by page from a copy into a new file; the damaged one is kept.
    Recover,
}

impl Repair {
    /// The word for it, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Repair::None => "none",
            Repair::TightenModes => "tighten_modes",
            Repair::DeduplicateSchema => "deduplicate_schema",
            Repair::SetVersion => "set_version",
            Repair::RebuildIndex => "rebuild_index",
            Repair::Reindex => "reindex",
            Repair::Migrate => "migrate",
            Repair::CreateIndexes => "create_indexes",
            Repair::HealActive => "heal_active",
            Repair::Recount => "recount",
            Repair::QuoteJson => "quote_json",
            Repair::DetachParents => "detach_parents",
            Repair::AdoptOrphans => "adopt_orphans",
            Repair::MendText => "mend_text",
            Repair::Checkpoint => "checkpoint",
            Repair::Vacuum => "vacuum",
            Repair::Recover => "recover",
        }
    }

    /// What it does, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Repair::None => "nothing here repairs that",
            Repair::TightenModes => "take the store's files from everybody but their owner",
            Repair::DeduplicateSchema => "remove doubled definitions from the schema",
            Repair::SetVersion => "store the version that the tables look like",
            Repair::RebuildIndex => "make the full-text index anew from the messages",
            Repair::Reindex => "make ordinary indexes anew from their tables",
            Repair::Migrate => "bring the tables to the version that is written",
            Repair::CreateIndexes => "make the ordinary indexes that are missing",
            Repair::HealActive => "mark messages without a mark as active",
            Repair::Recount => "count the messages of sessions again",
            Repair::QuoteJson => "wrap model settings that are no JSON as a JSON string",
            Repair::DetachParents => "take away parents that are missing or go in a circle",
            Repair::AdoptOrphans => "make a session for messages that have none",
            Repair::MendText => "put U+FFFD in the place of bytes that are no text",
            Repair::Checkpoint => "move the log into the file",
            Repair::Vacuum => "write the file anew without its lost pages",
            Repair::Recover => {
                "read the rows page by page into a new file, and keep the damaged one"
            }
        }
    }
}

/// A kind of fault. Its JSON form is the finding's stable id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// The first bytes are not those of SQLite; what follows is.
    HeaderDamaged,
    /// The file is shorter than its header says.
    FileTruncated,
    /// The table of definitions cannot be read.
    SchemaDamaged,
    /// Something is defined twice.
    SchemaDoubled,
    /// Pages of a table are damaged.
    TableDamaged,
    /// An ordinary index is damaged, or does not fit its table.
    IndexDamaged,
    /// Pages that nothing uses and that are not free.
    PagesLost,
    /// A column that must hold something does not, or holds another kind of value.
    ValueMisfit,
    /// The write-ahead log is longer than it should get.
    LogLarge,
    /// The journal is not the one that was chosen for the store.
    JournalDiffers,
    /// Others than the owner may read the store.
    OpenToOthers,
    /// The SQLite in use is one of those with a known fault that damages files.
    SqliteFlawed,
    /// The version is not a number.
    VersionUnreadable,
    /// More than one version is stored.
    VersionDoubled,
    /// Older than the version that is written.
    Outdated,
    /// Newer than what can be written; looked at as far as known.
    TooNew,
    /// An ordinary index of its version is missing.
    IndexMissing,
    /// Messages of sessions that are not there.
    OrphanMessages,
    /// A session's parent is not there.
    ParentMissing,
    /// A session is its own ancestor.
    ParentCycle,
    /// Another reference to a row that is not there.
    ReferenceBroken,
    /// A session's counters do not fit its messages.
    CounterWrong,
    /// Messages neither active nor not.
    ActiveMissing,
    /// Text that is not UTF-8: Python cannot read such a row.
    TextInvalid,
    /// Settings of a session that are no JSON: Hermes from 0.19 on cannot list sessions then.
    SettingsInvalid,
    /// A table of the full-text index is missing.
    SearchTableMissing,
    /// A trigger that keeps the full-text index is missing.
    SearchTriggerMissing,
    /// A table of the full-text index cannot be read, or does not agree with itself.
    SearchDamaged,
    /// The full-text index lacks messages.
    SearchIncomplete,
    /// The full-text index holds entries of messages that are not there.
    SearchLeftovers,
    /// The full-text index holds other text than the messages.
    SearchTextDiffers,
    /// The full-text index holds text with NUL, which versions of SQLite index differently.
    SearchHoldsNul,
    /// The full-text index is being made anew, or has left something to be removed.
    SearchUnfinished,
    /// A message cannot be written.
    WriteFails,
    /// A part of the check could not be done.
    CheckFailed,
}

impl Fault {
    /// The stable id, as in JSON.
    pub fn id(self) -> &'static str {
        self.facts().0
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        self.facts().1
    }

    /// What repairs it.
    pub fn repair(self) -> Repair {
        self.facts().2
    }

    fn facts(self) -> (&'static str, Severity, Repair) {
        use Severity::{Error, Note, Warning};
        match self {
            Fault::HeaderDamaged => ("header_damaged", Error, Repair::Recover),
            Fault::FileTruncated => ("file_truncated", Error, Repair::Recover),
            Fault::SchemaDamaged => ("schema_damaged", Error, Repair::Recover),
            Fault::SchemaDoubled => ("schema_doubled", Error, Repair::DeduplicateSchema),
            Fault::TableDamaged => ("table_damaged", Error, Repair::Recover),
            Fault::IndexDamaged => ("index_damaged", Error, Repair::Reindex),
            Fault::PagesLost => ("pages_lost", Warning, Repair::Vacuum),
            Fault::ValueMisfit => ("value_misfit", Warning, Repair::None),
            Fault::LogLarge => ("log_large", Warning, Repair::Checkpoint),
            Fault::JournalDiffers => ("journal_differs", Note, Repair::None),
            Fault::OpenToOthers => ("open_to_others", Warning, Repair::TightenModes),
            Fault::SqliteFlawed => ("sqlite_flawed", Warning, Repair::None),
            Fault::VersionUnreadable => ("version_unreadable", Error, Repair::SetVersion),
            Fault::VersionDoubled => ("version_doubled", Note, Repair::None),
            Fault::Outdated => ("outdated", Note, Repair::Migrate),
            Fault::TooNew => ("too_new", Note, Repair::None),
            Fault::IndexMissing => ("index_missing", Warning, Repair::CreateIndexes),
            Fault::OrphanMessages => ("orphan_messages", Warning, Repair::AdoptOrphans),
            Fault::ParentMissing => ("parent_missing", Warning, Repair::DetachParents),
            Fault::ParentCycle => ("parent_cycle", Warning, Repair::DetachParents),
            Fault::ReferenceBroken => ("reference_broken", Warning, Repair::None),
            Fault::CounterWrong => ("counter_wrong", Warning, Repair::Recount),
            Fault::ActiveMissing => ("active_missing", Warning, Repair::HealActive),
            Fault::TextInvalid => ("text_invalid", Warning, Repair::MendText),
            Fault::SettingsInvalid => ("settings_invalid", Warning, Repair::QuoteJson),
            Fault::SearchTableMissing => ("search_table_missing", Error, Repair::RebuildIndex),
            Fault::SearchTriggerMissing => ("search_trigger_missing", Error, Repair::RebuildIndex),
            Fault::SearchDamaged => ("search_damaged", Error, Repair::RebuildIndex),
            Fault::SearchIncomplete => ("search_incomplete", Error, Repair::RebuildIndex),
            Fault::SearchLeftovers => ("search_leftovers", Warning, Repair::RebuildIndex),
            Fault::SearchTextDiffers => ("search_text_differs", Error, Repair::RebuildIndex),
            Fault::SearchHoldsNul => ("search_holds_nul", Note, Repair::RebuildIndex),
            Fault::SearchUnfinished => ("search_unfinished", Note, Repair::RebuildIndex),
            Fault::WriteFails => ("write_fails", Error, Repair::RebuildIndex),
            Fault::CheckFailed => ("check_failed", Error, Repair::None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_json() {
        for fault in [
            Fault::HeaderDamaged,
            Fault::SearchHoldsNul,
            Fault::CheckFailed,
        ] {
            let json = serde_json::to_value(fault).unwrap();
            assert_eq!(json, fault.id());
        }
        for repair in [Repair::None, Repair::TightenModes, Repair::Recover] {
            assert_eq!(serde_json::to_value(repair).unwrap(), repair.name());
        }
    }
}
