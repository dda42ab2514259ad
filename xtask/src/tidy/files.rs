//! Which files are looked at, and their text.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Context, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// Folders that no rule looks into when there is no git to ask.
const NOT_OURS: &[&str] = &[".git", ".venv", "target"];

/// Paths relative to the root, with `/`, sorted: what git tracks, and what it would add. Without
/// git (a source archive), every file that is there.
pub(crate) fn list(ws: &Workspace) -> Result<Vec<String>> {
    let git = Program::new("git", &ws.root)
        .args(["ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .output();
    let mut paths = match git {
        Ok(output) => output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8_lossy(path).into_owned())
            // Tracked, but deleted in the work tree.
            .filter(|path| ws.root.join(path).is_file())
            .collect(),
        Err(error) => {
            println!("   note: no list from git ({error}); looking at all files");
            let mut found = Vec::new();
            walk(&ws.root, "", &mut found)?;
            found
        }
    };
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn walk(root: &Path, below: &str, found: &mut Vec<String>) -> Result<()> {
    let dir = root.join(below);
    let reading = || format!("reading {}", dir.display());
    for entry in fs::read_dir(&dir).context(reading)? {
        let entry = entry.context(reading)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type().context(reading)?;
        if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            walk(root, &path, found)?;
        } else if kind.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// The text of a file; `None` if it is not text, or has gone since it was listed.
pub(crate) fn text(ws: &Workspace, path: &str) -> Result<Option<String>> {
    match fs::read(ws.root.join(path)) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context(|| format!("reading {path}")),
    }
}

/// Whether the owner may execute the file. Always true where files have no such bit.
pub(crate) fn executable(ws: &Workspace, path: &str) -> Result<bool> {
    let metadata = fs::metadata(ws.root.join(path)).context(|| format!("looking at {path}"))?;
    #[cfg(unix)]
    let may = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0;
    #[cfg(not(unix))]
    let may = metadata.is_file();
    Ok(may)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_and_the_walk_both_find_this_file_and_no_build_output() {
        let ws = Workspace::load().unwrap();
        let mut walked = Vec::new();
        walk(&ws.root, "", &mut walked).unwrap();
        for paths in [list(&ws).unwrap(), walked] {
            assert!(paths.iter().any(|p| p == "xtask/src/tidy/files.rs"));
            assert!(!paths.iter().any(|p| p.starts_with("target/")));
        }
    }
}
