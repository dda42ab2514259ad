//! The list in every shape that a `config.yaml` has: whole files are compared, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_approval::Error;
use hermes_approval::allowlist::{Allowlist, AllowlistFile};
use proptest::prelude::*;
use tempfile::TempDir;

fn config(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn added(text: &str, entry: &str) -> Result<String, Error> {
    let (_folder, path) = config(text);
    let change = AllowlistFile::new(&path).add(&[entry])?;
    assert_eq!(change.added, [entry]);
    Ok(fs::read_to_string(&path).unwrap())
}

fn removed(text: &str, entry: &str) -> Result<String, Error> {
    let (_folder, path) = config(text);
    AllowlistFile::new(&path).remove(&[entry])?;
    Ok(fs::read_to_string(&path).unwrap())
}

fn entries(text: &str) -> Vec<String> {
    Allowlist::parse(text, Path::new("config.yaml"))
        .unwrap()
        .entries()
        .iter()
        .map(|entry| entry.text.clone())
        .collect()
}

/// Name, before, after adding `new: key`, after removing `a b` from the file before.
const SHAPES: [(&str, &str, &str, &str); 36] = [
    (
        "a block list with comments",
        "# top\nmodel: x  # why\ncommand_allowlist:\n  # mine\n  - a b  # trail\n  - 'c: d'\n\n# next\nother:\n  k: 1\n",
        "# top\nmodel: x  # why\ncommand_allowlist:\n  # mine\n  - a b  # trail\n  - 'c: d'\n  - 'new: key'\n\n# next\nother:\n  k: 1\n",
        "# top\nmodel: x  # why\ncommand_allowlist:\n  # mine\n  - 'c: d'\n\n# next\nother:\n  k: 1\n",
    ),
    (
        "a block list without indent",
        "a: 1\ncommand_allowlist:\n- a b\n- c\nother: 2\n",
        "a: 1\ncommand_allowlist:\n- a b\n- c\n- 'new: key'\nother: 2\n",
        "a: 1\ncommand_allowlist:\n- c\nother: 2\n",
    ),
    (
        "a block list with a deep indent",
        "command_allowlist:\n      - a b\n      - c\nother: 2\n",
        "command_allowlist:\n      - a b\n      - c\n      - 'new: key'\nother: 2\n",
        "command_allowlist:\n      - c\nother: 2\n",
    ),
    (
        "a flow list",
        "command_allowlist: [a b, c]  # fl\nother: 2\n",
        "command_allowlist: [a b, c, 'new: key']  # fl\nother: 2\n",
        "command_allowlist: [c]  # fl\nother: 2\n",
    ),
    (
        "a flow list over lines",
        "command_allowlist: [\n  a b,\n  c,\n]\nother: 2\n",
        "command_allowlist: [\n  a b,\n  c,\n  'new: key',\n]\nother: 2\n",
        "command_allowlist: [\n  c,\n]\nother: 2\n",
    ),
    (
        "an empty flow list",
        "command_allowlist: []\nother: 2\n",
        "command_allowlist: ['new: key']\nother: 2\n",
        "command_allowlist: []\nother: 2\n",
    ),
    (
        "no value",
        "command_allowlist:\nother: 2\n",
        "command_allowlist:\n  - 'new: key'\nother: 2\n",
        "command_allowlist:\nother: 2\n",
    ),
    (
        "null",
        "command_allowlist: null # n\nother: 2\n",
        "command_allowlist: # n\n  - 'new: key'\nother: 2\n",
        "command_allowlist: null # n\nother: 2\n",
    ),
    (
        "a tilde",
        "command_allowlist: ~\n",
        "command_allowlist:\n  - 'new: key'\n",
        "command_allowlist: ~\n",
    ),
    (
        "no key",
        "other: 2\n",
        "other: 2\ncommand_allowlist:\n- 'new: key'\n",
        "other: 2\n",
    ),
    (
        "no key, comments at the end",
        "other:\n  k: 1\n# the end\n",
        "other:\n  k: 1\n# the end\ncommand_allowlist:\n- 'new: key'\n",
        "other:\n  k: 1\n# the end\n",
    ),
    (
        "no key and no line end",
        "other: 2",
        "other: 2\ncommand_allowlist:\n- 'new: key'",
        "other: 2",
    ),
    (
        "an empty file",
        "",
        "command_allowlist:\n- 'new: key'\n",
        "",
    ),
    (
        "only comments",
        "# only\n\n# this",
        "# only\n\n# this\ncommand_allowlist:\n- 'new: key'\n",
        "# only\n\n# this",
    ),
    (
        "only a document start",
        "---\n",
        "---\ncommand_allowlist:\n- 'new: key'\n",
        "---\n",
    ),
    (
        "CR LF",
        "a: 1\r\ncommand_allowlist:\r\n  - a b\r\n  - c\r\nother: 2\r\n",
        "a: 1\r\ncommand_allowlist:\r\n  - a b\r\n  - c\r\n  - 'new: key'\r\nother: 2\r\n",
        "a: 1\r\ncommand_allowlist:\r\n  - c\r\nother: 2\r\n",
    ),
    (
        "CR LF and no key",
        "a: 1\r\n# c\r\n",
        "a: 1\r\n# c\r\ncommand_allowlist:\r\n- 'new: key'\r\n",
        "a: 1\r\n# c\r\n",
    ),
    (
        "a byte order mark",
        "\u{feff}a: 1\ncommand_allowlist:\n  - a b\n  - c\n",
        "\u{feff}a: 1\ncommand_allowlist:\n  - a b\n  - c\n  - 'new: key'\n",
        "\u{feff}a: 1\ncommand_allowlist:\n  - c\n",
    ),
    (
        "a byte order mark and nothing else",
        "\u{feff}",
        "\u{feff}command_allowlist:\n- 'new: key'\n",
        "\u{feff}",
    ),
    (
        "the last line without an end",
        "a: 1\ncommand_allowlist:\n  - a b\n  - c",
        "a: 1\ncommand_allowlist:\n  - a b\n  - c\n  - 'new: key'",
        "a: 1\ncommand_allowlist:\n  - c",
    ),
    (
        "entries over lines",
        "command_allowlist:\n  - >\n    x y\n  - a b\n  - \"x\n    z\"\nother: 1\n",
        "command_allowlist:\n  - >\n    x y\n  - a b\n  - \"x\n    z\"\n  - 'new: key'\nother: 1\n",
        "command_allowlist:\n  - >\n    x y\n  - \"x\n    z\"\nother: 1\n",
    ),
    (
        "document marks",
        "%YAML 1.1\n---\ncommand_allowlist:\n  - a b\n...\n",
        "%YAML 1.1\n---\ncommand_allowlist:\n  - a b\n  - 'new: key'\n...\n",
        "%YAML 1.1\n---\ncommand_allowlist: []\n...\n",
    ),
    (
        "a mapping in braces",
        "{a: 1, command_allowlist: [a b, c]}\n",
        "{a: 1, command_allowlist: [a b, c, 'new: key']}\n",
        "{a: 1, command_allowlist: [c]}\n",
    ),
    (
        "an anchor that nobody uses, other anchors, an entry twice, no text among the entries",
        "x: &x {y: 1}\ncommand_allowlist: &own\n- a b\n- 12\n- yes\n- 'yes'\n- a b\nz: *x\n",
        "x: &x {y: 1}\ncommand_allowlist: &own\n- a b\n- 12\n- yes\n- 'yes'\n- a b\n- 'new: key'\nz: *x\n",
        "x: &x {y: 1}\ncommand_allowlist: &own\n- 12\n- yes\n- 'yes'\nz: *x\n",
    ),
    (
        "an end mark and no key",
        "a: 1\n# c\n...\n",
        "a: 1\n# c\ncommand_allowlist:\n- 'new: key'\n...\n",
        "a: 1\n# c\n...\n",
    ),
    (
        "an end mark with a comment, and comments behind it",
        "a: 1\n... # c\n\n# d\n...\n",
        "a: 1\ncommand_allowlist:\n- 'new: key'\n... # c\n\n# d\n...\n",
        "a: 1\n... # c\n\n# d\n...\n",
    ),
    (
        "an end mark, CR LF, and no line end",
        "a: 1\r\ncommand_allowlist:\r\n- a b\r\n- c\r\n...",
        "a: 1\r\ncommand_allowlist:\r\n- a b\r\n- c\r\n- 'new: key'\r\n...",
        "a: 1\r\ncommand_allowlist:\r\n- c\r\n...",
    ),
    (
        "marks around nothing",
        "%YAML 1.2\n---\n...\n",
        "%YAML 1.2\n---\ncommand_allowlist:\n- 'new: key'\n...\n",
        "%YAML 1.2\n---\n...\n",
    ),
    (
        "a mapping in braces and an end mark",
        "{a: 1, command_allowlist: [a b]}\n...\n",
        "{a: 1, command_allowlist: [a b, 'new: key']}\n...\n",
        "{a: 1, command_allowlist: []}\n...\n",
    ),
    (
        "a tag",
        "command_allowlist: !!seq # t\n  - a b\n  - c\nz: 1\n",
        "command_allowlist: !!seq # t\n  - a b\n  - c\n  - 'new: key'\nz: 1\n",
        "command_allowlist: !!seq # t\n  - c\nz: 1\n",
    ),
    (
        "a tag on a flow list, and an anchor",
        "command_allowlist: &x !!seq [a b, c]\nz: 1\n",
        "command_allowlist: &x !!seq [a b, c, 'new: key']\nz: 1\n",
        "command_allowlist: &x !!seq [c]\nz: 1\n",
    ),
    (
        "a tag that is spelt out, on a list that ends",
        "command_allowlist: !<tag:yaml.org,2002:seq>\n- a b\nz: 1\n",
        "command_allowlist: !<tag:yaml.org,2002:seq>\n- a b\n- 'new: key'\nz: 1\n",
        "command_allowlist: !<tag:yaml.org,2002:seq> []\nz: 1\n",
    ),
    (
        "an anchor and a tag on a list that ends",
        "command_allowlist: &x !!seq\n- a b\n",
        "command_allowlist: &x !!seq\n- a b\n- 'new: key'\n",
        "command_allowlist: &x []\n",
    ),
    (
        "a list that ends under a comment",
        "command_allowlist:\n# c\n- a b\n# d\nz: 1\n",
        "command_allowlist:\n# c\n- a b\n- 'new: key'\n# d\nz: 1\n",
        "command_allowlist:\n# c\n  []\n# d\nz: 1\n",
    ),
    (
        "a key in quotes",
        "\"command_allowlist\":\n- a b\n- c\nz: 1\n",
        "\"command_allowlist\":\n- a b\n- c\n- 'new: key'\nz: 1\n",
        "\"command_allowlist\":\n- c\nz: 1\n",
    ),
    (
        "a key with a question mark",
        "? command_allowlist\n: - a b\n  - c\nz: 1\n",
        "? command_allowlist\n: - a b\n  - c\n  - 'new: key'\nz: 1\n",
        "? command_allowlist\n: - c\nz: 1\n",
    ),
];

#[test]
fn every_shape_is_edited_without_touching_the_rest() {
    for (name, before, with, without) in SHAPES {
        assert_eq!(added(before, "new: key").unwrap(), with, "adding: {name}");
        assert_eq!(removed(before, "a b").unwrap(), without, "removing: {name}");
        assert_eq!(
            entries(with),
            [entries(before), vec!["new: key".to_owned()]].concat(),
            "{name}"
        );
        if !before.trim_start_matches('\u{feff}').is_empty() && entries(before).is_empty() {
            continue;
        }
        let mut emptied = before.to_owned();
        for entry in entries(before) {
            emptied = removed(&emptied, &entry)
                .unwrap_or_else(|error| panic!("{name}: {error}: {emptied}"));
        }
        assert_eq!(entries(&emptied), [""; 0], "{name}");
        let anew = added(&emptied, "new: key").unwrap();
        assert_eq!(entries(&anew), ["new: key"], "{name}: {anew}");
        // Taking off what was put on gives the old list.
        assert_eq!(
            entries(&removed(with, "new: key").unwrap()),
            entries(before),
            "{name}"
        );
    }
}

#[test]
fn what_cannot_be_changed_by_itself_is_refused_and_left_as_it_is() {
    for (text, code) in [
        ("command_allowlist: [a\n", "bad_yaml"),
        ("a: 1\n  b: 2\n", "bad_yaml"),
        ("\t- x: y: z\n", "bad_yaml"),
        ("command_allowlist: a b\n", "wrong_shape"),
        ("command_allowlist: {a: 1}\n", "wrong_shape"),
        ("- a\n- b\n", "wrong_shape"),
        ("just words\n", "wrong_shape"),
        (
            "command_allowlist: [a]\nx: 1\ncommand_allowlist: [b]\n",
            "duplicate_allowlist",
        ),
        (
            "command_allowlist: [a]\n'command_allowlist': [b]\n",
            "duplicate_allowlist",
        ),
        ("a: 1\n---\nb: 2\n", "several_documents"),
        ("a: 1\n...\n---\nb: 2\n", "several_documents"),
        ("command_allowlist: !!null\nz: 1\n", "shared_allowlist"),
        ("command_allowlist: !mine [a b]\n", "shared_allowlist"),
        (
            "base: &b [a b]\ncommand_allowlist: *b\n",
            "shared_allowlist",
        ),
        (
            "command_allowlist: &b [a b]\nother: *b\n",
            "shared_allowlist",
        ),
        (
            "command_allowlist: [&x a b]\nother: *x\n",
            "shared_allowlist",
        ),
        (
            "base: &b\n  command_allowlist: [a b]\n<<: *b\n",
            "shared_allowlist",
        ),
        ("null\n", "shared_allowlist"),
    ] {
        let (_folder, path) = config(text);
        let error = AllowlistFile::new(&path).add(&["new"]).unwrap_err();
        assert_eq!(error.code(), code, "{text}: {error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(
            fs::read_dir(path.parent().unwrap())
                .unwrap()
                .filter(|entry| entry
                    .as_ref()
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .contains("new"))
                .count(),
            0
        );
    }
    let (_folder, path) = config("");
    fs::write(&path, b"a: \xff\n").unwrap();
    let error = AllowlistFile::new(&path).add(&["new"]).unwrap_err();
    assert_eq!(error.code(), "not_utf8");
}

#[test]
fn a_list_given_by_alias_or_merge_is_read_from_there() {
    assert_eq!(
        entries("base: &b [a b, c]\ncommand_allowlist: *b\n"),
        ["a b", "c"]
    );
    assert_eq!(
        entries("x: &x a b\ncommand_allowlist: [*x, c]\n"),
        ["a b", "c"]
    );
    assert_eq!(
        entries("base: &b\n  command_allowlist: [a b]\n<<: *b\n"),
        ["a b"]
    );
    assert_eq!(
        entries("p: &p {k: 1}\nq: &q {command_allowlist: [z]}\n<<: [*p, *q]\n"),
        ["z"]
    );
    assert_eq!(
        entries("base: &b {command_allowlist: [z]}\n<<: *b\ncommand_allowlist: [own]\n"),
        ["own"]
    );
}

#[test]
fn mappings_that_merge_each_other_many_times_are_read_in_no_time() {
    let mut text = "a0: &a0 {k: 1}\n".to_owned();
    for level in 1..40 {
        let below = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} {{<<: [{below}, {below}, {below}]}}\n");
    }
    text += "<<: *a39\n";
    assert!(entries(&text).is_empty());
}

