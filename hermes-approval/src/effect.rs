//! What code of another language does, where it can be read off literally.

use crate::span::Span;

/// Something that embedded code does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// On which path, URL or program, as far as it is literal (what is joined to it at run time is
    /// missing); none if the code works it out.
    pub target: Option<String>,
    /// The call, as the code has it: `shutil.rmtree`.
    pub call: String,
    /// Where the code stands in the original text.
    pub span: Span,
}

/// What embedded code can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EffectKind {
    /// Deletes a file or an empty folder.
    Delete,
    /// Deletes a tree.
    DeleteTree,
    /// Writes a file, or empties it.
    Write,
    /// Reads a file.
    Read,
    /// Moves or renames.
    Move,
    /// Changes permissions or the owner.
    Permissions,
    /// Runs a program (what it runs is an invocation of its own where it is literal).
    Execute,
    /// Runs code that is made at run time.
    Evaluate,
    /// Talks to the network.
    Network,
    /// Ends processes or the system.
    Signal,
    /// Hands a statement to a database.
    Query,
}
