//! The file as such: its mode, its log, its first bytes, and the SQLite that reads it.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::Fault;
use super::report::{Findings, Report};
use crate::holders::{Others, others};
use crate::open::{SIDE_FILES, side_file};
use crate::recover::header;

/// A log longer than that is not being moved into the file.
const LARGE_LOG: u64 = 64 << 20;

pub(super) fn check(path: &Path, report: &mut Report, findings: &mut Findings) {
    report.bytes = fs::metadata(path).map_or(0, |file| file.len());
    open_to_others(path, findings);
    if report.wal_bytes > LARGE_LOG {
        let message = format!(
            "the write-ahead log has grown to {} MiB: somebody reads without end, or it was never moved",
            report.wal_bytes >> 20
        );
        findings.add(Fault::LogLarge, "log", 1, message);
    }
    if is_flawed(rusqlite::version_number()) {
        let message = format!(
            "SQLite {} has a known fault that can damage a store in use; 3.51.3 and later have not",
            rusqlite::version()
        );
        findings.add(Fault::SqliteFlawed, "sqlite", 1, message);
    }
}

/// Versions in which resetting the log can race with a checkpoint and lose a commit: all with a log
/// before 3.51.3, but for the corrected 3.44.6 and 3.50.7.
pub(super) fn is_flawed(version: i32) -> bool {
    let corrected = |from: i32, before: i32| (from..before).contains(&version);
    version < 3_051_003 && !corrected(3_044_006, 3_045_000) && !corrected(3_050_007, 3_051_000)
}

fn open_to_others(path: &Path, findings: &mut Findings) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Behind a folder that only its owner may enter the mode of a file does not matter.
        let closed = |folder: &Path| {
            fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o011 == 0)
        };
        if path.ancestors().skip(1).any(closed) {
            return;
        }
        let open: Vec<String> = SIDE_FILES
            .iter()
            .map(|suffix| side_file(path, suffix))
            .filter(|file| {
                fs::symlink_metadata(file)
                    .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 != 0)
            })
            .filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()))
            .collect();
        if let Some(first) = open.first() {
            let message = format!("others than the owner may open {first}");
            findings.add_with(
                Fault::OpenToOthers,
                "file",
                open.len() as u64,
                message,
                open,
            );
        }
    }
    #[cfg(not(unix))]
    let _ = (path, findings);
}

/// The first bytes of a file that nobody has open: a descriptor of ours takes nobody's locks then.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    if others(path, 0) != Others::None {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(header::LENGTH as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// What keeps SQLite from reading the schema.
pub(super) fn why_unreadable(path: &Path, said: &str) -> (Fault, String) {
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    let claimed = first_bytes(path).and_then(|first| header::claimed_bytes(&first));
    match claimed {
        Some(claimed) if claimed > bytes => (
            Fault::FileTruncated,
            format!(
                "the file has {bytes} bytes, and its header says {claimed}: its end is missing"
            ),
        ),
        _ => (
            Fault::SchemaDamaged,
            format!("the definitions of the tables cannot be read: {said}"),
        ),
    }
}

/// Says what is wrong with a file that is a database but for its first bytes.
pub(super) fn header_is_all_that_is_wrong(path: &Path) -> Option<String> {
    let first = first_bytes(path)?;
    let bytes = fs::metadata(path).ok()?.len();
    header::is_likely_database(&first, bytes).then(|| {
        "the first bytes are not those of an SQLite database; what follows looks like one"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linked_sqlite_is_none_of_the_flawed_ones() {
        // CORR-37: the number that is really linked.
        assert!(
            !is_flawed(rusqlite::version_number()),
            "{}",
            rusqlite::version()
        );
        for (version, flawed) in [
            (3_040_001, true),
            (3_044_005, true),
            (3_044_006, false),
            (3_050_006, true),
            (3_050_007, false),
            (3_051_000, true),
            (3_051_002, true),
            (3_051_003, false),
            (3_054_001, false),
        ] {
            assert_eq!(is_flawed(version), flawed, "{version}");
        }
    }
}
