//! Variables that hold secrets, and what a person typed before.

use super::super::secret_files::{is_secret_variable, looks_for_secret};
use crate::invocation::{Host, Invocation};
use crate::look::Look;
use crate::paths::Tree;
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

const ENVIRONMENT: Key = Key::ours("print the whole environment");

/// True if the invocation prints all variables.
pub(in super::super) fn dumps_environment(invocation: &Invocation) -> bool {
    let words = invocation.arguments();
    let only = |allowed: &[&str]| {
        words
            .iter()
            .all(|w| w.known().is_some_and(|t| allowed.contains(&t)))
    };
    match invocation.name() {
        Some("printenv" | "env") => only(&["-0", "--null"]),
        // `export A=b` has the assignment beside its words.
        Some("export") => invocation.assignments.is_empty() && only(&["-p"]),
        Some("declare" | "typeset") => {
            invocation.assignments.is_empty() && only(&["-p", "-x", "-px", "-xp"])
        }
        Some("set") => words.is_empty(),
        _ => false,
    }
}

fn is_filter(invocation: &Invocation) -> bool {
    matches!(
        invocation.name(),
        Some(
            "grep"
                | "egrep"
                | "rg"
                | "awk"
                | "sed"
                | "cut"
                | "wc"
                | "head"
                | "findstr"
                | "fgrep"
                | "ag"
        )
    )
}

fn pattern(invocation: &Invocation) -> Option<&Word> {
    invocation
        .arguments()
        .iter()
        .find(|w| !w.known_prefix().starts_with('-'))
}

pub(super) const DUMP: Rule = Rule {
    id: "secrets.environment",
    class: "secrets-read",
    severity: Severity::Low,
    keys: &[ENVIRONMENT],
    reason: "This prints every variable, those that hold tokens and passwords too.",
    alternative: Some("Print the one that is needed: `printenv PATH`."),
    test: Test::Program(
        &["printenv", "env", "export", "declare", "typeset"],
        |look| {
            let dumps = dumps_environment(look.invocation);
            let mut behind = look.downstream();
            let filtered = behind.any(is_filter);
            let shown = look.invocation.host != Host::Container && !look.is_taken();
            (dumps && !filtered && shown).then(|| look.hit())
        },
    ),
    matches: &[
        "printenv",
        "env",
        "env | sort",
        "export -p",
        "export",
        "declare -x",
        "printenv > /tmp/x",
    ],
    near_misses: &["printenv PATH", "env FOO=1 ls", "env | grep -i path"],
    safe: &[
        "printenv HOME",
        "env | grep -i path",
        "env -i ls",
        "env | wc -l",
        "declare -A m",
        "export X=1",
    ],
    ..Rule::ASK
};

pub(super) const SEARCH: Rule = Rule {
    id: "secrets.search",
    class: "secrets-read",
    severity: Severity::Medium,
    keys: &[Key::ours("search environment or history for secrets")],
    accepts: &[ENVIRONMENT],
    reason: "This prints tokens and passwords.",
    alternative: Some("Test whether it is set: `test -n \"$GITHUB_TOKEN\"`."),
    test: Test::Program(
        &[
            "grep", "egrep", "fgrep", "rg", "ag", "awk", "sed", "findstr",
        ],
        |look| {
            let pattern = pattern(look.invocation)?;
            let quiet = look.has('q', "quiet") || look.has('c', "count");
            if quiet || !looks_for_secret(pattern.text()) {
                return None;
            }
            let source = look.upstream().any(|i| {
                dumps_environment(i)
                    || matches!(i.name(), Some("history" | "fc"))
                        && !i.arguments().iter().any(|w| w.known() == Some("-c"))
                    || i.arguments().iter().any(is_history)
            });
            let mut files = look.words().iter().filter(|w| !std::ptr::eq(*w, pattern));
            let file = files.any(is_history);
            (source || file).then(|| look.hit())
        },
    ),
    matches: &[
        "set | grep -i token",
        "env | grep -i secret",
        "history | grep password",
        "grep -i passw ~/.bash_history",
        "cat ~/.bash_history | grep -i passw",
        "tail -500 ~/.psql_history | grep -i secret",
        "printenv | grep API_KEY",
    ],
    near_misses: &[
        "env | grep -i path",
        "history | grep git",
        "set | grep -q TOKEN",
        "grep -rn 'grep -i passw ~/.bash_history' src",
    ],
    safe: &[
        "history | grep git",
        "env | grep LANG",
        "grep -rn token src",
        "set | grep -i shell",
        "history | tail",
    ],
    ..Rule::ASK
};

