//! A person at a terminal: what is shown, what is understood, and that silence denies.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use hermes_approval::grants::Scope;
use hermes_approval::prompt::{Line, Lines, Prompt, Reader};
use hermes_approval::{AnsweredBy, ApprovalRequest, Asker, Choice};

fn request() -> ApprovalRequest {
    ApprovalRequest::new(
        "one",
        "TOKEN=abc rm -rf x",
        "recursive delete",
        ["recursive delete"],
    )
}

fn answered(input: &str, request: &ApprovalRequest) -> (Choice, AnsweredBy, String) {
    let prompt = Prompt::new(Reader(input.as_bytes()), Vec::new());
    let answer = prompt.ask(request);
    let (_, out) = prompt.into_parts();
    (answer.choice, answer.by, String::from_utf8(out).unwrap())
}

#[test]
fn a_person_sees_what_would_run_and_what_each_answer_would_grant() {
    let request = request().at(10..18).by_rule("rm", "high");
    let (choice, by, shown) = answered("s\n", &request);
    assert_eq!((choice, by), (Choice::Session, AnsweredBy::Person));
    assert_eq!(
        shown,
        "
This command needs your approval: recursive delete (high)

    TOKEN=*** rm -rf x

  It is about: rm -rf x

  [o]nce     run this command, this time
  [s]ession  until this conversation ends: every command that is asked about as \"recursive delete\"
  [a]lways   from now on, and in new conversations: every command that is asked about as \"recursive delete\"
  [d]eny     do not run it
Choice [o/s/a/D]: Allowed: session.
"
    );
}

#[test]
fn what_is_not_offered_is_not_shown_and_not_granted() {
    let (choice, _, shown) = answered("a\n", &request().once_only());
    assert_eq!(choice, Choice::Once);
    assert!(shown.contains("Choice [o/D]: "), "{shown}");
    assert!(
        !shown.contains("lways") && !shown.contains("ession]"),
        "{shown}"
    );
    let scope = Scope::prefix("rm -rf").unwrap();
    let (_, _, shown) = answered("d\n", &request().granting([&scope]));
    assert!(
        shown.contains("every command that begins with \"rm -rf\""),
        "{shown}"
    );
}

#[test]
fn words_and_letters_answer_and_anything_else_denies() {
    for (input, choice, by) in [
        ("o\n", Choice::Once, AnsweredBy::Person),
        ("once\r\n", Choice::Once, AnsweredBy::Person),
        ("ALWAYS", Choice::Always, AnsweredBy::Person),
        ("d\n", Choice::Deny, AnsweredBy::Person),
        ("\n", Choice::Deny, AnsweredBy::Person),
        ("yes\n", Choice::Deny, AnsweredBy::Person),
        ("", Choice::Deny, AnsweredBy::EndOfInput),
    ] {
        let (got, got_by, _) = answered(input, &request());
        assert_eq!((got, got_by), (choice, by), "{input:?}");
    }
    let long = "o".repeat(1 << 20);
    assert_eq!(answered(&long, &request()).0, Choice::Deny);
}

#[test]
fn a_command_cannot_paint_over_what_is_shown() {
    let command = "rm -rf /\u{1b}[1A\u{1b}[2K\rls\u{202e}\nsecond line";
    let request = ApprovalRequest::new("s", command, "a\u{1b}]0;b\nc", ["k\u{1b}[m"]);
    let (_, _, shown) = answered("d\n", &request);
    assert!(!shown.contains(['\u{1b}', '\r', '\u{202e}']), "{shown:?}");
    assert!(shown.contains("    rm -rf /\\u{1b}[1A\\u{1b}[2K\\rls\\u{202e}\n    second line\n"));
    assert!(shown.contains("approval: a\\u{1b}]0;b\\nc\n"));
}

#[test]
fn a_long_command_shows_its_ends_and_what_is_asked_about() {
    let command = format!(
        "{}é rm -rf /home {}",
        "x".repeat(20_000),
        "y".repeat(20_000)
    );
    let at = command.find("rm").unwrap();
    let request = ApprovalRequest::new("s", command, "d", ["k"]).at(at..at + 12);
    let (_, _, shown) = answered("d\n", &request);
    assert!(shown.len() < 10_000);
    assert!(
        shown.contains("characters are not shown, with the part below"),
        "{shown}"
    );
    assert!(shown.contains("It is about: rm -rf /home"), "{shown}");
}

/// Lines that are there, and then silence.
struct Script {
    lines: VecDeque<io::Result<Line>>,
    asked: Vec<Duration>,
    forgotten: usize,
}

impl Lines for Script {
    fn forget_typed(&mut self) -> io::Result<()> {
        self.forgotten += 1;
        Ok(())
    }

    fn line(&mut self, timeout: Duration) -> io::Result<Line> {
        self.asked.push(timeout);
        self.lines.pop_front().unwrap_or(Ok(Line::TimedOut))
    }
}

