//! House rules that no compiler checks, over the files that git knows or would add.

mod crates;
mod files;
mod text;

use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// A rule that a file breaks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the root; with the line, where there is one.
    pub(crate) place: String,
    pub(crate) what: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }
}

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        return Err(Error::usage("tidy takes no arguments"));
    }
    check(ws)
}

pub(crate) fn check(ws: &Workspace) -> Result<()> {
    let paths = files::list(ws)?;
    let machine = machine_paths(ws);
    let mut found = crates::findings(ws, &paths)?;
    let mut long = Vec::new();
    let mut excepted = Vec::new();
    for path in &paths {
        found.extend(text::findings_of_name(path));
        let Some(text) = files::text(ws, path)? else {
            continue;
        };
        found.extend(text::findings(path, &text, &machine));
        found.extend(crates::loosened_lints(&ws.members, path, &text));
        excepted.extend(text::exceptions_used(path, &text));
        if path.ends_with(".rs") && text.lines().count() > text::WISHED_LINES {
            long.push((path, text.lines().count()));
        }
    }
    found.extend(text::exceptions_unused(&excepted));
    for (path, lines) in long {
        println!(
            "   note: {path} has {lines} lines; most files should stay under {}",
            text::WISHED_LINES
        );
    }
    for finding in &found {
        println!("   {}: {}", finding.place, finding.what);
    }
    if !found.is_empty() {
        return Err(Error::failed(format!("{} findings", found.len())));
    }
    println!("   {} files are tidy", paths.len());
    Ok(())
}
/// Absolute paths that mean something on this machine alone.
fn machine_paths(ws: &Workspace) -> Vec<String> {
    let folder = |path: &std::path::Path| format!("{}/", path.display());
    let cargo_home = crate::packaging::cargo_home();
    std::iter::once(folder(&ws.root))
        .chain(cargo_home.as_deref().map(folder))
        .collect()
}
