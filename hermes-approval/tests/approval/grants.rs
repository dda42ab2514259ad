//! What a grant covers, for how long, and that no one gets another's.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_approval::grants::{
    Grant, GrantsFile, Question, Scope, SessionGrants, SessionLimits, covering,
};
use proptest::prelude::*;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn question<'a>(command: &'a str, keys: &'a [&'a str]) -> Question<'a> {
    Question {
        command,
        keys,
        paths: &[],
    }
}

fn covers(scope: Scope, question: &Question<'_>) -> bool {
    covering(&[Grant::new(scope, at(10))], question, at(20)).is_some()
}

#[test]
fn a_grant_for_a_key_counts_under_every_name_of_the_key() {
    let asked = question("rm -rf x", &["recursive delete"]);
    assert!(covers(Scope::key("recursive delete"), &asked));
    assert!(covers(Scope::key(r"rm\s+-[^\s]*r"), &asked));
    assert!(!covers(Scope::key("delete in root path"), &asked));
    let asked = question("find . -exec rm {} ;", &["find -exec/-execdir rm"]);
    assert!(covers(Scope::key("find -exec rm"), &asked));
    assert!(covers(Scope::key("find"), &asked));
}

#[test]
fn every_key_of_a_question_must_be_covered() {
    let keys = ["recursive delete", "find -delete"];
    let asked = question("rm -rf x; find . -delete", &keys);
    let one = [Grant::new(Scope::key("recursive delete"), at(1))];
    assert!(covering(&one, &asked, at(2)).is_none());
    let both = [
        Grant::new(Scope::key("find -delete"), at(1)),
        Grant::new(Scope::key("recursive delete"), at(1)),
    ];
    assert_eq!(covering(&both, &asked, at(2)).unwrap().len(), 2);
}

#[test]
fn a_grant_for_a_command_is_for_that_command_to_the_letter() {
    let scope = Scope::command(" rm -rf build\n");
    assert!(covers(scope.clone(), &question("rm -rf build", &["k"])));
    assert!(!covers(scope.clone(), &question("rm -rf build2", &["k"])));
    assert!(!covers(scope, &question("rm  -rf build", &["k"])));
}

#[test]
fn a_grant_for_a_beginning_ends_at_a_word_and_at_an_operator() {
    let scope = Scope::prefix("git  push").unwrap();
    for (command, covered) in [
        ("git push", true),
        ("  git   push origin main ", true),
        ("git pushall", false),
        ("git push; rm -rf /", false),
        ("git push && x", false),
        ("git push\nrm -rf /", false),
        ("git push $(x)", false),
        ("git push `x`", false),
        ("git push > f", false),
        ("sudo git push", false),
    ] {
        assert_eq!(
            covers(scope.clone(), &question(command, &["k"])),
            covered,
            "{command}"
        );
    }
    for prefix in ["", "  ", "a; b", "rm \"a b\"", "a 'b", "echo $x", "a\\ b"] {
        assert!(Scope::prefix(prefix).is_none(), "{prefix}");
    }
}

#[test]
fn a_grant_for_a_folder_covers_only_what_is_known_to_lie_in_it() {
    let scope = Scope::path_under("recursive delete", "/work/app/build").unwrap();
    let keys = ["recursive delete"];
    let check = |paths: &[&Path]| {
        covers(
            scope.clone(),
            &Question {
                command: "rm",
                keys: &keys,
                paths,
            },
        )
    };
    assert!(check(&[
        Path::new("/work/app/build/x"),
        Path::new("/work/app/build/y/z")
    ]));
    for paths in [
        &[][..],
        &[Path::new("/work/app/build")],
        &[Path::new("/work/app/build2/x")],
        &[Path::new("/work/app/build/../src")],
        &[Path::new("build/x")],
        &[Path::new("/work/app/build/x"), Path::new("/etc")],
    ] {
        assert!(!check(paths), "{paths:?}");
    }
    assert!(Scope::path_under("k", "/").is_none());
    assert!(Scope::path_under("k", "a/b").is_none());
    assert!(Scope::path_under("k", "/a/../b").is_none());
}

