//! The second meaning of an entry: the text of a command, or a glob for it.

/// Whether a command does more than its first words say, as the reference sees it: it looks at the
/// bare text, quotes or not.
pub fn has_shell_operator(command: &str) -> bool {
    command.contains(['\n', ';', '&', '|', '<', '>', '`']) || command.contains("$(")
}

/// Whether `entry` covers `command`; both are trimmed.
pub(super) fn covers(entry: &str, command: &str) -> bool {
    entry == command || (entry.contains(['*', '?', '[']) && matches_glob(entry, command))
}

/// One step of a glob.
enum Step {
    One(char),
    AnyOne,
    AnyRun,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Step {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::One(own) => *own == c,
            Self::AnyOne => true,
            Self::AnyRun => false,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
            }
        }
    }
}

/// Whether a glob matches the whole text, in the manner of Python's `fnmatch`: `*` crosses spaces,
/// slashes and line ends, `?` is one character, `[a-c]` and `[!a-c]` are sets, nothing escapes, a
/// `[` without its end is itself, and case counts.
pub fn matches_glob(glob: &str, text: &str) -> bool {
    let steps = steps(glob);
    let text: Vec<char> = text.chars().collect();
    let (mut step, mut at) = (0, 0);
    // Where to go on from when the rest fails: only the last `*` need take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while let Some(&c) = text.get(at) {
        match steps.get(step) {
            Some(Step::AnyRun) => {
                retry = Some((step + 1, at));
                step += 1;
                continue;
            }
            Some(one) if one.takes(c) => {
                step += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = retry else {
            return false;
        };
        retry = Some((after, from + 1));
        step = after;
        at = from + 1;
    }
    steps
        .iter()
        .skip(step)
        .all(|rest| matches!(rest, Step::AnyRun))
}

fn steps(glob: &str) -> Vec<Step> {
    let glob: Vec<char> = glob.chars().collect();
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(&c) = glob.get(at) {
        at += 1;
        match c {
            '*' => {
                if !matches!(steps.last(), Some(Step::AnyRun)) {
                    steps.push(Step::AnyRun);
                }
            }
            '?' => steps.push(Step::AnyOne),
            '[' => match set(glob.get(at..).unwrap_or_default()) {
                Some((set, used)) => {
                    steps.push(set);
                    at += used;
                }
                None => steps.push(Step::One('[')),
            },
            other => steps.push(Step::One(other)),
        }
    }
    steps
}

/// The set that begins after a `[`, and how many characters it takes with its end.
fn set(rest: &[char]) -> Option<(Step, usize)> {
    let negated = rest.first() == Some(&'!');
    let start = usize::from(negated);
    // A `]` in the first place is a member.
    let end = rest
        .iter()
        .enumerate()
        .skip(start + 1)
        .find_map(|(at, c)| (*c == ']').then_some(at))?;
    let mut members = rest.get(start..end)?;
    let mut ranges = Vec::new();
    while let Some((first, others)) = members.split_first() {
        if let ['-', last, others @ ..] = others {
            // A range that runs backwards holds nothing.
            ranges.push((*first, *last));
            members = others;
        } else {
            ranges.push((*first, *first));
            members = others;
        }
    }
    Some((Step::Set { negated, ranges }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was tried on Hermes Agent 0.19.0.
    #[test]
    fn an_entry_covers_what_it_covers_in_the_reference() {
        for (entry, command, covered) in [
            ("ls", "ls", true),
            ("ls*", "LS", false),
            ("l?", "ls", true),
            ("a[!b]c", "axc", true),
            ("a[!b]c", "abc", false),
            ("a[b", "a[b", true),
            ("[]]x", "]x", true),
            ("a[z-a]b", "azb", false),
            ("git *", "git a/b", true),
            ("git *", "git $x", true),
            ("a\\*", "a*", false),
            ("x [a-c]*", "x b/c", true),
            ("*", "rm -rf /", true),
        ] {
            assert_eq!(covers(entry, command), covered, "{entry} {command}");
        }
    }

    #[test]
    fn a_star_crosses_line_ends_and_takes_nothing_too() {
        assert!(matches_glob("a*b*c", "a\n/b//bc"));
        assert!(matches_glob("a*", "a"));
        assert!(!matches_glob("a*b", "a"));
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let glob = "*a".repeat(200);
        assert!(!matches_glob(&glob, &format!("{}b", "a".repeat(5_000))));
    }

    #[test]
    fn operators_are_seen_inside_of_quotes_too() {
        for command in [
            "a && b",
            "echo \"a;b\"",
            "a\nb",
            "a `b`",
            "a $(b)",
            "a > b",
            "a \\; b",
        ] {
            assert!(has_shell_operator(command), "{command}");
        }
        for command in ["git log", "echo $x", "a (b)"] {
            assert!(!has_shell_operator(command), "{command}");
        }
    }
}
