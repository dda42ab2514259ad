//! Commands of editors, searches, callbacks and plugins that run a program.

use super::is_ordinary;
use crate::grammar::OptValue;
use crate::invocation::Invocation;
use crate::look::Look;
use crate::marks::Mark;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

pub(super) const RUN: Key = Key::ours("arbitrary program execution via option");

pub(super) const EDITOR: Rule = Rule {
    id: "exec-flag.editor-command",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[RUN],
    reason: "The editor or pager is told to run another program.",
    alternative: Some("Run the program itself, where it can be seen."),
    test: Test::Program(
        &[
            "vim",
            "vi",
            "nvim",
            "ex",
            "view",
            "gvim",
            "vimdiff",
            "less",
            "more",
            "emacs",
            "emacsclient",
            "ed",
            "gdb",
            "lldb",
            "sqlite3",
            "psql",
            "mysql",
            "mariadb",
            "ftp",
            "mutt",
            "screen",
        ],
        editor,
    ),
    matches: &[
        "vim -c \":!./x\" -c q",
        "vim +'!./x' f",
        "nvim --cmd 'call system(\"./x\")'",
        "vi -es -c '!id' -c q",
        "vim -u ./x.vim f",
        "nvim -S ./x.vim",
        "vim -c 'source ./x.vim' f",
        "psql -c '\\o |./x' -c 'select 1'",
        "less +\"!./x\" f",
        "emacs --batch -l ./x.el",
        "emacs --batch --eval '(shell-command \"id\")'",
        "gdb -x ./x.gdb",
        "gdb -ex '!id' -ex quit",
        "sqlite3 a.db '.shell id'",
        "psql -c '\\! id'",
        "psql -c \"copy t to program 'sh'\"",
    ],
    near_misses: &[
        "vim -c 'set nu' f",
        "less +F log",
        "emacs --batch -l org f.org",
        "gdb -ex run --args ./a",
    ],
    safe: &[
        "vim f",
        "vim +10 f",
        "vim -c 'set nowrap' f",
        "vim -u NONE f",
        "vim -S Session.vim",
        "less f",
        "less +F app.log",
        "emacs -nw f",
        "gdb -ex run -ex bt --args ./a",
        "gdb -batch -ex bt -p 12",
        "sqlite3 a.db '.tables'",
        "psql -c 'select 1'",
    ],
    ..Rule::ASK
};

fn editor(look: &Look<'_>) -> Option<Hit> {
    let found = match look.name {
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "vimdiff" => {
            vim_script(look).or_else(|| {
                look.words().iter().find(|w| {
                    let text = w.text();
                    let command = text.trim_start_matches(['+', ':', ' ', '%']);
                    let given = text.starts_with(['+', ':', '!', '%'])
                        || text.contains("system(")
                        || text.starts_with("py");
                    given
                        && (command.starts_with('!')
                            || command.starts_with("r !")
                            || command.starts_with("r!")
                            || command.starts_with("w !"))
                        || [
                            "system(",
                            "systemlist(",
                            ":terminal",
                            "os.execute",
                            "jobstart(",
                            "call delete(",
                            "|!",
                            "| !",
                        ]
                        .iter()
                        .any(|part| text.contains(part))
                        || text.starts_with("py") && text.contains("import")
                })
            })
        }
        "less" | "more" => look.words().iter().find(|w| {
            let text = w.text();
            text.starts_with("+!") || text.starts_with("+|") || text.starts_with("+:!")
        }),
        "emacs" | "emacsclient" => {
            let mut loads = false;
            look.words().iter().find(|w| {
                let text = w.text();
                let (name, attached) = text.split_once('=').unwrap_or((text, ""));
                let value = if loads { text } else { attached };
                let is_load = matches!(name, "-l" | "--load" | "--script" | "-script" | "-load");
                loads = is_load && attached.is_empty();
                value.contains('/')
                    || value.ends_with(".el")
                    || [
                        "shell-command",
                        "call-process",
                        "start-process",
                        "delete-directory",
                        "make-process",
                    ]
                    .iter()
                    .any(|p| text.contains(p))
            })
        }
        "gdb" | "lldb" => {
            let mut before = "";
            look.words().iter().find(|w| {
                let text = w.text().trim_start();
                let (name, value) = text.split_once('=').unwrap_or((before, text));
                before = text;
                match name.trim_start_matches('-') {
                    "x" | "command" | "init-command" | "source" | "s" => !value.starts_with('-'),
                    "ex" | "iex" | "eval-command" | "o" | "O" => {
                        value.starts_with(['!', '|'])
                            || ["shell ", "source ", "platform shell", "pipe "]
                                .iter()
                                .any(|p| value.starts_with(p))
                    }
                    _ => false,
                }
            })
        }
        "sqlite3" => look.words().iter().find(|w| {
            let text = w.text().trim_start();
            text.starts_with(".shell")
                || text.starts_with(".system")
                || text.contains("load_extension(")
                || text.starts_with(".load ")
        }),
        "psql" => look.words().iter().find(|w| {
            let text = w.text();
            let piped = |p: &&str| text.contains(*p);
            text.contains("\\!") || is_copy_program(text) || PSQL_PIPES.iter().any(piped)
        }),
        "mysql" | "mariadb" => look.words().iter().find(|w| {
            let text = w.text();
            text.contains("\\!")
                || text.starts_with("system ")
                || text.starts_with("--pager=") && !is_ordinary(text.trim_start_matches("--pager="))
        }),
        "screen" => None,
        _ => look.words().iter().find(|w| w.text().starts_with('!')),
    };
    found.map(|w| look.hit_word(w))
}

/// Commands of psql whose output or input a program takes.
const PSQL_PIPES: &[&str] = &["\\o |", "\\o|", "\\g |", "\\g|", "\\w |", "\\w|", "\\i |"];

