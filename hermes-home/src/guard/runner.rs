//! Test runners and test binaries, told from a command line.

use std::ffi::{OsStr, OsString};
use std::path::Path;

const PYTEST: [&str; 2] = ["pytest", "py.test"];
const CARGO_COMMANDS: [&str; 4] = ["test", "t", "nextest", "bench"];
/// Options of cargo that stand before its command and take a value.
const CARGO_OPTIONS: [&str; 4] = ["--config", "--color", "-C", "-Z"];

/// Names of programs and modules that run another module or script within their own process.
const WRAPPERS: [&str; 11] = [
    "coverage",
    "coverage3",
    "cprofile",
    "debugpy",
    "kernprof",
    "memray",
    "pdb",
    "profile",
    "pyinstrument",
    "python3-coverage",
    "viztracer",
];

/// How an interpreter, or a wrapper, is told what to run.
struct Syntax {
    /// Letters that take a value.
    valued: &'static [u8],
    /// Whether the rest of a word is the value of such a letter; else it is always the next word.
    attached: bool,
    /// Letters after which there is no script.
    ending: &'static [u8],
    /// Whether `-m` names a module.
    modules: bool,
    /// Long options that take a value, unless written with `=`.
    long: &'static [&'static str],
    /// A command in front of what is run.
    command: Option<&'static str>,
}

const PYTHON: Syntax = Syntax {
    valued: b"QWX",
    attached: true,
    ending: b"c",
    modules: true,
    long: &["--check-hash-based-pycs", "--jit"],
    command: None,
};

const SHELL: Syntax = Syntax {
    valued: b"oO",
    attached: false,
    ending: b"cs",
    modules: false,
    long: &["--rcfile", "--init-file", "--emulate"],
    command: None,
};

const ZSH: Syntax = Syntax {
    valued: b"o",
    attached: true,
    ..SHELL
};

const WRAPPER: Syntax = Syntax {
    valued: b"cos",
    attached: true,
    ending: b"",
    modules: true,
    long: &[
        "--adapter-access-token",
        "--concurrency",
        "--configure-subProcess",
        "--connect",
        "--context",
        "--data-file",
        "--debug",
        "--include",
        "--listen",
        "--live-port",
        "--log-to",
        "--omit",
        "--outfile",
        "--output",
        "--rcfile",
        "--sort",
        "--source",
        "--source-dirs",
        "--source-pkgs",
    ],
    command: Some("run"),
};

/// What runs, with the arguments after its name.
enum Run<'a> {
    Program(&'a OsStr, &'a [OsString]),
    Module(String, &'a [OsString]),
}

/// Whether a process of this command line runs tests.
pub(super) fn is_test_runner(arguments: &[OsString]) -> bool {
    let mut run = program(arguments);
    while let Some(current) = run {
        let (syntax, rest) = match current {
            Run::Program(program, rest) => {
                let name = program_name(program);
                if is_pytest(&name) || name == "cargo-nextest" || is_test_binary(program.as_ref()) {
                    return true;
                }
                if name == "cargo" {
                    return runs_tests(rest);
                }
                (syntax_of(&name), rest)
            }
            Run::Module(module, rest) => {
                if is_pytest(&module) {
                    return true;
                }
                (is_wrapper(&module).then_some(&WRAPPER), rest)
            }
        };
        run = syntax.and_then(|syntax| syntax.run(rest));
    }
    false
}

fn program(arguments: &[OsString]) -> Option<Run<'_>> {
    let (program, rest) = arguments.split_first()?;
    Some(Run::Program(program, rest))
}

fn syntax_of(name: &str) -> Option<&'static Syntax> {
    match name.strip_prefix('-').unwrap_or(name) {
        "sh" | "bash" | "dash" => Some(&SHELL),
        "zsh" => Some(&ZSH),
        name if is_wrapper(name) => Some(&WRAPPER),
        name if name.starts_with("python") || name.starts_with("pypy") => Some(&PYTHON),
        _ => None,
    }
}

