//! What is wrong at a glance.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, fed, hermesctl, run_in};

/// The user's home with a Hermes home that only its owner can enter.
fn user() -> (tempfile::TempDir, PathBuf) {
    let user = tempfile::tempdir().unwrap();
    let home = user.path().join(".hermes");
    fs::create_dir(&home).unwrap();
    mode(&home, 0o700);
    (user, home)
}

fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn doctor(user: &Path) -> (i32, Value) {
    let run = run_in(user, ["--json", "doctor"]);
    assert_eq!(run.stderr, "");
    (run.code, run.json())
}

fn ids(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|f| f["id"].as_str().unwrap()).collect()
}

/// Every file with its bytes, without those that SQLite puts beside a file it reads.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !name.ends_with("-shm") && !name.ends_with("-wal") {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn a_home_that_is_not_there_yet_is_nothing_wrong_and_not_made() {
    let user = tempfile::tempdir().unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!((code, &report["findings"]), (0, &json!([])));
    assert_eq!(report["home"]["exists"], json!(false));
    assert_eq!(report["store"], Value::Null);
    assert_eq!(report["backends"][0]["name"], json!("local"));
    assert_eq!(report["backends"][0]["chosen"], json!(true));
    assert!(!user.path().join(".hermes").exists());
}

#[test]
fn a_sound_home_is_told_on_one_screen() {
    let (user, home) = user();
    let line = b"{\"role\": \"user\", \"content\": \"hello\"}\n";
    fed(user.path(), &["chat-log"], line).ok();
    let before = files(&home);
    let told = run_in(user.path(), ["doctor"]).ok().stdout;
    for part in [
        "home      ~/.hermes (the default Hermes home)\n",
        "profile   default\n",
        "store     ~/.hermes/state.db, ",
        ", version 11, 1 session, 1 message\n",
        "journal wal",
        "index complete",
        "approvals mode manual, 0 allowed for good",
        "local (chosen): usable\n",
        "ssh: no: no host is named\n",
        "\n\nnothing is wrong\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.lines().count() < 25, "{told}");
    assert_eq!(files(&home), before);
}

#[test]
fn each_thing_that_is_wrong_is_found_with_its_place_and_remedy_and_left_alone() {
    let (user, home) = user();
    let store = fixture("damaged_stale_index_v11.db");
    fs::copy(store.path(), home.join("state.db")).unwrap();
    let config = "terminal:\n  timeout: soon\napprovals:\n  mode: off\n  timeout: later\n\
                  command_allowlist:\n  - 'ls; rm x'\n  - 12\n  - '*'\n";
    fs::write(home.join("config.yaml"), config).unwrap();
    fs::write(home.join(".env"), "A=1\nB C\nHERMES_YOLO_MODE=1\n").unwrap();
    for file in ["state.db", "config.yaml", ".env"] {
        mode(&home.join(file), if file == ".env" { 0o644 } else { 0o600 });
    }
    mode(&home, 0o755);
    let before = files(&home);
    let (code, report) = doctor(user.path());
    assert_eq!(code, 4);
    let found = ids(&report);
    for id in [
        "search_incomplete",
        "search_holds_nul",
        "bad_env_line",
        "bad_setting",
        "approvals_off",
        "allowlist_ignored",
        "allowlist_entry",
        "file_modes",
    ] {
        assert!(found.contains(&id), "{id}: {found:?}");
    }
    let count = |id: &str| found.iter().filter(|found| **found == id).count();
    assert_eq!(
        (
            count("approvals_off"),
            count("allowlist_entry"),
            count("file_modes")
        ),
        (2, 2, 1)
    );
    let findings = report["findings"].as_array().unwrap();
    for finding in findings {
        for key in ["message", "remedy", "severity", "area"] {
            assert!(
                finding[key].as_str().is_some_and(|text| !text.is_empty()),
                "{finding}"
            );
        }
    }
    let place = |id: &str| {
        let finding = findings.iter().find(|finding| finding["id"] == id).unwrap();
        (finding["line"].clone(), finding["column"].clone())
    };
    assert_eq!(place("bad_setting"), (json!(2), json!(12)));
    assert_eq!(place("bad_env_line"), (json!(2), Value::Null));
    assert_eq!(place("allowlist_ignored").0, json!(8));
    let told = run_in(user.path(), ["doctor"]);
    assert_eq!(told.code, 4);
    assert_eq!(told.stdout.matches("\n  remedy: ").count(), findings.len());
    assert!(
        told.stdout
            .ends_with(&format!("\n{} findings\n", findings.len())),
        "{}",
        told.stdout
    );
    assert_eq!(files(&home), before);
}

#[test]
fn what_cannot_be_read_is_a_finding_and_the_rest_is_still_told() {
    let (user, home) = user();
    let none = fixture("not_a_database.db");
    fs::copy(none.path(), home.join("state.db")).unwrap();
    fs::write(home.join("config.yaml"), "a: [1\nb: }\n").unwrap();
    fs::create_dir(home.join(".env")).unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!(code, 4);
    assert_eq!(ids(&report), ["not_a_database", "bad_config", "bad_config"]);
    assert_eq!(report["versions"]["native_schema"], json!(11));
    assert_eq!(report["tools"]["registered"], json!(3));
    // A file that keeps others from being read is told once.
    fs::remove_file(home.join("state.db")).unwrap();
    fs::remove_file(home.join("config.yaml")).unwrap();
    assert_eq!(ids(&doctor(user.path()).1), ["bad_config"]);

    let user = tempfile::tempdir().unwrap();
    fs::write(user.path().join(".hermes"), "no folder").unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!(code, 4);
    assert_eq!(ids(&report), ["not_a_directory"]);
}

#[test]
fn a_home_that_cannot_be_told_is_a_finding_and_wrong_usage_is_none() {
    let (user, home) = user();
    fs::write(home.join("active_profile"), "gone\n").unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!((code, ids(&report)), (4, vec!["active_profile_missing"]));
    assert!(report["versions"].is_object());
    let run = run_in(user.path(), ["--profile", "NOT valid", "doctor"]);
    assert_eq!(run.code, 64);
}

#[test]
fn a_backend_that_commands_are_to_run_in_must_be_usable() {
    let (user, home) = user();
    let told = |config: &str| {
        fs::write(home.join("config.yaml"), config).unwrap();
        let run: Run = hermesctl(user.path())
            .args(["--json", "doctor"])
            .env("PATH", "/nowhere")
            .output()
            .unwrap()
            .into();
        let report = run.json();
        let findings = report["findings"].as_array().unwrap();
        assert_eq!((run.code, findings.len()), (4, 1), "{report}");
        findings[0]["message"].as_str().unwrap().to_owned()
    };
    for (config, part) in [
        ("terminal:\n  backend: modal\n", "modal"),
        ("terminal:\n  backend: no-such\n", "no-such"),
        ("terminal:\n  backend: ssh\n", "ssh_host"),
        (
            "terminal:\n  backend: ssh\n  ssh_host: example\n",
            "commands run in ssh, and there is no ssh in PATH",
        ),
        (
            "terminal:\n  backend: docker\n",
            "commands run in docker, and there is no docker and no podman in PATH",
        ),
        (
            "terminal:\n  backend: podman\n",
            "commands run in docker, and there is no podman in PATH",
        ),
        (
            "terminal:\n  backend: singularity\n",
            "commands run in singularity, and there is no apptainer and no singularity in PATH",
        ),
        (
            "terminal:\n  backend: local\n",
            "commands run in local, and ",
        ),
    ] {
        let message = told(config);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_container_backend_is_told_with_what_is_wrong_with_it() {
    let (user, home) = user();
    let engine = user.path().join("engine");
    let told = |config: &str, program: &str| {
        fs::write(home.join("config.yaml"), config).unwrap();
        mode(&home.join("config.yaml"), 0o600);
        fs::write(&engine, format!("#!/bin/sh\n{program}\n")).unwrap();
        mode(&engine, 0o755);
        let run: Run = hermesctl(user.path())
            .args(["--json", "doctor"])
            .env("PATH", "/usr/bin:/bin")
            .env("HERMES_DOCKER_BINARY", &engine)
            .output()
            .unwrap()
            .into();
        let report = run.json();
        let found = ids(&report).join(" ");
        let first = &report["findings"][0];
        let text = format!("{}; {}", first["message"], first["remedy"]).replace('"', "");
        (run.code, found, text)
    };
    let docker = "terminal:\n  backend: docker\n";
    assert_eq!(told(docker, ":").0, 0);
    let dead = "echo 'Cannot connect to the daemon' >&2; exit 1";
    let (code, found, text) = told(docker, dead);
    assert_eq!((code, found.as_str()), (4, "backend_unusable"));
    assert!(
        text.contains("does not work here: Cannot connect to the daemon")
            && text.contains("start its service, and try `engine ps`"),
        "{text}"
    );
    // One that is not chosen is no finding.
    assert_eq!(told("terminal:\n  backend: local\n", dead).0, 0);
    let (code, found, text) = told(&format!("{docker}  docker_image: a b\n"), ":");
    assert_eq!((code, found.as_str()), (4, "backend_unusable"));
    assert!(text.contains("set terminal.docker_image"), "{text}");
    let config = format!("{docker}  docker_mount_cwd_to_workspace: true\n  cwd: ~/gone\n");
    let (code, found, text) = told(&config, ":");
    assert_eq!((code, found.as_str()), (4, "backend_unusable"));
    assert!(text.contains("gone to be /workspace"), "{text}");
    let config = "terminal:\n  backend: singularity\n  singularity_image: /none.sif\n";
    let (code, found, text) = told(config, ":");
    assert_eq!((code, found.as_str()), (4, "backend_unusable"));
    assert!(
        text.contains("Apptainer") || text.contains("singularity_image"),
        "{text}"
    );
}

#[test]
fn settings_that_change_nothing_are_found() {
    let (user, home) = user();
    let config = "terminal:\n  docker_volume: ['a:b']\n  persistent_shell: no\n";
    fs::write(home.join("config.yaml"), config).unwrap();
    mode(&home.join("config.yaml"), 0o600);
    let (code, report) = doctor(user.path());
    assert_eq!(
        (code, ids(&report)),
        (4, vec!["unused_setting", "unused_setting"])
    );
    let first = &report["findings"][0];
    assert_eq!((&first["line"], &first["column"]), (&json!(2), &json!(18)));
    let message = first["message"].as_str().unwrap();
    assert!(
        message.contains("terminal.docker_volume changes nothing"),
        "{message}"
    );
}

#[test]
fn a_store_of_another_version_has_the_remedy_of_its_own() {
    for (name, id, part) in [
        ("v4.db", "outdated", "hermesctl db migrate"),
        ("v30_inline.db", "too_new", "a newer hermesctl"),
    ] {
        let (user, home) = user();
        fs::copy(fixture(name).path(), home.join("state.db")).unwrap();
        mode(&home.join("state.db"), 0o600);
        let (code, report) = doctor(user.path());
        assert_eq!((code, ids(&report)), (4, vec![id]), "{name}");
        let remedy = report["findings"][0]["remedy"].as_str().unwrap();
        assert!(remedy.contains(part), "{remedy}");
        let told = run_in(user.path(), ["doctor"]).stdout;
        assert!(!told.contains("index the index"), "{told}");
        assert!(told.lines().count() < 25, "{told}");
    }
}

#[test]
fn a_file_for_shells_that_is_not_there_is_found() {
    let (user, home) = user();
    fs::write(user.path().join("there"), "").unwrap();
    let config = "terminal:\n  shell_init_files: [~/there, ~/gone]\n";
    fs::write(home.join("config.yaml"), config).unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!((code, ids(&report)), (4, vec!["init_file_missing"]));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("gone") && !message.contains("there of"),
        "{message}"
    );
}

#[test]
fn a_directory_to_start_in_that_is_not_there_is_found() {
    let (user, home) = user();
    let told = |directory: &str| {
        fs::write(
            home.join("config.yaml"),
            format!("terminal: {{cwd: {directory}}}\n"),
        )
        .unwrap();
        mode(&home.join("config.yaml"), 0o600);
        doctor(user.path())
    };
    let (code, report) = told("~/gone");
    assert_eq!((code, ids(&report)), (4, vec!["cwd_missing"]));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("not there: ~/gone"), "{message}");
    assert_eq!(told("'~'").0, 0);
}

#[test]
fn a_list_of_background_processes_that_cannot_be_read_is_found() {
    let (user, home) = user();
    fs::write(home.join("processes.json"), "[]\n").unwrap();
    assert_eq!(doctor(user.path()).0, 0);
    fs::write(home.join("processes.json"), "{broken\n").unwrap();
    let (code, report) = doctor(user.path());
    assert_eq!((code, ids(&report)), (4, vec!["bad_processes"]));
}

#[test]
fn a_home_that_cannot_be_written_is_found() {
    let (user, home) = user();
    mode(&home, 0o500);
    if fs::write(home.join("try"), "").is_ok() {
        eprintln!("SKIPPED: whoever runs this may write everywhere");
        return;
    }
    let (code, report) = doctor(user.path());
    assert_eq!((code, ids(&report)), (4, vec!["home_read_only"]));
    mode(&home, 0o700);
}

/// Runs the rest of its arguments in a folder that the system says lies on a server: the folder has a
/// file system of its own, and the list of mounts another name for it.
#[cfg(target_os = "linux")]
const ON_A_SERVER: &str = r#"
mount -t ramfs ramfs "$1" || exit 77
cp -r "$2"/. "$1"
printf '99 22 0:99 / %s rw - nfs4 server:/export rw\n' "$1" > "$1/mounts"
mount --bind "$1/mounts" /proc/$$/mountinfo || exit 77
shift 2
exec "$@"
"#;

/// CORR-15: the probe says nfs.
#[test]
#[cfg(target_os = "linux")]
fn a_store_on_a_server_is_a_finding_and_is_warned_about_when_it_is_opened() {
    let (user, home) = user();
    let store = fixture("v11.db");
    fs::copy(store.path(), home.join("state.db")).unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| -> Option<Run> {
        let program = hermesctl(user.path());
        let output = std::process::Command::new("unshare")
            .args([
                "--mount",
                "--map-root-user",
                "--",
                "sh",
                "-c",
                ON_A_SERVER,
                "sh",
            ])
            .args([mounted.path(), home.as_path()])
            .arg(program.get_program())
            .arg("--home")
            .arg(mounted.path())
            .args(arguments)
            .env("HOME", user.path())
            .output();
        match output {
            Ok(output) if output.status.code() != Some(77) => Some(output.into()),
            told => {
                eprintln!("SKIPPED: this system lets nobody mount a file system: {told:?}");
                None
            }
        }
    };
    let Some(examined) = run(&["--json", "doctor"]) else {
        return;
    };
    assert_eq!(examined.code, 4, "{}{}", examined.stdout, examined.stderr);
    let report = examined.json();
    assert!(ids(&report).contains(&"shared_file_system"), "{report}");
    assert_eq!(report["store"]["file_system"]["name"], json!("nfs4"));
    let rename = ["-v", "sessions", "rename", "cleared", "new title"];
    let opened = run(&rename).unwrap().ok();
    let warnings = opened
        .stderr
        .matches("file system that machines share")
        .count();
    assert_eq!(warnings, 1, "{}", opened.stderr);
    assert!(opened.stderr.contains("mode=\"wal\""), "{}", opened.stderr);
    let info = run(&["db", "info"]).unwrap().ok().stdout;
    assert!(
        info.contains("\nfile system nfs4 (shared: use it from one machine at a time)\n"),
        "{info}"
    );
}
