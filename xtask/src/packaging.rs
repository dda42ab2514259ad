//! Packaging: what a registry would get of each published crate, and whether it builds as such.
//!
//! The packaged crates are built against each other, without what only a workspace has: inherited
//! manifest values, dependencies by path, files outside of the crate's folder. That build is cheap
//! (about 5 s instead of 20 s for the first crates) because it is given the target folder and the
//! profile of the workspace, so that no dependency is compiled a second time.

use crate::error::Result;
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

#[cfg(test)]
mod tests {
    use super::*;

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