/// What somebody typed, into whatever program.
fn is_history(word: &Word) -> bool {
    let text = word.known_prefix();
    text.ends_with("_history") || text.ends_with("/.zhistory")
}

/// Beginnings of keys, by which they are looked for.
const KEY_MARKS: &[&str] = &[
    "AKIA",
    "AIza",
    "BEGIN",
    "PRIVATE KEY",
    "eyJ",
    "ghp_",
    "glpat-",
    "sk-",
    "sk_live",
    "xox",
];

pub(super) const SEARCH_TREE: Rule = Rule {
    id: "secrets.search-home",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[Key::ours("search a home or the system for secrets")],
    reason: "This goes through a whole home or the system and prints the secrets that it finds.",
    alternative: Some("Search the project only, and list the files: `grep -rlE 'AKIA' src`."),
    test: Test::Program(
        &["ack", "ag", "egrep", "fgrep", "grep", "rg", "ugrep"],
        |look| {
            let deep = matches!(look.name, "ack" | "ag" | "rg")
                || look.has('r', "recursive")
                || look.has('R', "dereference-recursive");
            let names = look.has('l', "files-with-matches")
                || look.has('c', "count")
                || look.has('q', "quiet");
            if !deep || names {
                return None;
            }
            let tree = look
                .operands()
                .iter()
                .find(|w| look.target(w).tree().is_some_and(|t| t >= Tree::HermesHome))?;
            let marks = look.words().iter().map(Word::text).any(|text| {
                KEY_MARKS.iter().any(|mark| text.contains(mark)) || looks_for_secret(text)
            });
            marks.then(|| look.hit_word(tree))
        },
    ),
    matches: &[
        "grep -rhoE 'AKIA[0-9A-Z]{16}' ~",
        "grep -ri password /etc",
        "rg 'BEGIN RSA PRIVATE KEY' /home",
        "sudo grep -rn api_key /",
    ],
    near_misses: &["grep -rlE AKIA ~", "grep -rn AKIA src", "grep -rn todo ~"],
    safe: &[
        "grep -rn api_key src",
        "rg token",
        "grep -rn PermitRootLogin /etc/ssh",
    ],
    ..Rule::ASK
};

pub(super) const PROCESSES: Rule = Rule {
    id: "secrets.process-environment",
    class: "secrets-read",
    severity: Severity::Medium,
    keys: &[ENVIRONMENT],
    reason: "This prints the variables of other processes, with their tokens and passwords.",
    alternative: Some("List the processes without them: `ps aux`."),
    test: Test::Program(
        &[
            "launchctl",
            "pargs",
            "pm2",
            "procstat",
            "ps",
            "systemctl",
            "tmux",
        ],
        |look| {
            let first = look.word(0).unwrap_or("");
            let shows = match look.name {
                "launchctl" => first == "export",
                "pargs" => look.has('e', ""),
                "pm2" => first == "env",
                "procstat" => matches!(first, "-e" | "env" | "environment" | "penv"),
                "ps" => shows_variables(look),
                // One value goes by its name.
                "systemctl" => look.operand(0) == Some("show-environment"),
                _ => matches!(first, "show-environment" | "showenv") && look.words().len() < 3,
            };
            let filtered = look.downstream().any(is_filter);
            (shows && !filtered).then(|| look.hit())
        },
    ),
    matches: &[
        "ps eww -p 1",
        "ps auxe",
        "ps -p 1 eww",
        "ps -Eww",
        "pargs -e 1",
        "procstat -e 1",
        "pm2 env 0",
        "systemctl --user show-environment",
        "tmux show-environment -g",
    ],
    near_misses: &[
        "ps -e",
        "ps -ef",
        "ps -eo pid,comm",
        "tmux show-environment -g PATH",
    ],
    safe: &[
        "ps aux",
        "ps -ef",
        "ps ax -o pid,etime",
        "ps -C nginx",
        "ps -u steve",
        "ps -o etime= -p 1",
        "ps f",
    ],
    ..Rule::ASK
};