#[test]
fn a_grant_ends_when_it_was_said_to() {
    let grant = Grant::new(Scope::key("k"), at(100)).lasting(Duration::from_secs(60));
    assert!(grant.holds(at(100)));
    assert!(grant.holds(at(159)));
    assert!(!grant.holds(at(160)));
    assert!(!grant.holds(at(50)), "the clock was set back");
    assert!(Grant::new(Scope::key("k"), at(100)).holds(at(u32::MAX.into())));
}

#[test]
fn a_person_is_told_what_a_grant_would_cover() {
    for (scope, told) in [
        (
            Scope::key("recursive delete"),
            "every command that is asked about as \"recursive delete\"",
        ),
        (
            Scope::key("sudo"),
            "every command that is asked about as one of \"sudo with privilege flag \
             (stdin/askpass/shell/list)\", \"sudo with combined-flag privilege escalation\"",
        ),
        (
            Scope::command("curl -H 'X-Api-Key: 12345' x\u{1b}[2K"),
            "only this command, to the letter: curl -H 'X-Api-Key: ***' x\\u{1b}[2K",
        ),
        (
            Scope::prefix("git push").unwrap(),
            "every command that begins with \"git push\" and has no ; & | < > ` or $( in it",
        ),
        (
            Scope::path_under("recursive delete", "/a/b").unwrap(),
            "every command that is asked about as \"recursive delete\" and touches only what is \
             in /a/b",
        ),
    ] {
        assert_eq!(scope.covers(), told);
    }
    let hour = Grant::new(Scope::key("k"), at(1)).lasting(Duration::from_secs(7_200));
    assert_eq!(
        hour.covers(),
        "every command that is asked about as \"k\", for 2 hours"
    );
    let odd = Grant::new(Scope::key("k"), at(1)).lasting(Duration::from_secs(90));
    assert!(odd.covers().ends_with(", for 90 seconds"));
}

#[test]
fn a_conversation_has_its_own_grants_until_it_ends() {
    let grants = SessionGrants::default();
    let asked = question("rm -rf x", &["recursive delete"]);
    grants.grant("one", Grant::new(Scope::key("recursive delete"), at(1)));
    grants.set_yolo("one", true);
    assert!(grants.covering("one", &asked, at(2)).is_some());
    assert!(grants.covering("two", &asked, at(2)).is_none());
    assert!(!grants.is_yolo("two"));
    assert!(grants.is_yolo("one"));
    grants.clear("one");
    assert!(grants.covering("one", &asked, at(2)).is_none());
    assert!(!grants.is_yolo("one"));
    assert!(grants.is_empty());
}

#[test]
fn the_conversation_that_was_not_used_for_the_longest_time_is_forgotten_first() {
    let grants = SessionGrants::with_limits(SessionLimits::new(3, 2));
    let asked = question("x", &["k"]);
    for session in ["a", "b", "c"] {
        grants.grant(session, Grant::new(Scope::key("k"), at(1)));
    }
    assert!(grants.covering("a", &asked, at(2)).is_some());
    grants.grant("d", Grant::new(Scope::key("k"), at(1)));
    assert_eq!(grants.len(), 3);
    assert!(grants.covering("b", &asked, at(2)).is_none());
    assert!(grants.covering("a", &asked, at(2)).is_some());
    for key in ["k1", "k2", "k3"] {
        grants.grant("a", Grant::new(Scope::key(key), at(1)));
    }
    let kept: Vec<_> = grants
        .list("a")
        .into_iter()
        .map(|grant| grant.scope)
        .collect();
    assert_eq!(kept, [Scope::key("k2"), Scope::key("k3")]);
}

