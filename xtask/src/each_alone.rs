//! Each crate by itself: in the whole workspace, features that one crate turns on reach the
//! others, and a crate that forgot to ask for one builds all the same.

use crate::error::Result;
use crate::process::Program;
use crate::workspace::{Member, Workspace};

pub(crate) fn check(ws: &Workspace) -> Result<()> {
    for member in ws.published() {
        for selection in selections(member) {
            Program::cargo(&ws.root)
                .args(["check", "--quiet", "--package", &member.name])
                .args(*selection)
                .run()?;
        }
    }
    Ok(())
}

/// The builds of one crate that can differ. `--all-targets` is one of its own, because the tests'
/// dependencies turn features on. Without features of its own, no, default and all are the same.
fn selections(member: &Member) -> &'static [&'static [&'static str]] {
    if member.has_features {
        &[
            &["--no-default-features"],
            &[],
            &["--all-features"],
            &["--all-features", "--all-targets"],
        ]
    } else {
        &[&[], &["--all-targets"]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_features_is_not_checked_three_times_over() {
        let plain = Member::default();
        let featured = Member {
            has_features: true,
            ..Member::default()
        };
        assert_eq!(selections(&plain).len(), 2);
        assert!(selections(&featured).contains(&["--no-default-features"].as_slice()));
        assert!(selections(&featured).contains(&["--all-features", "--all-targets"].as_slice()));
    }
}
