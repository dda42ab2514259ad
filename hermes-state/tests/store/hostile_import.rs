//! Input that is no export: each bad line is reported, the others are imported.

use std::io::{self, BufReader, Read};

use hermes_state::{Content, Error, ImportReport, NewMessage, NewSession};
use serde_json::json;

use crate::support::{Home, ask, assert_index_whole, import, messages_of};

const GOOD: &[u8] =
    b"{\"id\": \"good\", \"messages\": [{\"role\": \"user\", \"content\": \"kept\"}]}\n";

/// A bad line between two good ones.
fn with_good_ones(line: &[u8]) -> ImportReport {
    let home = Home::new();
    let store = home.store();
    let mut input = GOOD.to_vec();
    input.extend(line);
    input.extend(b"\n");
    input.extend(
        String::from_utf8_lossy(GOOD)
            .replace("good", "last")
            .as_bytes(),
    );
    let report = import(&store, input);
    for id in ["good", "last"] {
        assert_eq!(
            messages_of(&store, id)[0].content,
            Some(Content::from("kept"))
        );
    }
    drop(store);
    assert_index_whole(&home.path());
    report
}

#[test]
fn a_line_that_is_no_session_is_reported_and_the_others_are_imported() {
    let nested = format!(
        "{{\"id\": \"x\", \"messages\": {}1{}}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let long = format!(
        "{{\"id\": 5, \"system_prompt\": \"{}\"}}",
        "x".repeat(10 << 20)
    );
    let lines: Vec<(&str, Vec<u8>)> = vec![
        ("words", b"hello".to_vec()),
        ("an array", b"[{\"id\": \"x\"}]".to_vec()),
        ("a string", b"\"x\"".to_vec()),
        ("null", b"null".to_vec()),
        (
            "cut short",
            b"{\"id\": \"x\", \"messages\": [{\"role\": \"us".to_vec(),
        ),
        ("two objects", b"{\"id\": \"x\"} {\"id\": \"y\"}".to_vec()),
        ("single quotes", b"{'id': 'x'}".to_vec()),
        ("no id", b"{\"source\": \"cli\", \"messages\": []}".to_vec()),
        ("an empty id", b"{\"id\": \"\", \"messages\": []}".to_vec()),
        (
            "a number for an id",
            b"{\"id\": 7, \"messages\": []}".to_vec(),
        ),
        (
            "messages that are no list",
            b"{\"id\": \"x\", \"messages\": {}}".to_vec(),
        ),
        (
            "messages that are null",
            b"{\"id\": \"x\", \"messages\": null}".to_vec(),
        ),
        (
            "a message that is no object",
            b"{\"id\": \"x\", \"messages\": [5]}".to_vec(),
        ),
        ("a NUL", b"{\"id\": \"x\0y\"}".to_vec()),
        ("NULs only", vec![0; 100]),
        ("not UTF-8", b"{\"id\": \"x\xff\"}".to_vec()),
        (
            "UTF-16",
            "{\"id\": \"x\"}"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
        ("nested deeply", nested.into_bytes()),
        ("long", long.into_bytes()),
        ("a broken _raw", b"{\"id\": \"x\", \"_raw\": 5}".to_vec()),
    ];
    for (what, line) in lines {
        let report = with_good_ones(&line);
        assert_eq!(report.sessions, 2, "{what}");
        assert_eq!(report.errors.len(), 1, "{what}: {:?}", report.errors);
        let error = &report.errors[0];
        assert_eq!(error.line, 2, "{what}");
        assert!(
            !error.problem.is_empty() && error.problem.len() < 300,
            "{what}: {}",
            error.problem
        );
        let known = error.session_id.as_ref().map(|id| id.as_str());
        assert_eq!(known.is_some(), known == Some("x"), "{what}");
    }
}

#[test]
fn a_session_with_one_bad_message_is_not_imported_at_all() {
    let home = Home::new();
    let store = home.store();
    let report = import(
        &store,
        "{\"id\": \"s\", \"messages\": [{\"role\": \"user\", \"content\": \"x\"}, \"no message\"]}",
    );
    assert_eq!(report.errors[0].session_id.as_ref().unwrap().as_str(), "s");
    assert_eq!(store.session("s").unwrap(), None);
    assert_eq!(ask::<i64>(&home.path(), "SELECT COUNT(*) FROM messages"), 0);
}

#[test]
fn other_ways_to_write_the_same_are_understood() {
    for (what, input) in [
        (
            "a byte order mark",
            b"\xef\xbb\xbf{\"id\": \"x\"}\n".to_vec(),
        ),
        ("CRLF", b"{\"id\": \"x\"}\r\n".to_vec()),
        ("no end of line", b"{\"id\": \"x\"}".to_vec()),
        (
            "blank lines and blanks",
            b"\n  \n\t{ \"id\" :\t\"x\" } \n\r\n".to_vec(),
        ),
        ("an id in escapes", b"{\"\\u0069d\": \"\\u0078\"}".to_vec()),
    ] {
        let home = Home::new();
        let store = home.store();
        let report = import(&store, input);
        assert_eq!(report.errors, [], "{what}");
        assert!(store.session("x").unwrap().is_some(), "{what}");
    }
    assert_eq!(import(&Home::new().store(), ""), ImportReport::default());
}

#[test]
fn of_keys_that_are_there_twice_the_last_counts() {
    let home = Home::new();
    let store = home.store();
    let line = r#"{"id": "first", "id": "x", "messages": [{"role": "user"}], "messages": [
        {"role": "user", "role": "tool", "content": "a", "content": "b"}]}"#;
    assert_eq!(import(&store, line.replace('\n', " ")).errors, []);
    assert_eq!(store.session("first").unwrap(), None);
    let messages = messages_of(&store, "x");
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].role, "tool");
    assert_eq!(messages[0].content, Some(Content::from("b")));
}

