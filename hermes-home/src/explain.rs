//! Each step of the order, what it found, and which one decided.

use std::fmt;
use std::path::Path;

use crate::active_profile::{self, ActiveProfile};
use crate::display::readable;
use crate::files::files_of;
use crate::resolve::{Resolver, overridden};
use crate::{Environment, HomeSource, ProfileName, Resolution, Result, Selection, profiles};

/// How a home was found, for people who wonder. Made by [`Selection::explain`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The steps in the order in which they count.
    pub steps: Vec<Step>,
    /// What came out.
    pub outcome: Result<Resolution>,
}

/// One step of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Which.
    pub source: HomeSource,
    /// What is there, for people: `not set`, `names coder`, a path.
    pub found: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It decided.
    Chosen,
    /// It was looked at, and decided nothing.
    PassedOver,
    /// Something before it had decided.
    NotAsked,
    /// It stopped the resolution with an error.
    Failed,
}

impl Verdict {
    /// A stable word for machines.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::PassedOver => "passed-over",
            Self::NotAsked => "not-asked",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Selection {
    /// Resolves, and tells of every step of the order what it found, whether it was asked or not.
    pub fn explain(&self, env: &Environment) -> Explanation {
        let resolver = Resolver::new(env, files_of(env.platform()));
        let outcome = self.resolve_with(&resolver);
        let mut steps: Vec<Step> = [
            (HomeSource::DbFlag, path_flag(self.db.as_deref())),
            (HomeSource::HomeFlag, path_flag(self.home.as_deref())),
            (
                HomeSource::ProfileFlag,
                self.profile.as_ref().map(|name| format!("{name:?}")),
            ),
            (HomeSource::Override, override_found()),
            (HomeSource::Env, variable(&resolver)),
            (HomeSource::ActiveProfile, active(&resolver)),
            (HomeSource::Platform, default_home(env)),
        ]
        .into_iter()
        .map(|(source, found)| Step {
            source,
            found: found.unwrap_or_else(|| absent(source).to_owned()),
            verdict: Verdict::PassedOver,
        })
        .collect();
        judge(&mut steps, deciding(&outcome, self, env), outcome.is_ok());
        Explanation { steps, outcome }
    }
}

/// The step that decided, or that stopped everything.
fn deciding(outcome: &Result<Resolution>, flags: &Selection, env: &Environment) -> HomeSource {
    use crate::Error;
    match outcome {
        Ok(found) => found.source,
        Err(Error::ActiveProfileMissing { .. }) => HomeSource::ActiveProfile,
        Err(
            Error::NotADirectory { origin, .. }
            | Error::DanglingLink { origin, .. }
            | Error::LinkLoop { origin, .. }
            | Error::NulInPath { origin }
            | Error::UnknownUser { origin, .. }
            | Error::NoCurrentDir { origin, .. },
        ) => *origin,
        Err(_) if flags.db.is_some() => HomeSource::DbFlag,
        Err(_) if flags.home.is_some() => HomeSource::HomeFlag,
        Err(_) if flags.profile.is_some() => HomeSource::ProfileFlag,
        Err(_) if env.hermes_home().is_some() => HomeSource::Env,
        Err(_) => HomeSource::Platform,
    }
}

/// A root that `HERMES_HOME` names decides only after `active_profile` was asked, so what stands
/// behind the deciding step is not always unasked.
fn judge(steps: &mut [Step], deciding: HomeSource, went_well: bool) {
    let mut decided = false;
    for step in steps {
        if step.source == deciding {
            decided = true;
            step.verdict = match went_well {
                true => Verdict::Chosen,
                false => Verdict::Failed,
            };
        } else if decided {
            let asked = deciding == HomeSource::Env && step.source == HomeSource::ActiveProfile;
            if !asked || step.found == NOT_FOLLOWED {
                step.verdict = Verdict::NotAsked;
            }
        }
    }
}

const NOT_FOLLOWED: &str = "not looked at: HERMES_HOME points at a profile";

fn path_flag(path: Option<&Path>) -> Option<String> {
    path.map(readable)
}

fn absent(source: HomeSource) -> &'static str {
    match source {
        HomeSource::DbFlag | HomeSource::HomeFlag | HomeSource::ProfileFlag => "not given",
        HomeSource::Override => "none here",
        HomeSource::Env => "not set",
        HomeSource::ActiveProfile => "no choice",
        HomeSource::Platform => "unknown",
    }
}

fn override_found() -> Option<String> {
    overridden().map(|found| readable(found.home.path()))
}

fn variable(resolver: &Resolver<'_>) -> Option<String> {
    let value = crate::expand::trimmed(resolver.env.hermes_home()?);
    if value.is_empty() {
        return Some("blank, which counts as not set".to_owned());
    }
    let shown = readable(Path::new(&value));
    Some(match resolver.process_home() {
        Ok(found) if found.place.is_root => format!("{shown}, a root"),
        Ok(found) => format!("{shown}, the profile {}", found.place.profile),
        Err(_) => shown,
    })
}

fn active(resolver: &Resolver<'_>) -> Option<String> {
    let found = resolver.process_home().ok()?;
    if !found.place.is_root {
        return Some(NOT_FOLLOWED.to_owned());
    }
    let root = found.place.root;
    match active_profile::read(resolver.files, &root) {
        ActiveProfile::NoChoice => None,
        ActiveProfile::Unusable(problem) => Some(format!("ignored: {problem}")),
        ActiveProfile::Named(name) => Some(named(resolver, &root, &name)),
    }
}

fn named(resolver: &Resolver<'_>, root: &crate::path_text::PathText, name: &ProfileName) -> String {
    let service = resolver.env.under_service_manager() && resolver.env.hermes_home().is_some();
    match profiles::exists(resolver.files, root, name) {
        Ok(false) => format!("names {name}, which does not exist"),
        _ if service => format!("names {name}, which a service does not follow"),
        _ => format!("names {name}"),
    }
}

fn default_home(env: &Environment) -> Option<String> {
    env.platform_default().ok().map(|path| readable(&path))
}
