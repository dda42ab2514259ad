//! What `db` can be told.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Db {
    /// Tell the store's version, sizes, counts and the state of its search index
    Info(Info),
    /// Check whether the store is sound: the file, its tables and rows, the search index. Changes nothing
    Check(DbCheck),
    /// Copy the store while others use it, and check the copy
    Backup(DbBackup),
    /// Bring the store back to what a backup holds
    Restore(DbRestore),
    /// Put right what a check finds, with the least harm first; shows the plan, then asks
    Repair(DbRepair),
    /// Bring an older store to the version that is written, and its search index in order
    Migrate(Migrate),
    /// Write the file anew without what is free in it
    Vacuum(Vacuum),
    /// Merge the search index and make what is missing for speed, while others use the store
    Optimize(Optimize),
    /// Move the write-ahead log into the file
    Checkpoint(Checkpoint),
    /// Choose the store's journal, while no other program has it open
    Journal(Journal),
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Also let SQLite check the whole file (slow on gigabytes)
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 clean, 4 findings, 1 it could not be checked.")]
pub(crate) struct DbCheck {
    /// Only the structure, ids and counts: seconds on a gigabyte
    #[arg(long)]
    pub(crate) fast: bool,
    /// Everything against everything, on a private copy (this is what is done without --fast)
    #[arg(long, conflicts_with = "fast")]
    pub(crate) deep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DbBackup {
    /// Copy into this file, in place of what is there; by default a new file in the folder `backups`
    /// beside the store
    #[arg(value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// Remove all but the newest N backups of that folder when the new one has passed its check
    #[arg(long, value_name = "N", conflicts_with = "to", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct DbRestore {
    /// The backup
    #[arg(value_name = "FILE")]
    pub(crate) from: PathBuf,
    /// Even while other programs have the store open
    #[arg(long)]
    pub(crate) while_open: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 repaired or nothing to repair, 4 findings are left, 1 failed."
)]
pub(crate) struct DbRepair {
    /// Only show what is wrong and what would be done
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Migrate {
    /// Only tell what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// When to copy the store beside itself first
    #[arg(long, value_name = "WHEN", default_value = "rewrite")]
    pub(crate) backup: Backup,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backup {
    /// Before every migration
    Always,
    /// Before one that changes what is stored, and not only adds to it
    Rewrite,
    /// Never
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct Vacuum {
    /// Only tell whether it could be done, and how much is free
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Optimize {
    /// Only tell what there is to do
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Checkpoint {
    /// Wait for others, move all of it and cut the log to nothing
    #[arg(long)]
    pub(crate) truncate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Journal {
    /// The journal that it is to have from now on
    pub(crate) mode: JournalMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JournalMode {
    /// A write-ahead log: who reads and who writes do not wait for each other
    Wal,
    /// A rollback journal, for disks that several machines share
    Delete,
}