#[test]
fn silence_and_a_broken_terminal_deny() {
    let script = Script {
        lines: VecDeque::from([Err(io::Error::other("gone")), Ok(Line::Typed("o".into()))]),
        asked: Vec::new(),
        forgotten: 0,
    };
    let prompt = Prompt::new(script, Vec::new()).with_timeout(Duration::from_secs(7));
    let answer = prompt.ask(&request());
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Deny, AnsweredBy::Failed)
    );
    let answer = prompt.ask(&request());
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Once, AnsweredBy::Person)
    );
    let answer = prompt.ask(&request());
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Deny, AnsweredBy::Timeout)
    );
    assert_eq!(answer.outcome(), "timeout");
    let (script, out) = prompt.into_parts();
    assert_eq!(script.asked, [Duration::from_secs(7); 3]);
    assert_eq!(
        script.forgotten, 3,
        "what was typed before the question does not answer it"
    );
    assert!(
        String::from_utf8(out)
            .unwrap()
            .ends_with("\nNo answer in time: denied.\n")
    );
}

#[cfg(unix)]
mod at_a_terminal {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use hermes_approval::prompt::{TerminalPrompt, Tty};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    /// Both ends of a terminal; the second is kept open, so that it stays one.
    fn terminal() -> (File, PathBuf, File) {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let path = PathBuf::from(ptsname(&person, Vec::new()).unwrap().into_string().unwrap());
        let other = File::options().read(true).write(true).open(&path).unwrap();
        (File::from(person), path, other)
    }

    /// Reads what is shown up to the question.
    fn read_question(person: &mut File) -> String {
        let mut shown = Vec::new();
        while !shown.ends_with(b"]: ") {
            let mut byte = [0; 1];
            person.read_exact(&mut byte).unwrap();
            shown.extend(byte);
        }
        String::from_utf8(shown).unwrap()
    }

    fn ask(path: &std::path::Path, timeout: Duration) -> hermes_approval::Answer {
        let tty = Tty::at(path).unwrap();
        let out = tty.writer().unwrap();
        Prompt::new(tty, out).with_timeout(timeout).ask(&request())
    }

    #[test]
    fn what_is_typed_after_the_question_answers_it() {
        let (mut person, path, _other) = terminal();
        // Typed ahead, and not meant for the question.
        person.write_all(b"always\n").unwrap();
        let asking = std::thread::spawn(move || ask(&path, Duration::from_secs(60)));
        read_question(&mut person);
        person.write_all(b"once\nnext line\n").unwrap();
        let answer = asking.join().unwrap();
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Once, AnsweredBy::Person)
        );
    }

    #[test]
    fn a_timeout_ends_the_reading_and_leaves_the_next_line_to_others() {
        let (mut person, path, mut other) = terminal();
        let begun = Instant::now();
        let answer = ask(&path, Duration::from_millis(120));
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Deny, AnsweredBy::Timeout)
        );
        assert!(begun.elapsed() >= Duration::from_millis(120));
        assert!(begun.elapsed() < Duration::from_secs(30));
        person.write_all(b"for the shell\n").unwrap();
        let mut line = [0; 64];
        let length = other.read(&mut line).unwrap();
        assert_eq!(&line[..length], b"for the shell\n");
    }

    #[test]
    fn a_terminal_that_is_closed_denies() {
        let (mut person, path, other) = terminal();
        let asking = std::thread::spawn(move || ask(&path, Duration::from_secs(60)));
        read_question(&mut person);
        drop(other);
        drop(person);
        let answer = asking.join().unwrap();
        assert_eq!(answer.choice, Choice::Deny);
        assert_ne!(answer.by, AnsweredBy::Person);
    }

    #[test]
    fn what_is_no_terminal_is_refused() {
        assert!(Tty::at(std::path::Path::new("/dev/null")).is_err());
    }

    const CHILD: &str = "PROMPT_TEST_CHILD";

    /// The child of the next test: does nothing unless it is started by it.
    #[test]
    fn child_without_a_terminal() {
        if std::env::var(CHILD).is_err() {
            return;
        }
        // A session of its own has no terminal, whatever the tests are run from.
        rustix::process::setsid().unwrap();
        let answer = TerminalPrompt::default().ask(&request());
        println!("\nANSWER {:?} {:?}", answer.choice, answer.by);
    }

    #[test]
    fn without_a_terminal_nobody_can_say_yes() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "prompt::at_a_terminal::child_without_a_terminal",
            ])
            .env(CHILD, "1")
            .stdin(Stdio::null())
            // Not the leader of a group, which cannot begin a session.
            .process_group(rustix::process::getpgrp().as_raw_nonzero().get())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("ANSWER Deny NobodyThere"), "{said}");
    }
}
