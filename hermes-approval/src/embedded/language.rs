//! The languages whose code is looked through, and how they differ where it matters.

/// A language of embedded code, or a family whose members write calls alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    AppleScript,
    Awk,
    /// Elixir and Erlang.
    Beam,
    Gnuplot,
    Haskell,
    JavaScript,
    Julia,
    /// Groovy, Java, Kotlin, Scala.
    Jvm,
    /// Scheme, Common Lisp, Clojure.
    Lisp,
    Lua,
    /// Octave and Matlab.
    Matlab,
    Ocaml,
    /// Perl and Raku.
    Perl,
    Php,
    Python,
    R,
    Ruby,
    Swift,
    Tcl,
}

impl Language {
    /// The name under which what it runs is wrapped.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AppleScript => "applescript",
            Self::Awk => "awk",
            Self::Beam => "elixir",
            Self::Gnuplot => "gnuplot",
            Self::Haskell => "haskell",
            Self::JavaScript => "javascript",
            Self::Julia => "julia",
            Self::Jvm => "java",
            Self::Lisp => "lisp",
            Self::Lua => "lua",
            Self::Matlab => "octave",
            Self::Ocaml => "ocaml",
            Self::Perl => "perl",
            Self::Php => "php",
            Self::Python => "python",
            Self::R => "R",
            Self::Ruby => "ruby",
            Self::Swift => "swift",
            Self::Tcl => "tcl",
        }
    }

    /// Its letter in the table of calls.
    pub(super) fn letter(self) -> char {
        match self {
            Self::AppleScript => 'O',
            Self::Awk => 'A',
            Self::Beam => 'E',
            Self::Gnuplot => 'N',
            Self::Haskell => 'K',
            Self::JavaScript => 'J',
            Self::Julia => 'I',
            Self::Jvm => 'G',
            Self::Lisp => 'C',
            Self::Lua => 'U',
            Self::Matlab => 'V',
            Self::Ocaml => 'M',
            Self::Perl => 'L',
            Self::Php => 'H',
            Self::Python => 'P',
            Self::R => 'S',
            Self::Ruby => 'R',
            Self::Swift => 'W',
            Self::Tcl => 'T',
        }
    }

    /// Calls may do without parentheses: `system "ls"`.
    pub(super) fn bare_calls(self) -> bool {
        matches!(
            self,
            Self::Perl
                | Self::Ruby
                | Self::Tcl
                | Self::AppleScript
                | Self::Lua
                | Self::Php
                | Self::Beam
                | Self::Gnuplot
                | Self::Haskell
                | Self::Ocaml
        )
    }

    /// `` `…` `` runs a command.
    pub(super) fn backticks_run(self) -> bool {
        matches!(
            self,
            Self::Perl | Self::Ruby | Self::Php | Self::Julia | Self::Gnuplot
        )
    }

    /// The sign, if a line that starts with it is a command for the shell.
    pub(super) fn escape(self) -> Option<char> {
        match self {
            // IPython; in plain Python no line can start so.
            Self::Python | Self::Gnuplot | Self::Matlab => Some('!'),
            _ => None,
        }
    }

    /// What starts a comment that ends with its line.
    pub(super) fn comment(self) -> Option<&'static str> {
        match self {
            Self::JavaScript | Self::Jvm | Self::Swift => Some("//"),
            Self::Lua | Self::AppleScript | Self::Haskell => Some("--"),
            Self::Lisp => Some(";"),
            Self::Ocaml => None,
            _ => Some("#"),
        }
    }

    /// True if a name may go on with this.
    pub(super) fn is_name(self, c: char) -> bool {
        match c {
            '_' | '.' | '!' => true,
            ':' => matches!(
                self,
                Self::Perl | Self::Ruby | Self::Php | Self::Beam | Self::Lisp | Self::Jvm
            ),
            '-' | '*' | '/' | '?' => self == Self::Lisp,
            _ => c.is_alphanumeric(),
        }
    }

    /// `'` is an accent, a quotation of a list, or nothing, but no quote.
    pub(super) fn single_quote_is_sign(self) -> bool {
        matches!(
            self,
            Self::AppleScript | Self::Awk | Self::Lisp | Self::Haskell | Self::Ocaml
        )
    }

    /// A list is written like a call, or is a call.
    pub(super) fn lists_are_calls(self) -> bool {
        matches!(self, Self::R | Self::Lisp | Self::Jvm)
    }
}