/// A script that the editor runs: `-u ./x.vim`, `-S x.vim`, `-s keys`, `-c 'source x'`.
fn vim_script<'a>(look: &Look<'a>) -> Option<&'a Word> {
    let words = look.words();
    let own = |value: &str| !matches!(value, "NONE" | "NORC" | "DEFAULTS" | "/dev/null" | "");
    let found = look.options().options.iter().find(|o| {
        let value = o.value.and_then(OptValue::known).unwrap_or("");
        let local =
            value.starts_with(['.', '/']) || value.ends_with(".vim") || value.ends_with(".lua");
        match o.name {
            // `-S Session.vim` takes up a session.
            "S" => value.starts_with(['.', '/']),
            "u" | "U" => own(value) && local,
            "c" | "cmd" => ["so ", "source ", "luafile ", "pyfile ", "py3file "]
                .iter()
                .any(|p| value.trim_start_matches(':').starts_with(p)),
            _ => false,
        }
    })?;
    words.get(found.word)
}

/// `COPY … TO PROGRAM '…'`
fn is_copy_program(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains("copy ") && (lower.contains("to program") || lower.contains("from program"))
}

pub(super) const SEARCH: Rule = Rule {
    id: "exec-flag.search-runs",
    class: "exec-flag",
    keys: &[Key::ours("run a local program on search results")],
    reason: "A program that isn't one of the system's is run on everything that is found.",
    alternative: Some("Look at what is found first: `find . -name x -print`."),
    test: Test::Any(|look| {
        let program = look.invocation.program()?.known()?;
        let local =
            program.starts_with("./") || program.starts_with("../") || program.starts_with("/tmp/");
        let found = local
            && look
                .invocation
                .wrappers
                .last()
                .is_some_and(|w| matches!(w.program.as_ref(), "find" | "fd" | "fdfind"));
        found.then(|| look.hit())
    }),
    matches: &[
        "find . -exec ./x {} \\;",
        "find . -name '*.c' -execdir ../x {} +",
        "fd -e c -x ./x",
    ],
    near_misses: &["find . -exec grep -l a {} +", "./x ."],
    safe: &[
        "find . -exec ls {} \\;",
        "find . -exec grep -l a {} +",
        "fd -e c -x wc -l",
    ],
    ..Rule::ASK
};

pub(super) const PLUGIN: Rule = Rule {
    id: "exec-flag.shell-plugin",
    class: "eval",
    severity: Severity::High,
    keys: &[Key::ours("load a library into the shell")],
    reason: "The shell loads and runs a library.",
    alternative: Some("List what is loaded: `enable -a`."),
    test: Test::Program(&["enable", "zmodload"], |look| {
        let found = look.words().iter().find(|w| {
            let text = w.known_prefix();
            look.name == "enable" && text.starts_with('-') && text.contains('f')
        })?;
        Some(look.hit_word(found))
    }),
    matches: &["enable -f /tmp/x.so x"],
    near_misses: &["enable -n test"],
    safe: &["enable -a"],
    ..Rule::ASK
};

pub(super) const CALLBACK: Rule = Rule {
    id: "exec-flag.callback",
    class: "eval",
    keys: &[Key::ours("run a command for each line that is read")],
    reason: "The shell runs this command again and again while it reads.",
    alternative: Some("Read the lines only: `mapfile -t lines < f`."),
    test: Test::Program(&["mapfile", "readarray"], |look| {
        let at = look
            .words()
            .iter()
            .position(|w| w.known_prefix().starts_with("-C"))?;
        let value = look.words().get(at + 1).map_or("", |w| w.text());
        (!matches!(value.split_whitespace().next(), Some("echo" | "printf"))).then(|| look.hit())
    }),
    matches: &[
        "mapfile -C \"rm -rf\" -c1 x < f",
        "readarray -c 1 -C ./x l < f",
    ],
    near_misses: &["mapfile -t lines < f"],
    safe: &[
        "mapfile -t lines < f",
        "readarray -d '' files < <(find . -print0)",
    ],
    ..Rule::ASK
};

pub(super) const EVAL: Rule = Rule {
    id: "exec-flag.eval-variable",
    class: "eval",
    keys: &[Key::ours("eval of a variable")],
    reason: "What is run is in a variable that isn't set here, so it can't be checked.",
    alternative: Some("Write what is to be run literally."),
    test: Test::Program(&["eval"], |look| {
        let word = look.words().first()?;
        let first = word.unknowns().next()?;
        let starts = word.known_prefix().trim().is_empty() || word.text().trim().is_empty();
        let unknown = match first {
            Unknown::Variable(name) => !is_assigned(look, name),
            Unknown::Positional => look.invocation.context.function.is_none(),
            _ => false,
        };
        (starts && unknown).then(|| look.hit_word(word))
    }),
    matches: &["eval \"$USER_CMD\"", "eval $X", "eval \"$1\""],
    near_misses: &[
        "eval \"export A=$B\"",
        "eval \"$(brew shellenv)\"",
        "C=$(make -s env); eval \"$C\"",
    ],
    safe: &["eval 'ls -la'"],
    ..Rule::ASK
};

/// True if the text gives the variable a value, of whatever kind.
fn is_assigned(look: &Look<'_>, name: &str) -> bool {
    let analysis = look.scope.analysis;
    let sets = |i: &Invocation| !i.assignments.is_empty() || i.is("read");
    let setters = analysis.marked(Mark::Sets, sets).iter();
    setters
        .filter_map(|&n| analysis.invocations().get(n))
        .any(|i| {
            i.assignments.iter().any(|a| a.name == name)
                || i.is("read") && i.arguments().iter().any(|w| w.known() == Some(name))
        })
}
