//! Paths that stand inside other words: `-v PATH:/x`, `file=@PATH`, `of=PATH`.

use crate::look::Look;
use crate::paths::{Place, Target, Tree};
use crate::word::Word;

/// The tree that a path selects as a whole.
pub(super) fn tree(look: &Look<'_>, path: &str) -> Option<Tree> {
    with(look, path, |target| target.tree())
}

/// The kind of file that a path names.
pub(super) fn place(look: &Look<'_>, path: &str) -> Option<Place> {
    with(look, path, |target| target.place())
}

/// The path as it is from the directory of the command, without what says nothing.
pub(super) fn absolute(look: &Look<'_>, path: &str) -> String {
    with(look, path, |target| {
        target.absolute(target.word.text()).into_owned()
    })
}

fn with<T>(look: &Look<'_>, path: &str, ask: impl FnOnce(&Target<'_>) -> T) -> T {
    // A shell doesn't expand a tilde inside a word, but many tools do it themselves.
    let path = match path.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", look.scope.env.user_home),
        None if path == "~" => look.scope.env.user_home.clone(),
        None => path.to_owned(),
    };
    let word = Word::made(path, look.invocation.span);
    ask(&Target::of(&word, look.invocation, look.scope.env))
}
