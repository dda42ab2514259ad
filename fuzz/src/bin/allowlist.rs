//! Entries are added to any file and taken out again: what was there stays, or it is an error and
//! the file stays as it was.
#![no_main]

use std::fs;

use hermes_approval::allowlist::AllowlistFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (text, entry) = input;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.yaml");
    fs::write(&path, text).expect("the file is written");
    let file = AllowlistFile::new(&path);
    let entries = || {
        file.current().map(|list| {
            list.entries()
                .iter()
                .map(|e| e.text.clone())
                .collect::<Vec<_>>()
        })
    };
    let before = entries();
    let added = file.add(&[entry]);
    let now = fs::read_to_string(&path).expect("the file is read");
    match (before, added) {
        (Ok(before), Ok(_)) => {
            let after = entries().expect("what was written can be read");
            for old in &before {
                assert!(after.contains(old), "{old:?} was lost");
            }
            assert!(
                after.iter().any(|e| e.trim() == entry.trim()),
                "{entry:?} is not there"
            );
            for line in text
                .lines()
                .filter(|line| line.trim_start().starts_with('#'))
            {
                assert!(now.contains(line.trim()), "a comment was lost: {line:?}");
            }
        }
        (_, Err(_)) => assert_eq!(now, text, "an error changed the file"),
        (Err(error), Ok(_)) => panic!("a file that cannot be read was written: {error}"),
    }
});
