//! What an error says to people: what is wrong, and what to do next.

use crate::display::{one_line, readable};
use crate::{Error, HomeSource, ProfileName};

impl Error {
    /// What is wrong, in one line.
    pub fn problem(&self) -> String {
        match self {
            Self::NoUserHome { wanted } => {
                format!("your home directory is unknown, and {wanted} depends on it")
            }
            Self::NoCurrentDir { path, origin } => format!(
                "{origin} is the relative path {}, and there is no current directory",
                readable(path)
            ),
            Self::UnknownUser { value, origin } => {
                let value = one_line(&value.to_string_lossy());
                format!("{origin} is {value}, and the home of another user is not looked up")
            }
            Self::NulInPath { origin } => format!("{origin} holds a NUL character"),
            Self::EmptyFlag { flag } => format!("{flag} was given an empty value"),
            Self::HomeAndProfile => "--home and --profile exclude each other".to_owned(),
            Self::NotADirectory {
                path,
                target,
                origin,
            } => {
                let target = target
                    .as_deref()
                    .map(|target| format!(" (a link to {})", readable(target)))
                    .unwrap_or_default();
                format!("{origin}: {}{target} is not a directory", readable(path))
            }
            Self::DanglingLink {
                link,
                target,
                origin,
            } => format!(
                "{origin}: {} is a link to {}, which does not exist",
                readable(link),
                readable(target)
            ),
            Self::LinkLoop {
                link,
                target,
                origin,
            } => format!(
                "{origin}: {} is a link to {} that leads nowhere but back to links",
                readable(link),
                readable(target)
            ),
            Self::InvalidProfileName { name, problem } => {
                format!("{:?} cannot be a profile name: {problem}", beginning(name))
            }
            Self::ProfileNotFound { name, root, .. } => {
                format!("there is no profile \"{name}\" in {}", readable(root))
            }
            Self::ActiveProfileMissing { name, file, .. } => format!(
                "{} names the profile \"{name}\", which does not exist",
                readable(file)
            ),
            Self::ReservedProfileName { name } => {
                format!("no new profile can be called \"{name}\": the name is reserved")
            }
            Self::ProfileExists { name, path } => {
                format!("there already is a profile \"{name}\": {}", readable(path))
            }
            Self::DefaultProfile { action } => {
                format!("cannot {action} the profile \"default\": it is the root of the others")
            }
            Self::ProfileActive { name } => format!("\"{name}\" is the active profile"),
            Self::ProfileRunning {
                name,
                action,
                processes,
            } => format!(
                "cannot {action} \"{name}\": {} its files open",
                held_by(processes)
            ),
            Self::LinkLeadsOut { link, target } => format!(
                "{} is a link to {}, which is outside of the profile",
                readable(link),
                readable(target)
            ),
            Self::NotAFile { path } => format!("{} is not a file", readable(path)),
            Self::FileExists { path } => format!("{} already exists", readable(path)),
            Self::Archive {
                path,
                member,
                problem,
            } => match member {
                Some(member) => format!(
                    "{} cannot be imported: {}: {problem}",
                    readable(path),
                    one_line(&beginning(member))
                ),
                None => format!("{} cannot be imported: {problem}", readable(path)),
            },
            Self::Snapshot { path, source } => format!(
                "no snapshot of {}: {}",
                readable(path),
                one_line(&source.to_string())
            ),
            Self::NotOurs {
                action,
                path,
                owned,
                owner,
                source,
            } => format!(
                "cannot {action} {}: {source} ({} belongs to {owner})",
                readable(path),
                readable(owned)
            ),
            Self::HomeIncomplete {
                home,
                missing,
                source,
            } => format!(
                "{} lacks {}: {}",
                readable(home),
                missing.join(", "),
                source.problem()
            ),
            Self::ForeignPlatform => {
                "the rules of another platform were asked for, and files are those of this one"
                    .to_owned()
            }
            Self::LiveSystemGuard(refusal) => refusal.problem(),
            Self::Io {
                action,
                path,
                source,
            } => format!("cannot {action} {}: {source}", readable(path)),
        }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> String {
        match self {
            Self::NoUserHome { .. } => {
                "set HOME (USERPROFILE on Windows), or HERMES_HOME to an absolute path".to_owned()
            }
            Self::NoCurrentDir { .. } => "give an absolute path".to_owned(),
            Self::UnknownUser { .. } => {
                "write the path in full, or ./~name for a folder of that name".to_owned()
            }
            Self::NulInPath { .. } => "give a path without it".to_owned(),
            Self::EmptyFlag { flag } => {
                format!("give {flag} a value, or leave it out (is a variable unset?)")
            }
            Self::HomeAndProfile => "give one of them".to_owned(),
            Self::NotADirectory { origin, .. } => match origin {
                HomeSource::Platform => {
                    "move it out of the way, or set HERMES_HOME to a directory".to_owned()
                }
                HomeSource::DbFlag => "name a file in a directory".to_owned(),
                _ => format!("let {origin} name a directory; it need not exist yet"),
            },
            Self::DanglingLink { .. } => {
                "make the directory that it leads to (is a disk not mounted?), or remove the link"
                    .to_owned()
            }
            Self::LinkLoop { .. } => "remove the link, or let it lead to a directory".to_owned(),
            Self::InvalidProfileName { .. } => format!(
                "use 1 to {} of a-z, 0-9, - and _, beginning with a letter or digit",
                ProfileName::MAX_LENGTH
            ),
            Self::ProfileNotFound {
                name, available, ..
            } => format!(
                "{}; make it with: hermes profile create {name}",
                existing(available)
            ),
            Self::ActiveProfileMissing {
                file, available, ..
            } => format!(
                "{}; write one of them into the file, or delete it to use the default: {}",
                existing(available),
                readable(file)
            ),
            Self::ReservedProfileName { .. } => "choose another name".to_owned(),
            Self::ProfileExists { .. } => {
                "choose another name, or delete or rename that one first".to_owned()
            }
            Self::DefaultProfile { .. } => "name another profile".to_owned(),
            Self::ProfileActive { .. } => {
                "use another profile first, or say that the active one is meant".to_owned()
            }
            Self::ProfileRunning { .. } => {
                "stop them first, or say that it is to be done all the same".to_owned()
            }
            Self::LinkLeadsOut { .. } => {
                "put a copy of the file in place of the link, or leave it out".to_owned()
            }
            Self::NotAFile { .. } => "move it out of the way".to_owned(),
            Self::FileExists { .. } => {
                "name another file, or say that it may be replaced".to_owned()
            }
            Self::Archive { problem, .. } => problem.hint(),
            Self::Snapshot { .. } => "leave the session store out, or try again".to_owned(),
            Self::NotOurs { owner, .. } => {
                format!("run this as {owner}, or have the file given to you (chown)")
            }
            Self::HomeIncomplete { .. } => {
                "make them, or let the home be writable; commands that only read work".to_owned()
            }
            Self::ForeignPlatform => "use Platform::host()".to_owned(),
            Self::LiveSystemGuard(refusal) => refusal.hint().to_owned(),
            Self::Io { .. } => "check who may read it, or name another home".to_owned(),
        }
    }
}

/// How many profiles a message names, and how much of a bad name it repeats.
const NAMES_SHOWN: usize = 20;
const CHARS_SHOWN: usize = 80;
const PROCESSES_SHOWN: usize = 5;

fn existing(available: &[ProfileName]) -> String {
    let mut text = String::from("these exist: default");
    for name in available.iter().take(NAMES_SHOWN) {
        text.push_str(", ");
        text.push_str(name.as_str());
    }
    match available.len().checked_sub(NAMES_SHOWN) {
        None | Some(0) => text,
        Some(more) => format!("{text} and {more} more"),
    }
}

fn beginning(name: &str) -> String {
    match name.char_indices().nth(CHARS_SHOWN) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
    }
}

/// Names some of the processes that hold files.
fn held_by(processes: &[crate::RunningProcess]) -> String {
    let mut names: Vec<String> = processes
        .iter()
        .take(PROCESSES_SHOWN)
        .map(|one| one.to_string())
        .collect();
    if let Some(more @ 1..) = processes.len().checked_sub(PROCESSES_SHOWN) {
        names.push(format!("{more} more"));
    }
    let has = if processes.len() == 1 { "has" } else { "have" };
    format!("{} {has}", names.join(", "))
}
