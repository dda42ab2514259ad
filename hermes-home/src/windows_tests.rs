//! Selection by the rules of Windows, on a file system that is a table.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::{Files, Kind};
use crate::resolve::Resolver;
use crate::{Environment, Error, HomeSource, Platform, Selection, Warning};

/// Paths with their content; a folder has none. Case is ignored.
struct Table(BTreeMap<String, Option<&'static [u8]>>);

impl Table {
    fn new(entries: &[(&str, Option<&'static [u8]>)]) -> Self {
        Self(
            entries
                .iter()
                .map(|(path, content)| (path.to_lowercase(), *content))
                .collect(),
        )
    }

    fn get(&self, path: &Path) -> io::Result<Option<&'static [u8]>> {
        let path = path.to_string_lossy().to_lowercase();
        self.0
            .get(path.trim_start_matches(r"\\?\"))
            .copied()
            .ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Files for Table {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(match self.get(path)? {
            Some(_) => Kind::File,
            None => Kind::Dir,
        })
    }

    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        self.get(path).map(|_| None)
    }

    /// As Windows does: in the long form.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.get(path)?;
        let path = path.to_string_lossy();
        Ok(format!(r"\\?\{}", path.trim_start_matches(r"\\?\")).into())
    }

    fn read_up_to(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        self.get(path)
            .map(|content| content.unwrap_or_default().to_vec())
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        self.get(dir)?;
        let start = format!(r"{}\", dir.to_string_lossy().to_lowercase());
        Ok(self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(&start))
            .filter(|name| !name.contains('\\'))
            .map(OsString::from)
            .collect())
    }
}

const DEFAULT: &str = r"C:\Users\Ann\AppData\Local\hermes";
const PROFILES: &str = r"C:\Users\Ann\AppData\Local\hermes\profiles";
const CODER: &str = r"C:\Users\Ann\AppData\Local\hermes\profiles\coder";
const ACTIVE: &str = r"C:\Users\Ann\AppData\Local\hermes\active_profile";

fn env() -> Environment {
    Environment::new(Platform::Windows).with_user_home(r"C:\Users\Ann")
}

fn with_coder() -> Table {
    Table::new(&[
        (r"C:\", None),
        (DEFAULT, None),
        (PROFILES, None),
        (CODER, None),
        (ACTIVE, Some(b"\xef\xbb\xbfCoder\r\n")),
    ])
}

#[test]
fn the_active_profile_as_notepad_saves_it_is_chosen() {
    let files = with_coder();
    let env = env();
    let chosen = Selection::new()
        .resolve_with(&Resolver::new(&env, &files))
        .unwrap();
    assert_eq!(chosen.home.path().to_str(), Some(CODER));
    assert_eq!(chosen.home.root().to_str(), Some(DEFAULT));
    assert_eq!(chosen.source, HomeSource::ActiveProfile);
    assert_eq!(
        chosen.home.display(),
        r"~\AppData\Local\hermes\profiles\coder"
    );
}

#[test]
fn a_profile_flag_needs_the_profile_to_exist() {
    let files = with_coder();
    let env = env();
    let resolver = Resolver::new(&env, &files);
    let select = |name: &str| {
        Selection::new()
            .with_profile(name.to_owned())
            .resolve_with(&resolver)
    };
    assert_eq!(select("CODER").unwrap().home.path().to_str(), Some(CODER));
    match select("ghost").unwrap_err() {
        Error::ProfileNotFound { available, .. } => {
            assert_eq!(
                available.iter().map(|n| n.as_str()).collect::<Vec<_>>(),
                ["coder"]
            );
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_long_form_of_the_file_system_is_compared_as_the_short_one() {
    let files = with_coder();
    let env = env().with_hermes_home(r"C:\Users\Ann\AppData\..\AppData\Local\hermes");
    let found = Resolver::new(&env, &files).resolve().unwrap();
    assert_eq!(found.home.root().to_str(), Some(DEFAULT));
    let env = env.with_hermes_home(r"\\?\C:\Users\Ann\AppData\Local\hermes");
    let found = Resolver::new(&env, &files).resolve().unwrap();
    assert_eq!(found.home.root().to_str(), Some(DEFAULT));
}

/// HOME-22.
#[test]
fn an_old_home_that_is_left_behind_is_said() {
    let old = r"C:\Users\Ann\.hermes";
    let env = env();
    let files = Table::new(&[(old, None)]);
    let found = Resolver::new(&env, &files).resolve().unwrap();
    assert_eq!(found.home.path().to_str(), Some(DEFAULT));
    match &found.warnings[..] {
        [Warning::OldHomeFound { old: named, .. }] => assert_eq!(named.to_str(), Some(old)),
        other => panic!("{other:?}"),
    }
    let both = Table::new(&[(old, None), (DEFAULT, None)]);
    let found = Resolver::new(&env, &both).resolve().unwrap();
    assert_eq!(found.warnings, []);
}

#[test]
fn a_file_in_the_place_of_the_home_is_refused() {
    let files = Table::new(&[(r"C:\", None), (DEFAULT, Some(b""))]);
    let env = env();
    let error = Resolver::new(&env, &files).resolve().unwrap_err();
    assert!(matches!(error, Error::NotADirectory { .. }), "{error}");
}
