//! Which command language a text is written in.

/// The command language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Platform {
    /// A POSIX shell (bash, sh, zsh, …).
    #[default]
    Posix,
    /// The command interpreter of Windows (`cmd.exe`).
    Cmd,
    /// PowerShell, old or new.
    PowerShell,
}

impl Platform {
    /// True if names of programs and files don't depend on case there.
    pub fn ignores_case(self) -> bool {
        self != Self::Posix
    }

    /// A word for it, as options and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posix => "posix",
            Self::Cmd => "cmd",
            Self::PowerShell => "powershell",
        }
    }
}
