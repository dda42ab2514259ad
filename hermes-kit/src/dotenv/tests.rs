#![allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn process(name: &str) -> Option<String> {
    (name == "PROC").then(|| "p".to_owned())
}

#[test]
fn a_file_is_read_as_python_reads_it() {
    let recorded = testdata::vectors("dotenv");
    let recorded = recorded.as_array().unwrap();
    assert!(recorded.len() > 500);
    for case in recorded {
        let text = case.get("text").and_then(|text| text.as_str()).unwrap();
        let expected: BTreeMap<String, String> =
            serde_json::from_value(case.get("variables").unwrap().clone()).unwrap();
        let env = DotEnv::parse(text, &process);
        let found: BTreeMap<String, String> = env
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
        let wrong = case
            .get("wrong")
            .and_then(serde_json::Value::as_u64)
            .unwrap();
        assert_eq!(env.skipped_lines().len() as u64, wrong, "{text:?}");
    }
}

#[test]
fn what_is_skipped_is_told_by_line() {
    let env = DotEnv::parse("A=1\r\nB 2\r\n\r\nC=\"x\ny\" z\nD=4\rE='\n", &process);
    assert_eq!(env.skipped_lines(), [2, 4, 7]);
    assert_eq!(env.get("D"), Some("4"));
}

#[test]
fn a_file_of_any_encoding_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".env");
    assert_eq!(DotEnv::read(&path, &process).unwrap(), DotEnv::default());
    let utf16: Vec<u8> = [0xfeff_u16]
        .into_iter()
        .chain("A=é\n".encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    for bytes in [
        "\u{feff}A=é\n".as_bytes(),
        b"A=\xe9\n",
        &[0xff, 0xfe, b'A', 0, b'=', 0, 0xe9, 0],
        &utf16,
        "A=\0é".as_bytes(),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let env = DotEnv::read(&path, &process).unwrap();
        assert_eq!(env.get("A"), Some("é"), "{bytes:?}");
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let error = DotEnv::read(&path, &process).unwrap_err();
    assert!(error.to_string().contains("it is not a file"));
}

#[test]
fn a_name_that_no_variable_can_have_is_passed_over() {
    for name in ["'='", "'A=B'", "export 'A='", "''"] {
        let env = DotEnv::parse(&format!("{name}=x\nB=y\n"), &process);
        assert_eq!(env.skipped_lines(), [1], "{name}");
        assert_eq!(env.iter().collect::<Vec<_>>(), [("B", "y")], "{name}");
    }
}

#[test]
fn values_are_not_shown() {
    let env = DotEnv::parse("TOKEN=hunter2\n", &process);
    assert!(!format!("{env:?}").contains("hunter2"));
    assert!(format!("{env:?}").contains("TOKEN"));
}

proptest! {
    /// What is written in quotes is read back as it was.
    #[test]
    fn a_quoted_value_is_read_back(value in "[^\0\\\\\r$]{0,30}", before in "[ \n#a-z=]{0,10}") {
        let quoted = value.replace('"', "\\\"");
        let env = DotEnv::parse(&format!("{before}\nNAME=\"{quoted}\" # c\n"), &process);
        prop_assert_eq!(env.get("NAME"), Some(value.as_str()));
    }

    /// Nothing panics, and every name could be given to a child.
    #[test]
    fn any_text_is_read(text in "([A-C]|[='\"#\\\\ \n\r\t$@{}:-]|export |\u{85}|é){0,40}") {
        for (name, value) in DotEnv::parse(&text, &process).iter() {
            prop_assert!(!name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0'));
        }
    }
}
