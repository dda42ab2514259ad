//! How large the write-ahead log may grow.

use std::ops::RangeInclusive;

const PAGES: RangeInclusive<i64> = 1..=1_000_000;
const DEFAULT_PAGES: i64 = 1000;

const BYTES: RangeInclusive<i64> = 0..=1 << 40;
const DEFAULT_BYTES: i64 = 64 << 20;

/// Values as they may come from a configuration file: what makes no sense must not keep a program
/// from starting.
#[derive(Debug, Clone)]
pub(crate) struct LogSettings {
    autocheckpoint: i64,
    size_limit: i64,
}

impl Default for LogSettings {
    fn default() -> LogSettings {
        LogSettings {
            autocheckpoint: DEFAULT_PAGES,
            size_limit: DEFAULT_BYTES,
        }
    }
}

impl LogSettings {
    /// Pages in the log after which a commit moves them into the main file.
    pub(crate) fn autocheckpoint(&self) -> i64 {
        self.autocheckpoint
    }

    /// Bytes to which a log that is not needed any more is cut.
    pub(crate) fn size_limit(&self) -> i64 {
        self.size_limit
    }

    pub(crate) fn set_autocheckpoint(&mut self, pages: i64) {
        self.autocheckpoint = sensible("wal_autocheckpoint", pages, PAGES, DEFAULT_PAGES);
    }

    pub(crate) fn set_size_limit(&mut self, bytes: i64) {
        self.size_limit = sensible("journal_size_limit", bytes, BYTES, DEFAULT_BYTES);
    }
}

fn sensible(name: &str, value: i64, range: RangeInclusive<i64>, default: i64) -> i64 {
    if range.contains(&value) {
        return value;
    }
    tracing::warn!(name, value, default, "makes no sense: the default is taken");
    default
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use crate::StoreOptions;

    /// What SQLite itself says: pages, bytes.
    fn pragmas(options: StoreOptions) -> (i64, i64) {
        let home = tempfile::tempdir().unwrap();
        let store = options.open(home.path().join("state.db")).unwrap();
        let conn = store.inner.writer.as_ref().unwrap();
        let conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
        let ask = |sql| conn.query_row(sql, [], |row| row.get(0)).unwrap();
        (
            ask("PRAGMA wal_autocheckpoint"),
            ask("PRAGMA journal_size_limit"),
        )
    }

    /// LOCK-09
    #[test]
    fn settings_reach_sqlite_and_nonsense_becomes_the_default() {
        let set = |pages, bytes| {
            let options = StoreOptions::new();
            pragmas(options.wal_autocheckpoint(pages).journal_size_limit(bytes))
        };
        assert_eq!(set(200, 10_485_760), (200, 10_485_760));
        assert_eq!(set(1, 0), (1, 0));
        let default = pragmas(StoreOptions::new());
        assert_eq!(default, (1000, 64 << 20));
        for (pages, bytes) in [(0, -1), (-200, i64::MIN), (i64::MAX, i64::MAX)] {
            assert_eq!(set(pages, bytes), default, "{pages} {bytes}");
        }
    }
}