/// Also `pytest-3` and `pytest-3.11`, as Debian calls them.
fn is_pytest(name: &str) -> bool {
    PYTEST.contains(&without_version(name))
}

/// Also `coverage-3.11`.
fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&without_version(name))
}

fn without_version(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((base, version))
            if version.starts_with(|c: char| c.is_ascii_digit())
                && version.bytes().all(|b| b == b'.' || b.is_ascii_digit()) =>
        {
            base
        }
        _ => name,
    }
}

impl Syntax {
    /// The script or module these arguments name. What stands behind it is its own affair.
    fn run<'a>(&self, arguments: &'a [OsString]) -> Option<Run<'a>> {
        let mut rest = arguments;
        let mut command = self.command;
        loop {
            let (word, after) = rest.split_first()?;
            rest = after;
            match word.as_encoded_bytes() {
                b"--" => {}
                // Standard input for Python; the end of the options for a shell.
                b"-" if self.modules => return None,
                b"--module" if self.modules => return module(rest),
                [b'-', b'-', ..] => {
                    if self.long.iter().any(|known| *known == *word) {
                        rest = rest.get(1..)?;
                    } else if let Some(name) = word.to_str().and_then(long_module)
                        && self.modules
                    {
                        return Some(Run::Module(name.to_ascii_lowercase(), rest));
                    }
                }
                [b'-', letters @ ..] => match self.cluster(letters) {
                    Cluster::Flags => {}
                    Cluster::Values(count) => rest = rest.get(count..)?,
                    Cluster::Ends => return None,
                    Cluster::Module([]) => return module(rest),
                    Cluster::Module(name) => {
                        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                        return Some(Run::Module(name, rest));
                    }
                },
                b"+o" | b"+O" if !self.modules => rest = rest.get(1..)?,
                [b'+', ..] if !self.modules => {}
                _ if command.is_some_and(|command| *word == *command) => command = None,
                _ => return Some(Run::Program(word, rest)),
            }
        }
    }

    /// Reads letters behind one `-`.
    fn cluster<'w>(&self, letters: &'w [u8]) -> Cluster<'w> {
        let mut values = 0;
        let mut letters = letters;
        while let Some((letter, after)) = letters.split_first() {
            letters = after;
            if self.ending.contains(letter) {
                return Cluster::Ends;
            }
            if self.modules && *letter == b'm' {
                return Cluster::Module(after);
            }
            if self.valued.contains(letter) {
                if self.attached && !after.is_empty() {
                    return Cluster::Flags;
                }
                values += 1;
            }
        }
        match values {
            0 => Cluster::Flags,
            count => Cluster::Values(count),
        }
    }
}

/// What letters behind one `-` ask for.
enum Cluster<'w> {
    Flags,
    /// So many of the next words are values.
    Values(usize),
    Ends,
    /// A module, of this name or of the next word's.
    Module(&'w [u8]),
}

fn module(arguments: &[OsString]) -> Option<Run<'_>> {
    let (name, rest) = arguments.split_first()?;
    Some(Run::Module(program_name(name), rest))
}

fn long_module(word: &str) -> Option<&str> {
    word.strip_prefix("--module=")
}

/// Whether this is where Cargo puts what it builds for tests and benches: `deps/name-<16 hex>`.
pub(super) fn is_test_binary(path: &Path) -> bool {
    let in_deps = path.parent().and_then(Path::file_name) == Some(OsStr::new("deps"));
    let hash = path
        .file_stem()
        .and_then(OsStr::to_str)
        .and_then(|stem| stem.rsplit_once('-'));
    in_deps
        && hash.is_some_and(|(name, hash)| {
            !name.is_empty()
                && hash.len() == 16
                && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
}

fn runs_tests(arguments: &[OsString]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy();
        if CARGO_OPTIONS.contains(&argument.as_ref()) {
            arguments.next();
        } else if !argument.starts_with(['-', '+']) {
            return CARGO_COMMANDS.contains(&argument.as_ref());
        }
    }
    false
}

/// The name of a program without its folder and `.exe`.
fn program_name(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program);
    let name = name.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}
