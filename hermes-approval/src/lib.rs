//! Knows a dangerous shell command when it sees one, says why, and asks well.
//!
//! ```
//! use hermes_approval::{AnalysisEnv, Decision, Platform, assess};
//!
//! let env = AnalysisEnv::new("/home/sam");
//! let verdict = assess("cd /srv && timeout 5 rm -rf app", &env, Platform::Posix);
//! assert_eq!(verdict.decision, Decision::Ask);
//! assert_eq!(verdict.rule, Some("fs.recursive-delete"));
//! assert_eq!(verdict.span.unwrap().of("cd /srv && timeout 5 rm -rf app"), "rm -rf app");
//!
//! // Text that merely mentions a command is data; what runs it is looked through.
//! assert_eq!(assess("echo 'rm -rf /'", &env, Platform::Posix).decision, Decision::Allow);
//! assert_eq!(assess("sh -c 'rm -rf /'", &env, Platform::Posix).decision, Decision::Block);
//! ```
//!
//! # What there is
//!
//! | to … | use |
//! |---|---|
//! | judge a command | [`assess`]; [`detect_dangerous_command`] for the key alone |
//! | know what a text runs | [`analyse`]: programs with resolved words, wrappers, pipes, redirections |
//! | look at the rules | [`all_rules`], [`find_rule`], [`packs`]; [`DANGEROUS_PATTERNS`] for the keys of Hermes |
//! | decide whether a command may run, and ask | [`Approver`], with a [`Policy`] and a [`Situation`] |
//! | have the entry points of the Python Hermes | [`check_all_command_guards`], [`check_dangerous_command`] |
//! | ask a person | [`prompt`] at a terminal, [`gateway`] in a messenger, [`Callback`] for a function, [`Asker`] for anything else |
//! | ask a model first | [`Adviser`]; with the feature `smart`, `smart::Model` |
//! | let another program look, too | [`scanner`] |
//! | remember what was granted | [`grants`], and [`allowlist`] for `command_allowlist` in `config.yaml` |
//! | be told, or keep a record | [`Hook`], [`audit`] |
//! | show commands without their secrets | [`redact`] |
//! | measure it | [`corpus`] |
//!
//! # Why it is like this
//!
//! **Words, not text.** A pattern over the text finds `rm -rf /` in a commit message and misses it in
//! `X=rm; $X -r -f "/"`. So a text is scanned once, as a shell would, into commands whose words are
//! resolved as far as the text alone tells; rules look at those. Quoted text, comments and
//! here-documents of programs that do not run them are never a finding.
//!
//! **What is not understood is asked.** The scan never fails and has limits of depth and work, in
//! proportion to the text. Where it stops, or a text is not well formed, or a program's name is known
//! only when it runs, the [`Coverage`] says so and the verdict is to ask. It is not to block: a quote
//! that was left open is a slip, not an attack.
//!
//! **The floor has no key.** What cannot be put right (the file system, a disk, the whole home, the
//! running system) is blocked, and so is what a person's own list forbids. No grant, mode, model or
//! yolo is looked at before these are, so none can loosen them. Only a backend from which this
//! machine cannot be reached is outside of the floor.
//!
//! **Asking is loosened only by a grant that somebody gave**, and each shows what it would cover
//! before it is given. An answer that was not offered means the most that was. A time-out, a closed
//! terminal, an asker that fails: no.
//!
//! **Nobody there is a case of its own.** The Python Hermes runs a flagged command when it has nobody
//! to ask. Here that is a setting, the default is to deny, and each [`Outcome`] says what was
//! applied.
//!
//! **Facts are handed in.** Homes, directory, who is there, which backend: all of it is in the
//! [`Situation`]. The library reads no environment, so that a server can decide for many people at
//! once, and a test for any of them.
//!
//! **Keys are shared with Python.** A finding has the approval keys that the Python Hermes gives it,
//! older names included ([`keys`]), so that one `command_allowlist` serves both.
//!
//! **It works on text.** A folder grant goes by the paths that a command names, and not by where
//! links on the disk lead; a file that a script is in is not opened. What must hold against
//! someone who means harm belongs into a sandbox.

#![forbid(unsafe_code)]

pub mod allowlist;
mod analysis;
mod answer;
mod asker;
pub mod audit;
mod callback;
mod carriers;
mod choice;
pub mod corpus;
mod coverage;
mod decoders;
mod detect;
mod dialect;
mod display;
mod effect;
mod embedded;
mod environment;
mod error;
mod explain;
mod find;
mod flow;
pub mod gateway;
pub mod grammar;
pub mod grants;
mod guards;
mod hardline;
pub mod hooks;
mod invocation;
pub mod keys;
mod kill_point;
mod locked_file;
mod look;
mod marks;
mod message;
mod name_index;
mod normalise;
mod output;
mod paths;
mod patterns;
mod plain_file;
mod platform;
mod policy;
pub mod prompt;
pub mod redact;
mod removal;
mod request;
mod resolved;
mod rule;
mod rules;
mod scan;
pub mod scanner;
mod schema_json;
mod signals;
mod situation;
#[cfg(feature = "smart")]
pub mod smart;
mod span;
mod uncertain;
mod unwrap;
mod verdict;
mod walk;
mod windows;
mod word;
mod writing;

pub use analysis::{Analysis, analyse};
pub use answer::{Answer, AnsweredBy};
pub use asker::Asker;
#[cfg(feature = "tokio")]
pub use asker::{Answering, AsyncAsker, OnThread};
pub use callback::Callback;
pub use choice::Choice;
pub use coverage::{Coverage, Gap, Hole, Limit};
pub use detect::{Detection, assess, detect_dangerous_command, detect_in, judge};
pub use effect::{Effect, EffectKind};
pub use environment::AnalysisEnv;
pub use error::{Error, Result};
pub use explain::explain;
pub use flow::{Advice, Adviser, Approver, Builder, GuardResult, Headless, Outcome, Stage};
pub use guards::{check_all_command_guards, check_dangerous_command};
pub use hooks::{Hook, Hooks, Surface};
pub use invocation::{
    Args, Assignment, Context, Directory, Function, Host, Invocation, InvocationId, Pipeline,
    PipelineId, Redirect, RedirectOperator, Source, Stdin, Substitution, SubstitutionId,
    SubstitutionKind, Wrapper, WrapperKind, Wrappers,
};
pub use look::{Look, Scope, Sub};
pub use normalise::{Hidden, HiddenKind, Normalised, normalise};
pub use paths::{Place, Target, Tree};
pub use patterns::{DANGEROUS_PATTERNS, Pattern};
pub use platform::Platform;
pub use policy::{
    AskWithoutHuman, CronMode, Mode, OnTimeout, Policy, PolicyWarning, ScannerPolicy, SmartPolicy,
};
pub use request::{ApprovalRequest, RawCommand};
pub use rule::{Help, Hit, Key, Pack, Releases, Rule, RuleEffect, Severity, Test};
pub use rules::{all as all_rules, find as find_rule, packs};
pub use schema_json::VERDICT_SCHEMA;
pub use situation::{Backend, CommandRequest, Situation};
pub use span::Span;
pub use verdict::{Decision, Finding, Layer, Verdict};
pub use windows::cmdlet;
pub use word::{Certainty, Part, PartKind, Quoted, Quoting, Unknown, Word};

/// The README's examples are compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
