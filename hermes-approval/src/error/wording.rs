//! What an error says to people: what is wrong, and what to do next.

use crate::Error;

impl Error {
    /// What is wrong, in one line.
    pub fn problem(&self) -> String {
        match self {
            Self::Io {
                action,
                path,
                source,
            } => format!("cannot {action} {}: {source}", path.display()),
            Self::NoFolder { path, folder } => format!(
                "{} cannot be written: there is no folder {}",
                path.display(),
                folder.display()
            ),
            Self::NotAFile { path, found } => {
                format!("{} is {found}, and has to be a file", path.display())
            }
            Self::Locked { path, waited } => format!(
                "another process has held {} for {:.1} s",
                path.display(),
                waited.as_secs_f64()
            ),
            Self::ReadOnly { path } => format!("{} is marked read-only", path.display()),
            Self::DanglingLink { link, target } => format!(
                "{} is a link to {}, which does not exist",
                link.display(),
                target.display()
            ),
            Self::Contended { path, tries } => format!(
                "{} was changed by another program at each of {tries} tries to write it",
                path.display()
            ),
            Self::TooLarge { path, found, limit } => format!(
                "{} has {found} bytes, and no more than {limit} are read",
                path.display()
            ),
            Self::NotUtf8 { path } => format!("{} is not UTF-8 text", path.display()),
            Self::Yaml {
                path,
                line,
                column,
                problem,
            } => format!("{}:{line}:{column} is not YAML: {problem}", path.display()),
            Self::SeveralDocuments { path, line } => {
                format!("{}:{line} begins a second YAML document", path.display())
            }
            Self::WrongShape {
                path,
                line,
                what,
                found,
            } => format!("{}:{line}: {what} is {found}", path.display()),
            Self::DuplicateAllowlist {
                path,
                first,
                second,
            } => format!(
                "{} has command_allowlist twice, in the lines {first} and {second}",
                path.display()
            ),
            Self::SharedAllowlist { path, line, how } => format!(
                "{}:{line}: command_allowlist is {how}, so that it cannot be changed by itself",
                path.display()
            ),
            Self::EditRefused { path, problem } => format!(
                "a change of command_allowlist in {} was not made, since {problem}",
                path.display()
            ),
            Self::BadEntry { problem } => {
                format!("the allowlist cannot hold this entry: {problem}")
            }
            Self::BadGrants { path, problem } => {
                format!(
                    "{} holds no grants that we understand: {problem}",
                    path.display()
                )
            }
            Self::BadSetting {
                setting,
                found,
                wanted,
            } => format!("{setting} is {found}, and has to be {wanted}"),
            Self::Model { problem } => format!("the auxiliary model gave no answer: {problem}"),
        }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check that it exists and that you may use it",
            Self::NoFolder { .. } => "make the folder first, or name another one",
            Self::NotAFile { .. } => "move it away; it was neither read nor written",
            Self::Locked { .. } => "try again when the other program is done",
            Self::ReadOnly { .. } => {
                "make it writable, or change it where it comes from; nothing was written"
            }
            Self::DanglingLink { .. } => "make the target, or remove the link",
            Self::Contended { .. } => "close the other program, and try again",
            Self::TooLarge { .. } => "check that this is the right file",
            Self::NotUtf8 { .. } => "save it as UTF-8; nothing was written",
            Self::Yaml { .. } => {
                "correct the line; nothing is written to a file that does not parse"
            }
            Self::SeveralDocuments { .. } => "keep one document; nothing was written",
            Self::WrongShape { what, .. } => match *what {
                "command_allowlist" => "write it as a list: one entry a line, after \"- \"",
                _ => "write it as a mapping: \"name: value\" lines",
            },
            Self::DuplicateAllowlist { .. } => "join the two by hand: only one of them would count",
            Self::SharedAllowlist { .. } => {
                "change it by hand, or give command_allowlist a list of its own"
            }
            Self::EditRefused { .. } => "change the list by hand; the file is as it was",
            Self::BadEntry { .. } => "give a key, a command, or a pattern for commands",
            Self::BadGrants { .. } => "move the file away, and grant anew; it was not changed",
            Self::BadSetting { .. } => {
                "correct it in config.yaml: what it forbids must not be guessed"
            }
            Self::Model { .. } => "a person has to decide",
        }
    }
}
