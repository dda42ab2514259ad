//! Rules on whole crates and on single files of the repository.

use super::{Finding, files, text};
use crate::error::Result;
use crate::workspace::{Member, Workspace};

/// Files that must be executable.
const EXECUTABLE: &[&str] = &[".ci/run"];

/// Crates with lints of their own. `faults` stands in for the file layer of SQLite, which takes C
/// functions: that is `unsafe`, and nothing of it is published.
const OWN_LINTS: &[&str] = &["faults"];

/// Levels that loosen a lint for a whole crate. Stricter ones may be repeated in a crate, for its
/// readers; `warn` loosens nothing, since the gate denies warnings.
const LOOSER: &[&str] = &["allow", "expect"];

pub(crate) fn findings(ws: &Workspace, paths: &[String]) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for member in &ws.members {
        let manifest = format!("{}/Cargo.toml", member.dir);
        let text = files::text(ws, &manifest)?.unwrap_or_default();
        let own = !member.published && OWN_LINTS.contains(&member.dir.as_str());
        if !own && !inherits_lints(&text) {
            found.push(Finding::new(
                manifest,
                "does not inherit the lints: [lints] workspace = true",
            ));
        }
        if member.published {
            found.extend(missing_parts(member, paths));
        }
    }
    for path in EXECUTABLE {
        if !paths.iter().any(|p| p == path) {
            found.push(Finding::new(*path, "is missing"));
        } else if !files::executable(ws, path)? {
            found.push(Finding::new(*path, "is not executable: chmod +x"));
        }
    }
    Ok(found)
}

/// A published crate has a README; a library has an example that runs. (A program's examples are
/// in its help and README: cargo's examples link against a library.)
fn missing_parts(member: &Member, paths: &[String]) -> Vec<Finding> {
    let mut found = Vec::new();
    let readme = format!("{}/README.md", member.dir);
    if !paths.contains(&readme) {
        found.push(Finding::new(readme, "is missing"));
    }
    if member.has_library && member.examples.is_empty() {
        found.push(Finding::new(
            format!("{}/examples", member.dir),
            "a published library has at least one example",
        ));
    }
    found
}

/// Lints that a published crate loosens as a whole. Test support may, with its reason.
pub(crate) fn loosened_lints(members: &[Member], path: &str, source: &str) -> Vec<Finding> {
    let published = members
        .iter()
        .any(|member| member.published && path.starts_with(&format!("{}/src/", member.dir)));
    if !published || text::is_test_file(path) {
        return Vec::new();
    }
    text::code(source)
        .filter(|(_, line)| loosens_lints(line))
        .map(|(number, _)| {
            Finding::new(
                format!("{path}:{number}"),
                "a published crate does not loosen [workspace.lints] as a whole",
            )
        })
        .collect()
}

fn loosens_lints(line: &str) -> bool {
    line.trim_start().strip_prefix("#![").is_some_and(|rest| {
        LOOSER
            .iter()
            .any(|level| rest.strip_prefix(level).is_some_and(|r| r.starts_with('(')))
    })
}

fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == "[lints]")
        && lines
            .take_while(|line| !line.starts_with('['))
            .any(|line| line.replace(' ', "") == "workspace=true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_are_inherited_by_their_own_table_only() {
        assert!(inherits_lints("[package]\n\n[lints]\nworkspace = true\n"));
        assert!(!inherits_lints("[package]\nversion.workspace = true\n"));
        assert!(!inherits_lints(
            "[lints]\n\n[dependencies]\nworkspace = true\n"
        ));
    }

    #[test]
    fn a_published_library_needs_a_readme_and_an_example() {
        let mut member = Member {
            dir: "a".to_owned(),
            has_library: true,
            ..Member::default()
        };
        assert_eq!(missing_parts(&member, &[]).len(), 2);
        member.examples.push("smallest".to_owned());
        assert_eq!(missing_parts(&member, &["a/README.md".to_owned()]), []);
        let program = Member {
            dir: "b".to_owned(),
            ..Member::default()
        };
        assert_eq!(missing_parts(&program, &["b/README.md".to_owned()]), []);
    }

    #[test]
    fn published_crates_do_not_set_their_own_loosened_lints() {
        let member = |dir: &str, published| Member {
            dir: dir.to_owned(),
            published,
            ..Member::default()
        };
        let members = [member("a", true), member("b", false)];
        let found = |path: &str, source: &str| loosened_lints(&members, path, source).len();
        for level in LOOSER {
            let source = format!("//! X.\n#![{level}(clippy::all)]\n");
            assert_eq!(found("a/src/lib.rs", &source), 1, "{level}");
            for path in ["a/tests/x.rs", "a/src/x/tests.rs", "b/src/lib.rs"] {
                assert_eq!(found(path, &source), 0, "{path}");
            }
        }
        let source =
            "//! X.\n#![forbid(unsafe_code)]\n#[allow(dead_code, reason = \"z\")]\nfn x() {}\n";
        assert_eq!(found("a/src/lib.rs", source), 0);
    }
}
