//! Databases, unpacked for one test.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::files::{path, unpacked};

/// What SQLite keeps beside a database in WAL mode.
const SIDE_FILES: [&str; 2] = ["-wal", "-shm"];

/// One database with its side files in a folder of its own, which is removed on drop.
#[derive(Debug)]
pub struct Fixture {
    dir: TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Fixture {
    /// The database file. It may be written to.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder with the database and its side files, and nothing else.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// What the database file held when it was unpacked, whatever has happened to it since.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Unpacks a database (`"v11.db"`) and its `-wal` and `-shm` files, where there are some, into a
/// fresh folder.
#[must_use]
pub fn fixture(name: &str) -> Fixture {
    let mut builder = tempfile::Builder::new();
    builder.prefix("hermes-testdata-");
    // As the folder of a store should be.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let dir = builder
        .tempdir()
        .unwrap_or_else(|e| panic!("a folder for {name}: {e}"));
    let bytes = unpacked(&packed_name(name));
    let database = write(&dir, name, &bytes);
    for suffix in SIDE_FILES {
        let side = format!("{name}{suffix}");
        if path(&packed_name(&side)).exists() {
            write(&dir, &side, &unpacked(&packed_name(&side)));
        }
    }
    Fixture {
        dir,
        path: database,
        bytes,
    }
}

/// The names of all databases, sorted.
#[must_use]
pub fn all_fixtures() -> Vec<String> {
    let folder = path("fixtures");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .filter_map(|entry| {
            entry
                .expect("an entry of testdata/fixtures")
                .file_name()
                .into_string()
                .ok()
        })
        .filter_map(|file| file.strip_suffix(".gz").map(str::to_owned))
        .filter(|name| name.ends_with(".db"))
        .collect();
    names.sort();
    names
}

fn packed_name(name: &str) -> String {
    format!("fixtures/{name}.gz")
}

fn write(dir: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let file = dir.path().join(name);
    fs::write(&file, bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

    #[test]
    fn every_fixture_unpacks_to_the_bytes_that_the_manifest_names() {
        let manifest = manifest();
        let entries = manifest["fixtures"].as_array().unwrap();
        for entry in entries {
            let name = entry["file"].as_str().unwrap();
            let unpacked = fixture(name);
            let on_disk = fs::read(unpacked.path()).unwrap();
            assert_eq!(
                on_disk.len().to_string(),
                entry["bytes"].to_string(),
                "{name}"
            );
            assert_eq!(
                sha256(&on_disk),
                entry["sha256"].as_str().unwrap(),
                "{name}"
            );
            assert_eq!(on_disk, unpacked.bytes(), "{name}");
        }
        let mut named: Vec<&str> = entries
            .iter()
            .map(|e| e["file"].as_str().unwrap())
            .collect();
        named.sort_unstable();
        assert_eq!(named, all_fixtures());
    }

    #[test]
    fn side_files_come_along_and_nothing_else() {
        let manifest = manifest();
        for entry in manifest["fixtures"].as_array().unwrap() {
            let name = entry["file"].as_str().unwrap();
            let mut expected = vec![name.to_owned()];
            expected.extend(
                entry["sidecars"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|s| s.as_str().unwrap().to_owned()),
            );
            expected.sort();
            let unpacked = fixture(name);
            let mut found: Vec<String> = fs::read_dir(unpacked.dir())
                .unwrap()
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .collect();
            found.sort();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_fixture_is_writable_and_gone_after_drop() {
        let first = fixture("v11.db");
        let second = fixture("v11.db");
        assert_ne!(first.dir(), second.dir());
        fs::write(first.path(), b"changed").unwrap();
        assert_eq!(fs::read(second.path()).unwrap(), first.bytes());
        let dir = first.dir().to_owned();
        drop(first);
        assert!(!dir.exists());
    }

    #[test]
    #[should_panic(expected = "no_such.db.gz")]
    fn an_unknown_name_panics_with_the_name() {
        let _ = fixture("no_such.db");
    }

    /// FIPS 180-4, so that a test needs no further dependency. The constants are the first 32 bits
    /// of the fractional parts of the roots of the first primes, and are computed as that.
    fn sha256(data: &[u8]) -> String {
        let primes: Vec<u64> = (2_u64..)
            .filter(|n| (2..*n).all(|d| n % d != 0))
            .take(64)
            .collect();
        let k: Vec<u32> = primes.iter().map(|p| root_fraction(*p, 3)).collect();
        let mut state: [u32; 8] = std::array::from_fn(|i| root_fraction(primes[i], 2));
        let mut message = data.to_vec();
        message.push(0x80);
        while message.len() % 64 != 56 {
            message.push(0);
        }
        message.extend((data.len() as u64 * 8).to_be_bytes());
        for block in message.chunks(64) {
            let mut w = [0_u32; 64];
            for (word, bytes) in w.iter_mut().zip(block.chunks(4)) {
                *word = u32::from_be_bytes(bytes.try_into().unwrap());
            }
            for i in 16..64 {
                let (a, b) = (w[i - 15], w[i - 2]);
                let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
                let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
                w[i] = w[i - 16]
                    .wrapping_add(s0)
                    .wrapping_add(w[i - 7])
                    .wrapping_add(s1);
            }
            let mut v = state;
            for i in 0..64 {
                let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
                let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
                let one = v[7]
                    .wrapping_add(s1)
                    .wrapping_add(choice)
                    .wrapping_add(k[i])
                    .wrapping_add(w[i]);
                let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                let two = s0.wrapping_add(majority);
                v.rotate_right(1);
                v[4] = v[4].wrapping_add(one);
                v[0] = one.wrapping_add(two);
            }
            for (sum, add) in state.iter_mut().zip(v) {
                *sum = sum.wrapping_add(add);
            }
        }
        state.iter().map(|word| format!("{word:08x}")).collect()
    }

    /// The first 32 bits of the fractional part of the `degree`-th root of `n`.
    fn root_fraction(n: u64, degree: u32) -> u32 {
        let scaled = u128::from(n) << (32 * degree);
        let (mut low, mut high) = (0_u128, 1_u128 << 40);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if middle.pow(degree) <= scaled {
                low = middle
            } else {
                high = middle
            }
        }
        (low & 0xffff_ffff) as u32
    }
}