/// `e` among the letters without a dash, as BSD has them; `-E` of macOS.
fn shows_variables(look: &Look<'_>) -> bool {
    const LETTERS: &[u8] = b"acefghjlmnrsuvwxXS";
    let letters = |text: &str| text.contains('e') && text.bytes().all(|b| LETTERS.contains(&b));
    let mut words = look.words().iter().filter_map(Word::known);
    let first = words.next().unwrap_or("");
    let last = words.next_back().unwrap_or("");
    letters(first)
        || last.starts_with('e') && last.bytes().all(|b| matches!(b, b'e' | b'w'))
        || first.starts_with("-E")
}

pub(super) const ECHO: Rule = Rule {
    id: "secrets.echo-variable",
    class: "secrets-read",
    severity: Severity::Low,
    keys: &[Key::ours("print a secret variable")],
    accepts: &[ENVIRONMENT],
    reason: "This prints a variable that holds a secret, by its name.",
    alternative: Some("Test whether it is set: `test -n \"$GITHUB_TOKEN\"`."),
    test: Test::Program(&["echo", "printf", "printenv", "print"], |look| {
        let last = look.downstream().next().is_none();
        let kept = look
            .invocation
            .redirects
            .iter()
            .any(crate::invocation::Redirect::writes)
            || look.is_taken();
        if !last || kept {
            return None;
        }
        let word = look.words().iter().find(|word| {
            look.name == "printenv" && word.known().is_some_and(is_secret_variable)
                || is_whole(word)
                    && word.unknowns().any(|u| match u {
                        Unknown::Variable(name) => is_secret_variable(name),
                        _ => false,
                    })
        })?;
        Some(look.hit_word(word))
    }),
    matches: &[
        "echo $AWS_SECRET_ACCESS_KEY",
        "echo \"token: $GITHUB_TOKEN\"",
        "printenv DB_PASSWORD",
    ],
    near_misses: &[
        "echo \"$GITHUB_TOKEN\" | docker login --password-stdin",
        "echo \"${#TOKEN}\"",
    ],
    safe: &[
        "echo $PATH",
        "echo \"$GITHUB_TOKEN\" | gh auth login --with-token",
        "printf '%s' \"$TOKEN\" > t",
        "echo ${TOKEN:+set}",
    ],
    ..Rule::ASK
};

/// Not its length, not only whether it is set.
fn is_whole(word: &Word) -> bool {
    let raw = word.raw();
    !raw.contains("${#") && !raw.contains(":+") && !raw.contains("+x}") && !raw.contains("+set}")
}

/// Code that stands for all variables; behind it, one of them may be picked.
const ALL_VARIABLES: &[&str] = &[
    "%ENV",
    "$_ENV",
    "ENV.each",
    "ENV.inspect",
    "ENV.to_h",
    "getenv()",
    "in ENVIRON",
    "os.environ",
    "phpinfo()",
    "process.env",
];

pub(super) const BY_CODE: Rule = Rule {
    id: "secrets.environment-by-code",
    class: "secrets-read",
    severity: Severity::Low,
    keys: &[ENVIRONMENT],
    reason: "This prints every variable, those that hold tokens and passwords too.",
    alternative: Some("Print the one that is needed: `printenv PATH`."),
    test: Test::Program(
        &[
            "awk", "bun", "deno", "gawk", "node", "perl*", "php*", "python*", "ruby*",
        ],
        |look| {
            let prints = |code: &str| {
                ["print", "console.log", "puts", "phpinfo", "dump", "p ENV"]
                    .iter()
                    .any(|call| code.contains(call))
                    || look.has('p', "print")
            };
            let code = look.words().iter().find(|word| {
                let text = word.text();
                prints(text)
                    && ALL_VARIABLES.iter().any(|name| {
                        text.split_once(name)
                            .is_some_and(|(_, behind)| !behind.starts_with(['.', '[', '{', '?']))
                    })
            })?;
            (!look.downstream().any(is_filter) && !look.is_taken()).then(|| look.hit_word(code))
        },
    ),
    matches: &[
        "node -p process.env",
        "python3 -c 'import os; print(os.environ)'",
        "ruby -e 'p ENV.to_h'",
        "perl -e 'print %ENV'",
        "php -r 'print_r($_ENV);'",
        "awk 'BEGIN{for(k in ENVIRON) print k,ENVIRON[k]}'",
    ],
    near_misses: &[
        "node -p process.env.HOME",
        "python3 -c 'import os; print(os.environ[\"HOME\"])'",
        "python3 -c 'import os; print(os.environ.get(\"HOME\"))'",
    ],
    safe: &[
        "node -p process.version",
        "php -r 'print_r($_ENV[\"HOME\"]);'",
    ],
    ..Rule::ASK
};