#[test]
fn values_of_another_type_are_stored_as_the_column_takes_them() {
    let home = Home::new();
    let store = home.store();
    let line = json!({
        "id": "x", "source": 5, "started_at": "soon", "message_count": true,
        "title": ["no", "title"], "model": {"a": 1}, "ended_at": false,
        "messages": [
            {"role": 7, "content": 5, "timestamp": "late", "token_count": "3"},
            {"role": null, "content": true, "timestamp": null, "tool_calls": "not json"},
            {"role": "user", "content": {"any": ["thing"]}, "tool_calls": 5, "session_id": "other"},
        ],
    });
    assert_eq!(import(&store, line.to_string()).errors, []);
    let session = store.session("x").unwrap().unwrap();
    assert_eq!(session.source, "5");
    assert_eq!(session.raw["started_at"], json!("soon"));
    let messages = messages_of(&store, "x");
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[0].role, "7");
    assert_eq!(messages[0].token_count, Some(3));
    assert_eq!(messages[1].role, "unknown");
}

#[test]
fn a_message_nested_deeper_than_any_parser_follows_comes_back() {
    let home = Home::new();
    let store = home.store();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let line =
        format!("{{\"id\": \"x\", \"messages\": [{{\"role\": \"user\", \"content\": {deep}}}]}}");
    assert_eq!(import(&store, &line).errors, []);
    let exported = crate::support::export(&store);
    assert!(exported.contains(&deep));
    let other = Home::new();
    assert_eq!(import(&other.store(), exported).errors, []);
}

/// Gives what it has, then fails.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the pipe broke")),
            n => Ok(n),
        }
    }
}

impl io::Write for Failing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.0.len().min(bytes.len());
        self.0 = &self.0[room..];
        if room == 0 {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_fails_is_an_error_and_what_came_before_stays() {
    let home = Home::new();
    let store = home.store();
    let mut input = GOOD.to_vec();
    input.extend(b"{\"id\": \"cut");
    let error = store
        .import(&mut BufReader::new(Failing(&input)), &mut |_| {})
        .unwrap_err();
    assert!(
        matches!(&error, Error::Stream { source, .. } if source.to_string() == "the pipe broke")
    );
    assert_eq!(messages_of(&store, "good").len(), 1);
    assert_eq!(store.session("cut").unwrap(), None);
}

#[test]
fn a_writer_that_fails_is_an_error_with_its_kind() {
    let home = Home::new();
    let store = home.store();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    let message = NewMessage::new("s", "user").content("x".repeat(10_000));
    store.append_messages(&[message.clone(), message]).unwrap();
    for room in [0, 1, 100, 5_000, 15_000] {
        let paper = vec![0; room];
        let mut out = Failing(&paper);
        let error = store
            .export(
                &hermes_state::ExportOptions::default(),
                &mut out,
                &mut |_| {},
            )
            .unwrap_err();
        let Error::Stream { source, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(source.kind(), io::ErrorKind::BrokenPipe, "{room}");
    }
    // The reader went back to the pool.
    assert_eq!(messages_of(&store, "s").len(), 2);
}

#[test]
fn an_import_into_a_store_that_can_only_be_read_is_refused() {
    let fixture = testdata::fixture("v11.db");
    let store = hermes_state::Store::open_read_only(fixture.path()).unwrap();
    let error = store.import(&mut &GOOD[..], &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), "read_only");
}

#[test]
fn progress_tells_the_bytes_and_what_is_imported() {
    let home = Home::new();
    let store = home.store();
    let mut seen = Vec::new();
    let input = [GOOD, b"\n", b"broken\n"].concat();
    store
        .import(&mut &input[..], &mut |done| {
            seen.push((done.bytes, done.sessions, done.messages))
        })
        .unwrap();
    let good = GOOD.len() as u64;
    assert_eq!(seen, [(good, 1, 1), (good + 1, 1, 1), (good + 8, 1, 1)]);
}
