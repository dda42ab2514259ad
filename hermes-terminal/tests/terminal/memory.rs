//! Output of any length in bounded memory.

use hermes_terminal::Request;

use crate::setup::Place;

/// What the issue allows, for the whole process.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The most memory that this process has had, in bytes.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

fn prints(bytes: u64) {
    let place = Place::new();
    let terminal = place.terminal();
    let command = format!("yes 'ünd so weiter' | head -c {bytes}; echo end");
    let outcome = terminal
        .run(
            "t",
            &Request::new(command).with_timeout_seconds(600.0).unwrap(),
        )
        .unwrap();
    assert_eq!(outcome.exit_code, 0);
    assert!(outcome.truncated);
    assert!(outcome.output.len() < 120_000);
    assert!(outcome.output.ends_with("end\n"));
    let peak = peak();
    eprintln!("{bytes} bytes of output, {} KiB of memory", peak / 1024);
    assert!(peak < LIMIT, "{peak} bytes");
}

#[test]
#[cfg(target_os = "linux")]
fn two_hundred_megabytes_are_read_in_bounded_memory() {
    prints(200_000_000);
}

/// The same with 5 GB; a minute in a release build.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "takes minutes; cargo nextest run --release -p hermes-terminal --run-ignored only"]
fn five_gigabytes_are_read_in_bounded_memory() {
    prints(5_000_000_000);
}

/// A title that never ends, and a line that never does.
#[test]
#[cfg(target_os = "linux")]
fn endless_terminal_codes_are_read_in_bounded_memory() {
    let place = Place::new();
    let terminal = place.terminal();
    for start in [r"\e]0;", r"\eP", r"\e[", ""] {
        let command = format!(
            "printf '{start}'; head -c 20000000 /dev/zero | tr '\\0' 1; printf '\\a\\e\\\\'"
        );
        let outcome = terminal.run("t", &Request::new(command)).unwrap();
        assert_eq!(outcome.exit_code, 0);
    }
    let peak = peak();
    assert!(peak < LIMIT, "{peak} bytes");
}
