//! Test runners and test binaries, told from a command line.

use std::ffi::{OsStr, OsString};
use std::path::Path;

const PYTEST: [&str; 2] = ["pytest", "py.test"];
const CARGO_COMMANDS: [&str; 4] = ["test", "t", "nextest", "bench"];
/// Options of cargo that stand before its command and take a value.
const CARGO_OPTIONS: [&str; 4] = ["--config", "--color", "-C", "-Z"];

/// Options of Python that take a value.
const PYTHON_OPTIONS: [&str; 4] = ["-X", "-W", "-c", "-m"];

/// Whether a process of this command line runs tests.
pub(super) fn is_test_runner(arguments: &[OsString]) -> bool {
    let Some((program, rest)) = arguments.split_first() else {
        return false;
    };
    let name = program_name(program);
    if PYTEST.contains(&name.as_str()) || name == "cargo-nextest" {
        return true;
    }
    if name == "cargo" {
        return runs_tests(rest);
    }
    if name.starts_with("python") || name.starts_with("pypy") {
        return runs_pytest(rest);
    }
    is_test_binary(Path::new(program))
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

/// `-m pytest` anywhere (coverage and others stand before it), or the script itself.
fn runs_pytest(arguments: &[OsString]) -> bool {
    let is_pytest = |argument: &OsString| PYTEST.contains(&program_name(argument).as_str());
    let as_module = arguments
        .windows(2)
        .any(|pair| matches!(pair, [flag, module] if flag == "-m" && is_pytest(module)));
    let mut rest = arguments.iter();
    let script = loop {
        match rest.next() {
            Some(option) if PYTHON_OPTIONS.iter().any(|known| *known == *option) => rest.next(),
            Some(option) if option.as_encoded_bytes().starts_with(b"-") => continue,
            script => break script,
        };
    };
    as_module || script.is_some_and(is_pytest)
}

/// The name of a program without its folder and `.exe`.
fn program_name(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program);
    let name = name.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}
