//! A rule: what it looks for, why, what to do instead, and the examples that prove it.

use std::borrow::Cow;

use serde::Serialize;

use crate::look::{Look, Scope};
use crate::platform::Platform;
use crate::span::Span;

/// How bad it is if a command that a rule finds is run by mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A nuisance, put right in a minute.
    Low,
    /// Work is lost or a service stands still; can be put right.
    Medium,
    /// Data, access or control of a part is lost.
    High,
    /// The system, the whole home or an account is lost.
    Critical,
}

impl Severity {
    /// Its word in options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a rule that fires leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Somebody is asked.
    Ask,
    /// A password for `sudo` comes from the text: blocked where no password is configured, which
    /// the flow knows; asked otherwise.
    SudoGuard,
    /// Blocked, whatever was granted.
    Hardline,
}

/// Which releases of the Python Hermes have an approval key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Releases {
    /// 0.13 and 0.19.
    Both,
    /// 0.13; renamed or gone in 0.19.
    Only13,
    /// From 0.19 on.
    From19,
    /// None: the key is ours.
    Ours,
}

impl Releases {
    /// The release that brought the key.
    pub fn since(self) -> &'static str {
        match self {
            Self::Both | Self::Only13 => "0.13",
            Self::From19 => "0.19",
            Self::Ours => "ours",
        }
    }

    /// The release that no longer has it.
    pub fn until(self) -> Option<&'static str> {
        (self == Self::Only13).then_some("0.19")
    }
}

/// The key that an approval is stored under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Key {
    /// Its text, as it stands in `command_allowlist`.
    pub text: &'static str,
    /// Who has it.
    pub releases: Releases,
}

impl Key {
    /// A key that 0.13 and 0.19 have.
    pub const fn both(text: &'static str) -> Self {
        Self {
            text,
            releases: Releases::Both,
        }
    }

    /// A key that only 0.13 has.
    pub const fn only13(text: &'static str) -> Self {
        Self {
            text,
            releases: Releases::Only13,
        }
    }

    /// A key that came with 0.19.
    pub const fn from19(text: &'static str) -> Self {
        Self {
            text,
            releases: Releases::From19,
        }
    }

    /// A key of ours.
    pub const fn ours(text: &'static str) -> Self {
        Self {
            text,
            releases: Releases::Ours,
        }
    }
}

/// A rule. Static data and one function.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `pack.name`, as in `git.reset-hard`.
    pub id: &'static str,
    /// The class of commands it belongs to, in the corpus' words.
    pub class: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it leads to.
    pub effect: RuleEffect,
    /// What an approval is stored under; for a key that 0.19 renamed both, the newer first.
    pub keys: &'static [Key],
    /// Other keys whose approval covers this rule, too.
    pub accepts: &'static [Key],
    /// Why, in one sentence.
    pub reason: &'static str,
    /// What to do instead; commands stand between backticks.
    pub alternative: Option<&'static str>,
    /// Where it applies.
    pub platforms: &'static [Platform],
    /// What asking a command for its help or its version does to the rule.
    pub help: Help,
    /// What it is run on, and the test itself.
    pub test: Test,
    /// Commands that it flags.
    pub matches: &'static [&'static str],
    /// Commands that look alike and that it leaves alone.
    pub near_misses: &'static [&'static str],
    /// Commands that look alike and that no rule flags.
    pub safe: &'static [&'static str],
}

/// Where a request for help makes a command harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Help {
    /// In front of the operands: tools that stop reading options there exist.
    Leading,
    /// Anywhere before `--`: tools with subcommands.
    Anywhere,
    /// Nowhere.
    Never,
}

/// What a rule is run on.
#[derive(Debug, Clone, Copy)]
pub enum Test {
    /// Each invocation of one of these programs. `python*` is `python` with any version behind it,
    /// `mkfs.*` anything behind the dot. Names are written in small letters for the command
    /// languages of Windows; a PowerShell alias counts as its cmdlet (`remove-item`).
    Program(&'static [&'static str], fn(&Look<'_>) -> Option<Hit>),
    /// Each invocation with a redirection that writes.
    Redirect(fn(&Look<'_>) -> Option<Hit>),
    /// Each invocation in whose embedded code something was found.
    Code(fn(&Look<'_>) -> Option<Hit>),
    /// Each invocation; must be quick.
    Any(fn(&Look<'_>) -> Option<Hit>),
    /// The text as a whole, once; must be quick.
    Whole(fn(&Scope<'_>) -> Option<Hit>),
}

impl Rule {
    /// What most rules have in common: asked, everywhere, help is exempt in front of operands.
    pub const ASK: Self = Self {
        id: "",
        class: "",
        severity: Severity::Medium,
        effect: RuleEffect::Ask,
        keys: &[],
        accepts: &[],
        reason: "",
        alternative: None,
        platforms: &[Platform::Posix, Platform::Cmd, Platform::PowerShell],
        help: Help::Leading,
        test: Test::Program(&[], |_| None),
        matches: &[],
        near_misses: &[],
        safe: &[],
    };

    /// What hardline rules have in common.
    pub const HARDLINE: Self = Self {
        severity: Severity::Critical,
        effect: RuleEffect::Hardline,
        ..Self::ASK
    };

    /// The pack that it belongs to: its id up to the dot.
    pub fn pack(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }
}

/// Rules that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Pack {
    /// The first part of its rules' ids.
    pub name: &'static str,
    /// What it is about, in a line.
    pub about: &'static str,
    /// Its rules.
    pub rules: &'static [Rule],
}

/// What a rule found. What is not set comes from the rule and the invocation.
#[derive(Debug, Clone, Default)]
pub struct Hit {
    pub(crate) span: Option<Span>,
    pub(crate) resolved: Option<String>,
    pub(crate) keys: Option<&'static [Key]>,
    pub(crate) accepts: Option<&'static [Key]>,
    pub(crate) severity: Option<Severity>,
    pub(crate) reason: Option<Cow<'static, str>>,
}

impl Hit {
    /// The place that matters, if it isn't the whole invocation.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// What the command comes down to, if that isn't just its words.
    #[must_use]
    pub fn resolved(mut self, text: impl Into<String>) -> Self {
        self.resolved = Some(text.into());
        self
    }

    /// Other keys than the rule's.
    #[must_use]
    pub fn keys(mut self, keys: &'static [Key]) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Other accepted keys than the rule's.
    #[must_use]
    pub fn accepts(mut self, keys: &'static [Key]) -> Self {
        self.accepts = Some(keys);
        self
    }

    /// Another severity than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Another reason than the rule's.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