#[test]
fn deep_nesting_is_an_error_or_a_list_and_never_the_end_of_the_process() {
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(50_000),
        "- ".repeat(50_000),
        "? ".repeat(50_000),
    ] {
        let text = format!("x: 1\ny: {text}");
        let (_folder, path) = config(&text);
        AllowlistFile::new(&path).add(&["new"]).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_line_that_is_no_text_approves_nothing_and_is_named() {
    let list = Allowlist::parse(
        "command_allowlist:\n- 12\n- yes\n- null\n- [a]\n- {a: b}\n- !!int '3'\n- 'no'\n- !!str 5\n- ok\n",
        Path::new("config.yaml"),
    )
    .unwrap();
    let found: Vec<_> = list
        .ignored()
        .iter()
        .map(|one| (one.line, one.found))
        .collect();
    assert_eq!(
        found,
        [
            (2, "a number"),
            (3, "yes or no"),
            (4, "empty"),
            (5, "a list"),
            (6, "a mapping"),
            (7, "a value with a type")
        ]
    );
    let texts: Vec<_> = list
        .entries()
        .iter()
        .map(|one| (one.line, one.text.as_str()))
        .collect();
    assert_eq!(texts, [(8, "no"), (9, "5"), (10, "ok")]);
}

#[test]
fn a_change_that_changes_nothing_touches_nothing() {
    let (folder, path) = config("command_allowlist: [a b]\n");
    let file = AllowlistFile::new(&path);
    assert!(file.add(&["a b"]).unwrap().is_empty());
    assert!(file.remove(&["c"]).unwrap().is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_missing_is_an_empty_list_and_is_made_for_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    let file = AllowlistFile::new(&path);
    assert!(file.current().unwrap().entries().is_empty());
    file.remove(&["x"]).unwrap();
    assert!(!path.exists());
    file.add(&["recursive delete"]).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "command_allowlist:\n- recursive delete\n"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    let nowhere = AllowlistFile::new(folder.path().join("none/config.yaml"));
    assert_eq!(nowhere.add(&["x y"]).unwrap_err().code(), "no_folder");
}

#[test]
fn a_change_by_anyone_counts_at_once() {
    let (_folder, path) = config("command_allowlist: [a b]\n");
    let file = AllowlistFile::new(&path);
    assert!(file.current().unwrap().entry_for_key(["a b"]).is_some());
    // The same length, and most likely the same tick of the clock.
    for _ in 0..200 {
        fs::write(&path, "command_allowlist: [x y]\n").unwrap();
        assert!(file.current().unwrap().entry_for_key(["a b"]).is_none());
        fs::write(&path, "command_allowlist: [a b]\n").unwrap();
        assert!(file.current().unwrap().entry_for_key(["a b"]).is_some());
    }
    fs::write(&path, "command_allowlist: [").unwrap();
    assert_eq!(file.current().unwrap_err().code(), "bad_yaml");
    assert_eq!(file.current().unwrap_err().code(), "bad_yaml");
    fs::remove_file(&path).unwrap();
    assert!(file.current().unwrap().entries().is_empty());
}

#[test]
fn a_revocation_by_hand_is_never_undone() {
    let (_folder, path) = config("command_allowlist: [a b, c]\n");
    let file = AllowlistFile::new(&path);
    file.current().unwrap();
    fs::write(&path, "command_allowlist: [c]\n").unwrap();
    file.add(&["d"]).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "command_allowlist: [c, 'd']\n"
    );
}

#[test]
fn an_unchanged_file_is_read_once() {
    let (_folder, path) = config("command_allowlist: [a b]\n");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let file = AllowlistFile::new(&path);
    let first = file.current().unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &file.current().unwrap()));
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn the_mode_is_kept() {
        for mode in [0o600, 0o640, 0o664] {
            let (_folder, path) = config("a: 1\n");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            AllowlistFile::new(&path).add(&["a b"]).unwrap();
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                mode
            );
        }
    }

    #[test]
    fn a_link_is_written_through() {
        let (folder, path) = config("a: 1\n");
        let dots = folder.path().join("dots");
        fs::create_dir(&dots).unwrap();
        let link = dots.join("config.yaml");
        symlink("../config.yaml", &link).unwrap();
        let file = AllowlistFile::new(&link);
        file.add(&["a b"]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "a: 1\ncommand_allowlist:\n- a b\n"
        );
        assert_eq!(file.current().unwrap().entries().len(), 1);
    }

    #[test]
    fn a_link_to_nothing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("config.yaml");
        symlink("gone.yaml", &link).unwrap();
        let error = AllowlistFile::new(&link).add(&["a b"]).unwrap_err();
        assert_eq!(error.code(), "dangling_link");
    }

    #[test]
    fn a_file_that_is_marked_read_only_is_not_replaced() {
        let (_folder, path) = config("a: 1\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let before = fs::metadata(&path).unwrap().ino();
        let error = AllowlistFile::new(&path).add(&["a b"]).unwrap_err();
        assert_eq!(error.code(), "read_only");
        assert_eq!(fs::metadata(&path).unwrap().ino(), before);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 1\n");
    }

    const CHILD: &str = "FULL_DISK_TEST_FILE";

    /// The child of the next test: does nothing unless it is started by it.
    #[test]
    fn child_whose_writes_fail() {
        let Ok(path) = std::env::var(CHILD) else {
            return;
        };
        let error = AllowlistFile::new(path).add(&["a b"]).unwrap_err();
        println!("\nREFUSED {}", error.problem());
    }

    #[test]
    fn a_write_that_finds_no_room_leaves_the_old_file() {
        let (folder, path) = config("a: 1\n");
        // The system refuses to make any file longer than nothing, as a full disk does.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\" | cat"])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "allowlist::on_unix::child_whose_writes_fail",
            ])
            .env(CHILD, &path)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("REFUSED cannot write"), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 1\n");
        assert!(!folder.path().join("config.yaml.hermes-new").exists());
    }
}

