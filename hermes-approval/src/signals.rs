//! Which signal is sent to whom.

use crate::look::Look;
use crate::word::Word;

/// A call of `kill`, read by its grammar.
#[derive(Debug)]
pub(crate) struct Kill<'a> {
    /// The signal, as written and without its dash; none: TERM.
    pub(crate) signal: Option<&'a str>,
    /// Numbers of processes and jobs.
    pub(crate) pids: &'a [Word],
}

impl Kill<'_> {
    /// True for signals that a process can't refuse.
    pub(crate) fn is_forced(&self) -> bool {
        self.signal.is_some_and(is_forced)
    }
}

/// Reads the arguments of `kill`; none if it only lists, or only asks whether a process is there.
pub(crate) fn kill<'a>(look: &Look<'a>) -> Option<Kill<'a>> {
    let words = look.words();
    let first = words.first()?;
    let text = first.known_prefix();
    if matches!(
        text,
        "-l" | "-L" | "-V" | "--list" | "--table" | "--version"
    ) {
        return None;
    }
    let (signal, skip) = match text {
        "-s" | "-n" | "--signal" => (look.word(1), 2),
        "--" => (None, 0),
        _ => match text.strip_prefix("--signal=").or(text.strip_prefix('-')) {
            Some(signal) => (Some(signal), 1),
            None => (None, 0),
        },
    };
    if signal == Some("0") {
        return None;
    }
    let rest = words.get(skip..).unwrap_or(&[]);
    let pids = match rest.split_first() {
        Some((dashes, rest)) if dashes.known() == Some("--") => rest,
        _ => rest,
    };
    Some(Kill { signal, pids })
}

/// `9`, `KILL`, `SIGKILL`, and what stops a process.
pub(crate) fn is_forced(signal: &str) -> bool {
    let upper = signal.to_ascii_uppercase();
    matches!(upper.trim_start_matches("SIG"), "9" | "KILL")
}

/// `pkill` and `killall` that only list or only look.
pub(crate) fn is_harmless(look: &Look<'_>) -> bool {
    let first = look.word(0).unwrap_or("");
    matches!(first, "-l" | "--list" | "-V" | "--version" | "-0")
        || matches!(look.value('s', "signal"), Some("0"))
}

/// The signal of `pkill` and `killall`: `-9`, `-KILL`, `-SIGKILL`, `-s KILL`, `--signal KILL`.
pub(crate) fn named_signal<'a>(look: &Look<'a>) -> Option<&'a str> {
    if let Some(signal) = look.value('s', "signal") {
        return Some(signal);
    }
    look.words().iter().find_map(|w| {
        let signal = w.known()?.strip_prefix('-')?;
        is_signal(signal).then_some(signal)
    })
}

fn is_signal(text: &str) -> bool {
    let name = text.strip_prefix("SIG").unwrap_or(text);
    !name.is_empty() && (name.bytes().all(|b| b.is_ascii_digit()) || NAMES.contains(&name))
}

const NAMES: &[&str] = &[
    "HUP", "INT", "QUIT", "KILL", "TERM", "STOP", "TSTP", "CONT", "USR1", "USR2", "ABRT", "SEGV",
    "PIPE", "ALRM", "CHLD", "WINCH",
];