#[test]
fn grants_on_disk_are_merged_with_what_others_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let one = GrantsFile::in_folder(folder.path());
    let two = GrantsFile::in_folder(folder.path());
    assert!(one.list(at(5)).unwrap().is_empty());
    let short = Grant::new(Scope::key("k"), at(1)).lasting(Duration::from_secs(10));
    one.add(&short, at(1)).unwrap();
    two.add(
        &Grant::new(Scope::prefix("git push").unwrap(), at(2)),
        at(2),
    )
    .unwrap();
    assert_eq!(one.list(at(5)).unwrap().len(), 2);
    assert!(
        one.covering(&question("git push x", &["z"]), at(5))
            .unwrap()
            .is_some()
    );
    assert!(
        one.covering(&question("x", &["k"]), at(5))
            .unwrap()
            .is_some()
    );
    assert!(
        one.covering(&question("x", &["k"]), at(11))
            .unwrap()
            .is_none()
    );
    assert!(two.remove(&Scope::prefix("git push").unwrap()).unwrap());
    assert!(!two.remove(&Scope::prefix("git push").unwrap()).unwrap());
    assert_eq!(one.list(at(5)).unwrap(), [short]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(one.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_a_newer_release_wrote_is_kept_and_covers_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = GrantsFile::in_folder(folder.path());
    let text = r#"{"version": 1, "note": "mine", "grants": [
        {"covers": {"scope": "moon_phase", "phase": "full"}, "granted_at": 1.0},
        {"covers": {"scope": "prefix", "prefix": "a; b"}, "granted_at": 1.0},
        {"covers": {"scope": "path_under", "key": "k", "folder": "/"}, "granted_at": 1.0},
        {"covers": {"scope": "key", "key": "k"}, "granted_at": 1.5, "expires_at": 100.25}]}"#;
    fs::write(file.path(), text).unwrap();
    let grants = file.list(at(5)).unwrap();
    assert_eq!(grants.len(), 1);
    assert_eq!(grants[0].scope, Scope::key("k"));
    assert_eq!(grants[0].expires_at, Some(100.25));
    file.add(&Grant::new(Scope::key("k2"), at(6)), at(6))
        .unwrap();
    let now = fs::read_to_string(file.path()).unwrap();
    assert!(
        now.contains("moon_phase") && now.contains("\"note\": \"mine\""),
        "{now}"
    );
    assert!(now.contains("a; b"), "{now}");
}

#[test]
fn a_file_that_is_not_understood_is_an_error_and_is_left_alone() {
    for text in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"version": 2, "grants": []}"#,
        r#"{"version": 1, "grants": {}}"#,
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = GrantsFile::in_folder(folder.path());
        fs::write(file.path(), text).unwrap();
        assert_eq!(file.list(at(1)).unwrap_err().code(), "bad_grants");
        let grant = Grant::new(Scope::key("k"), at(1));
        assert_eq!(file.add(&grant, at(1)).unwrap_err().code(), "bad_grants");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn nothing_is_covered_by_a_beginning_but_what_begins_so(command in "[ a-c;&|<>`$()\n\"']{0,12}") {
        let scope = Scope::prefix("a b").unwrap();
        let words: Vec<&str> = command.split_whitespace().collect();
        let begins = words.starts_with(&["a", "b"]);
        if covers(scope, &question(&command, &["k"])) {
            prop_assert!(begins);
            prop_assert!(!command.trim().contains(['\n', ';', '&', '|', '<', '>', '`']));
        }
    }

    #[test]
    fn any_grants_read_back_as_they_were_written(
        key in "\\PC{0,20}", command in "\\PC{0,20}", end in proptest::option::of(0u64..1_000_000),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = GrantsFile::in_folder(folder.path());
        let mut first = Grant::new(Scope::key(key), at(10));
        if let Some(end) = end {
            first = first.lasting(Duration::from_millis(end + 1_000));
        }
        let second = Grant::new(Scope::command(&command), at(10));
        file.add(&first, at(10)).unwrap();
        file.add(&second, at(10)).unwrap();
        prop_assert_eq!(file.list(at(10)).unwrap(), [first, second]);
    }
}
