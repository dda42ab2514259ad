//! Packaging: what a registry would get of each published crate, and whether it builds as such.
//!
//! The packaged crates are built against each other, without what only a workspace has: inherited
//! manifest values, dependencies by path, files outside of the crate's folder. That build is cheap
//! (about 5 s instead of 20 s for the first crates) because it is given the target folder and the
//! profile of the workspace, so that no dependency is compiled a second time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// `[profile.dev]` of the root manifest; a packaged crate has no root, so it has to be told.
const PROFILE: &[&str] = &[
    "profile.dev.debug=\"line-tables-only\"",
    "profile.dev.package.libsqlite3-sys.opt-level=2",
];

/// Nothing is fetched (what is needed was needed before), and uncommitted changes are packaged:
/// the gate is for work in progress too.
pub(crate) fn check(ws: &Workspace) -> Result<()> {
    forget_earlier_runs(ws)?;
    let mut package = Program::cargo(&ws.root)
        .args(["package", "--quiet", "--offline", "--allow-dirty"])
        .arg("--target-dir")
        .arg(&ws.target_dir);
    for setting in PROFILE {
        package = package.args(["--config", setting]);
    }
    for member in ws.published() {
        package = package.args(["--package", &member.name]);
    }
    package.run()
}

/// Cargo takes a packaged crate for one of a registry, which never changes under its version: the
/// sources and the build of an earlier run would be taken for this one's.
fn forget_earlier_runs(ws: &Workspace) -> Result<()> {
    remove_ours(ws, &ws.target_dir.join("debug/.fingerprint"))?;
    let Some(cargo_home) = cargo_home() else {
        return Ok(());
    };
    for registry in folders(&cargo_home.join("registry/src"))? {
        // The registry of a `cargo package` has no host before the dash.
        if registry
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"-"))
        {
            remove_ours(ws, &registry)?;
        }
    }
    Ok(())
}

/// Where cargo keeps what it fetches.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    let given = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty());
    given
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Removes the folders in `place` that are called after a published crate and a hash or version.
fn remove_ours(ws: &Workspace, place: &Path) -> Result<()> {
    for folder in folders(place)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if ws.published().any(|member| is_of(&name, &member.name)) {
            fs::remove_dir_all(&folder).context(|| format!("removing {}", folder.display()))?;
        }
    }
    Ok(())
}

/// What is in a folder; nothing if there is none.
fn folders(place: &Path) -> Result<Vec<PathBuf>> {
    let reading = || format!("reading {}", place.display());
    match fs::read_dir(place) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries
            .context(reading)?
            .map(|entry| Ok(entry.context(reading)?.path()))
            .collect(),
    }
}

/// `NAME-HASH` or `NAME-VERSION`: what stands behind the name holds no dash.
fn is_of(folder: &str, member: &str) -> bool {
    folder
        .rsplit_once('-')
        .is_some_and(|(name, _)| name == member)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_other_crates_is_left_alone() {
        assert!(is_of("hermes-home-0a1b2c", "hermes-home"));
        assert!(is_of("hermes-home-0.1.0", "hermes-home"));
        assert!(!is_of("hermes-home-extra-0a1b2c", "hermes-home"));
        assert!(!is_of("serde-0a1b2c", "hermes-home"));
    }

    /// `profile.dev.debug="x"` is the line `debug = "x"` below `[profile.dev]`.
    #[test]
    fn the_profile_is_the_one_of_the_workspace() {
        let root = Workspace::load().unwrap().root;
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        for setting in PROFILE {
            let (path, value) = setting.split_once('=').unwrap();
            let (table, key) = path.rsplit_once('.').unwrap();
            let (_, table) = manifest.split_once(&format!("\n[{table}]\n")).unwrap();
            let set = table
                .lines()
                .take_while(|line| !line.starts_with('['))
                .any(|line| line == format!("{key} = {value}"));
            assert!(set, "{setting}: not so in Cargo.toml");
        }
    }
}