#[test]
fn an_entry_must_be_one() {
    let (_folder, path) = config("a: 1\n");
    for entry in ["", "  ", " a", "a\n", "a\0b"] {
        let error = AllowlistFile::new(&path).add(&[entry]).unwrap_err();
        assert_eq!(error.code(), "bad_entry", "{entry:?}");
    }
}

#[test]
fn an_entry_is_a_key_or_the_text_of_a_command() {
    let text =
        "command_allowlist:\n- recursive delete\n- 'podman *'\n- ' ls -l '\n- \"ls && pwd\"\n";
    let list = Allowlist::parse(text, Path::new("config.yaml")).unwrap();
    assert_eq!(
        list.entry_for_key(["other", "recursive delete"])
            .map(|entry| entry.line),
        Some(2)
    );
    for (command, line) in [
        ("podman rm -f x", Some(3)),
        ("  podman ps\n", Some(3)),
        ("podman ps; ls", None),
        ("podman ps > f", None),
        ("ls -l", Some(4)),
        // The same text, but with an operator.
        ("ls && pwd", None),
        ("podman", None),
        ("", None),
    ] {
        assert_eq!(
            list.entry_for_command(command).map(|entry| entry.line),
            line,
            "{command}"
        );
    }
}

proptest! {
    #[test]
    fn any_entry_reads_back_as_it_was_written(entry in "\\PC{1,40}|[ -~]{1,40}|[\\x01-\\x7f\\u{80}-\\u{a0}]{1,12}") {
        let entry = entry.trim().to_owned();
        prop_assume!(!entry.is_empty());
        for text in ["", "a: 1\ncommand_allowlist:\n  - a\nb: 2\n", "command_allowlist: [a]\n"] {
            let (_folder, path) = config(text);
            let file = AllowlistFile::new(&path);
            match file.add(&[&entry]) {
                Ok(_) => {
                    let list = file.current().unwrap();
                    prop_assert_eq!(&list.entries().last().unwrap().text, &entry);
                    file.remove(&[&entry]).unwrap();
                    prop_assert!(!file.current().unwrap().entries().iter().any(|one| one.text == entry));
                }
                // A character that YAML cannot hold at all.
                Err(error) => {
                    prop_assert_eq!(error.code(), "edit_refused");
                    prop_assert!(entry.chars().any(char::is_control), "{:?}", entry);
                    prop_assert_eq!(fs::read_to_string(&path).unwrap(), text);
                }
            }
        }
    }

    #[test]
    fn any_text_is_edited_as_meant_or_left_alone(text in "(command_allowlist|a|[-:#&*?|>'\"%@`{}\\[\\],~ \n\r\t]|<<: |- |: |\u{feff}|é){0,40}") {
        let (_folder, path) = config(&text);
        let file = AllowlistFile::new(&path);
        let before = file.current().map(|list| list.entries().to_vec());
        match file.add(&["new key"]) {
            Ok(_) => {
                let after = file.current().unwrap();
                let texts = |entries: &[hermes_approval::allowlist::Entry]| {
                    entries.iter().map(|entry| entry.text.clone()).collect::<Vec<_>>()
                };
                let mut expected = texts(&before.unwrap());
                expected.push("new key".to_owned());
                prop_assert_eq!(texts(after.entries()), expected);
            }
            Err(_) => prop_assert_eq!(fs::read_to_string(&path).unwrap(), text),
        }
    }
}
