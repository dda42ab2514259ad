//! Which paths a command removes, if that can be told for sure. Only then a grant for a folder can
//! cover it.

use std::path::PathBuf;

use crate::analysis::Analysis;
use crate::environment::AnalysisEnv;
use crate::invocation::{Directory, Host, Invocation, Redirect, WrapperKind};
use crate::paths::Target;
use crate::platform::Platform;

/// Programs all of whose operands are removed, and nothing else is changed.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink"];
/// Programs that change nothing outside of the shell.
const READERS: &[&str] = &["cd", "echo", "ls", "printf", "pwd", "test", "true"];

/// Every path that the text removes, absolute; none if anything is in doubt.
pub(super) fn paths(analysis: &Analysis<'_>, env: &AnalysisEnv) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if !analysis.coverage.is_full() || !analysis.hidden.is_empty() {
        return Vec::new();
    }
    for invocation in analysis.invocations() {
        if !invocation_paths(invocation, env, &mut paths) {
            return Vec::new();
        }
    }
    paths
}

/// Adds the paths of one; false if they are not known.
fn invocation_paths(invocation: &Invocation, env: &AnalysisEnv, paths: &mut Vec<PathBuf>) -> bool {
    let plain = invocation.host == Host::Local
        && invocation.platform == Platform::Posix
        && invocation.effects.is_empty()
        && invocation.directory != Directory::Unknown
        && invocation
            .wrappers
            .iter()
            .all(|w| w.kind == WrapperKind::Plain)
        && !invocation.redirects.iter().any(Redirect::writes);
    let Some(name) = invocation.name() else {
        // Assignments only.
        return plain && invocation.program().is_none();
    };
    if !plain {
        return false;
    }
    if READERS.contains(&name) {
        return true;
    }
    if !REMOVERS.contains(&name) {
        return false;
    }
    let mut options = true;
    for word in invocation.arguments() {
        let Some(text) = word.known().filter(|_| !word.has_glob()) else {
            return false;
        };
        if options && text == "--" {
            options = false;
        } else if options && text.starts_with('-') && text.len() > 1 {
            continue;
        } else if text.split('/').any(|part| part == "..") {
            // Through a link `..` leads elsewhere than the text says.
            return false;
        } else {
            let target = Target::of(word, invocation, env);
            paths.push(PathBuf::from(target.absolute(text).as_ref()));
        }
    }
    true
}
