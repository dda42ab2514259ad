//! Checks that nearly every agent needs: keys in the environment, programs on the path.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::check::{Answer, Check};

impl Check {
    /// Says yes if each of these variables is set in the process environment, and not empty.
    ///
    /// ```
    /// use hermes_tools::Check;
    ///
    /// let check = Check::env(["NO_SUCH_KEY_A", "NO_SUCH_KEY_B"]);
    /// let reason = check.ask().unwrap_err();
    /// assert_eq!(reason, "NO_SUCH_KEY_A is not set; NO_SUCH_KEY_B is not set");
    /// ```
    pub fn env<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Check {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        Check::new(names.join(", "), move || {
            are_set(&names, |name| env::var_os(name))
        })
    }

    /// Says yes if this program is found in one of the directories of `PATH` and can be executed.
    /// A name with a slash in it is a path, which is looked at as it is.
    ///
    /// On Windows the endings of `PATHEXT` are tried too. The program is not run.
    ///
    /// ```
    /// use hermes_tools::Check;
    ///
    /// let reason = Check::program("no-such-program").ask().unwrap_err();
    /// assert_eq!(reason, "no-such-program is not on PATH");
    /// ```
    pub fn program(name: impl Into<String>) -> Check {
        let program = name.into();
        Check::new(program.clone(), move || {
            let endings = if cfg!(windows) {
                endings(env::var_os("PATHEXT").as_deref())
            } else {
                Vec::new()
            };
            let path = env::var_os("PATH").unwrap_or_default();
            let directories = env::split_paths(&path);
            is_present(&program, directories, &endings, is_executable)
        })
    }
}

fn are_set(names: &[String], lookup: impl Fn(&str) -> Option<OsString>) -> Answer {
    let missing: Vec<String> = names
        .iter()
        .filter_map(|name| match lookup(name) {
            None => Some(format!("{name} is not set")),
            Some(value) if value.is_empty() => Some(format!("{name} is empty")),
            Some(_) => None,
        })
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(missing.join("; "))
    }
}

/// What Windows takes for a program when the name does not say: each with its dot.
fn endings(pathext: Option<&OsStr>) -> Vec<String> {
    pathext
        .filter(|text| !text.is_empty())
        .map_or(".COM;.EXE;.BAT;.CMD".into(), OsStr::to_string_lossy)
        .split(';')
        .map(str::trim)
        .filter(|ending| !ending.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_present(
    program: &str,
    mut directories: impl Iterator<Item = PathBuf>,
    endings: &[String],
    is_executable: impl Fn(&Path) -> bool,
) -> Answer {
    let names = file_names(program, endings);
    if program.is_empty() {
        return Err("the name of the program is empty".to_owned());
    }
    if Path::new(program).components().count() > 1 || program.ends_with(std::path::is_separator) {
        return if names.iter().any(|name| is_executable(Path::new(name))) {
            Ok(())
        } else {
            Err(format!("{program} is not an executable file"))
        };
    }
    let found = directories.any(|directory| {
        names
            .iter()
            .any(|name| is_executable(&directory.join(name)))
    });
    if found {
        Ok(())
    } else {
        Err(format!("{program} is not on PATH"))
    }
}

/// The name as it is if there are no endings or it has one of them, else with each of them.
fn file_names(program: &str, endings: &[String]) -> Vec<String> {
    let lower = program.to_lowercase();
    let has_ending = endings
        .iter()
        .any(|ending| lower.ends_with(&ending.to_lowercase()));
    if endings.is_empty() || has_ending {
        return vec![program.to_owned()];
    }
    endings
        .iter()
        .map(|ending| format!("{program}{ending}"))
        .collect()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<OsString> {
        match name {
            "KEY_A" => Some("secret".into()),
            "KEY_EMPTY" => Some("".into()),
            _ => None,
        }
    }

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn keys_are_present_when_all_are_set_and_not_empty() {
        assert_eq!(are_set(&keys(&["KEY_A"]), environment), Ok(()));
        assert_eq!(are_set(&[], environment), Ok(()));
    }

    #[test]
    fn the_reason_names_every_key_that_is_missing_and_no_value() {
        let reason = are_set(&keys(&["KEY_A", "KEY_B", "KEY_EMPTY"]), environment).unwrap_err();
        assert_eq!(reason, "KEY_B is not set; KEY_EMPTY is empty");
    }

    fn look(program: &str, endings: &[String], there: &[&str]) -> Answer {
        let directories = ["/usr/bin", "/opt/bin"].map(PathBuf::from);
        is_present(program, directories.into_iter(), endings, |path| {
            there.iter().any(|file| Path::new(file) == path)
        })
    }

    #[test]
    fn a_program_is_present_in_any_directory_of_the_path() {
        assert_eq!(look("git", &[], &["/opt/bin/git"]), Ok(()));
        assert_eq!(
            look("git", &[], &["/somewhere/git", "/opt/bin/git2"]),
            Err("git is not on PATH".to_owned())
        );
    }

    #[test]
    fn a_program_given_as_a_path_is_looked_at_as_it_is() {
        assert_eq!(look("/srv/tool", &[], &["/srv/tool"]), Ok(()));
        assert_eq!(
            look("./git", &[], &["/usr/bin/./git"]),
            Err("./git is not an executable file".to_owned())
        );
        assert!(look("git/", &[], &["/usr/bin/git"]).is_err());
        assert!(look("", &[], &["/usr/bin/"]).is_err());
    }

    #[test]
    fn a_name_without_an_ending_is_tried_with_each_one() {
        let endings = endings(Some(OsStr::new(".EXE; .CMD;")));
        assert_eq!(endings, [".EXE", ".CMD"]);
        assert_eq!(look("npm", &endings, &["/opt/bin/npm.CMD"]), Ok(()));
        assert_eq!(look("git.exe", &endings, &["/opt/bin/git.exe"]), Ok(()));
        // A file without an ending is no program there.
        assert!(look("npm", &endings, &["/opt/bin/npm"]).is_err());
    }

    #[test]
    fn endings_have_a_default() {
        assert_eq!(endings(None), [".COM", ".EXE", ".BAT", ".CMD"]);
        assert_eq!(endings(Some(OsStr::new(""))), endings(None));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_cannot_be_executed_is_no_program() {
        assert!(is_executable(Path::new("/bin/sh")));
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(manifest.is_file() && !is_executable(&manifest));
        assert!(!is_executable(Path::new("/bin")));
    }
}
