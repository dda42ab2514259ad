//! The backend `ssh`, against a real `sshd` on a loopback port with keys and settings of its own.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_terminal::{Error, Limits, Request, Ssh, TIMED_OUT, Terminal, Variables};

use crate::processes::{own_number, until, with_argument};
use crate::remote;
use crate::setup::{Place, output, run};

struct Sshd {
    place: Place,
    process: Child,
    port: u16,
}

const SSHD: &str = "/usr/sbin/sshd";

impl Sshd {
    /// Nothing where there is none; that is said loudly.
    fn start() -> Option<Self> {
        if !Path::new(SSHD).exists() {
            eprintln!("SKIPPED: there is no {SSHD}; `cargo xtask ci --install` installs it");
            return None;
        }
        let place = Place::new();
        let file = |name: &str| place.path().join(name);
        for name in ["host_key", "key"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(file(name))
                .status()
                .unwrap();
            assert!(made.success());
        }
        fs::create_dir(file("person")).unwrap();
        fs::copy(file("key.pub"), file("authorized_keys")).unwrap();
        // As root it wants a folder that only starting the service makes.
        let _ = fs::create_dir_all("/run/sshd");
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let public = fs::read_to_string(file("host_key.pub")).unwrap();
        fs::write(file("known_hosts"), format!("[127.0.0.1]:{port} {public}")).unwrap();
        let settings = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {key}\nAuthorizedKeysFile {authorized}\n\
             StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nMaxSessions 200\n\
             PasswordAuthentication no\nAcceptEnv none\nSetEnv HOME={home}\n",
            // What whoever runs this has in files for shells is not read, nor written.
            home = file("person").display(),
            key = file("host_key").display(),
            authorized = file("authorized_keys").display(),
        );
        fs::write(file("sshd_config"), settings).unwrap();
        let process = Self::spawn(&place);
        let sshd = Self {
            place,
            process,
            port,
        };
        sshd.wait();
        Some(sshd)
    }

    fn spawn(place: &Place) -> Child {
        Command::new(SSHD)
            .args(["-D", "-f"])
            .arg(place.path().join("sshd_config"))
            .arg("-E")
            .arg(place.path().join("log"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn wait(&self) {
        let answers = || TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        assert!(
            until(answers),
            "{}",
            fs::read_to_string(self.place.path().join("log")).unwrap()
        );
    }

    /// Ends it and all of its connections, and starts it again.
    fn restart(&mut self) {
        self.stop();
        self.process = Self::spawn(&self.place);
        self.wait();
    }

    fn stop(&mut self) {
        let sessions = self.sessions();
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        for pid in sessions {
            let _ = Command::new("kill").args(["-9", &pid]).status();
        }
    }

    /// The processes of its connections.
    fn sessions(&self) -> Vec<String> {
        let listed = Command::new("ps")
            .args(["-o", "pid=", "--ppid", &self.process.id().to_string()])
            .output()
            .unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        listed.split_whitespace().map(str::to_owned).collect()
    }

    fn ssh(&self) -> Ssh {
        let variables = Variables::none().with([
            ("PATH", std::env::var("PATH").unwrap()),
            ("SSH_SECRET", "x".to_owned()),
        ]);
        Ssh::new("127.0.0.1")
            .with_port(self.port)
            .with_key(self.place.path().join("key"))
            .with_option(format!(
                "UserKnownHostsFile={}",
                self.place.path().join("known_hosts").display()
            ))
            .with_option("GlobalKnownHostsFile=/dev/null")
            .with_variables(variables)
            .with_connect_timeout(Duration::from_secs(10))
            .in_directory(self.place.work())
    }

    fn terminal(&self) -> Terminal {
        on(self.ssh())
    }

    /// The private folders of tasks that are there.
    fn folders(&self) -> Vec<PathBuf> {
        fs::read_dir(std::env::temp_dir())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with("hermes-terminal-")
            })
            .collect()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.stop();
    }
}

fn on(ssh: Ssh) -> Terminal {
    let mut limits = Limits::default();
    limits.grace = Duration::from_millis(300);
    Terminal::builder()
        .environment(Arc::new(ssh))
        .without_gate()
        .limits(limits)
        .build()
        .unwrap()
}

#[test]
fn a_session_there_lasts_like_one_here() {
    let Some(sshd) = Sshd::start() else { return };
    let terminal = sshd.terminal();
    remote::a_session_lasts(&terminal, sshd.place.work().to_str().unwrap());
    assert_eq!(output(&terminal, "echo ${SSH_SECRET-none}"), "none\n");
}

#[test]
fn input_long_commands_and_odd_names_go_over_whole() {
    let Some(sshd) = Sshd::start() else { return };
    let terminal = sshd.terminal();
    remote::input_and_long_commands_go_over_whole(&terminal);
    let odd = sshd.place.work().join("q'\"$(x) `y` \\z");
    fs::create_dir(&odd).unwrap();
    let here = terminal
        .run("t", &Request::new("touch here").in_directory(&odd))
        .unwrap();
    assert_eq!(here.exit_code, 0, "{here:?}");
    assert!(odd.join("here").exists());
    assert_eq!(here.cwd, sshd.place.work());
}

#[test]
fn a_directory_there_is_looked_for_there() {
    let Some(sshd) = Sshd::start() else { return };
    let terminal = sshd.terminal();
    terminal.set_directory("t", "/usr").unwrap();
    assert_eq!(output(&terminal, "pwd"), "/usr\n");
}

#[test]
fn a_time_out_and_an_interruption_end_what_runs_there() {
    let Some(sshd) = Sshd::start() else { return };
    remote::what_runs_is_ended_with_all_that_it_has_started(&sshd.terminal());
}

#[test]
fn what_is_left_behind_there_holds_up_nobody() {
    let Some(sshd) = Sshd::start() else { return };
    remote::what_is_left_behind_holds_up_nobody(&sshd.terminal());
}

#[test]
fn a_connection_that_has_broken_off_is_made_again() {
    let Some(mut sshd) = Sshd::start() else {
        return;
    };
    let terminal = sshd.terminal();
    output(&terminal, "export A=1; cd /usr");
    sshd.restart();
    assert_eq!(output(&terminal, "echo $A; pwd"), "1\n/usr\n");
    sshd.stop();
    let started = Instant::now();
    let error = terminal.run("t", &Request::new("true")).unwrap_err();
    assert!(
        matches!(&error, Error::Unreachable { host, .. } if host == "127.0.0.1"),
        "{error}"
    );
    assert!(error.to_string().contains("refused"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
    sshd.restart();
    assert_eq!(output(&terminal, "echo $A"), "1\n");
}

#[test]
fn what_keeps_a_connection_from_being_made_is_said() {
    let Some(sshd) = Sshd::start() else { return };
    let error = |ssh: Ssh| {
        on(ssh)
            .run("t", &Request::new("true"))
            .unwrap_err()
            .to_string()
    };
    let stranger = sshd.place.path().join("host_key");
    assert!(error(sshd.ssh().with_key(stranger)).contains("Permission denied"));
    let unknown = sshd.ssh().with_port(1);
    assert!(error(unknown).contains("refused"));
    let unverified = Ssh::new("127.0.0.1")
        .with_port(sshd.port)
        .with_option("UserKnownHostsFile=/dev/null")
        .with_option("GlobalKnownHostsFile=/dev/null");
    assert!(error(unverified).contains("Host key verification failed"));
}

#[test]
fn nothing_stays_there_and_one_connection_serves_all() {
    let Some(sshd) = Sshd::start() else { return };
    let before = sshd.folders();
    let terminal = sshd.terminal();
    std::thread::scope(|scope| {
        for task in ["a", "b", "c"] {
            let terminal = &terminal;
            scope.spawn(move || {
                for turn in 0..5 {
                    let request = Request::new(format!("export T{turn}={task}; echo $T0 {turn}"));
                    let outcome = terminal.run(task, &request).unwrap();
                    // What the login files of whoever runs this say stands before it.
                    let said = format!("{task} {turn}\n");
                    assert!(outcome.output.ends_with(&said), "{}", outcome.output);
                }
            });
        }
    });
    let log = fs::read_to_string(sshd.place.path().join("log")).unwrap();
    assert_eq!(log.matches("Accepted publickey").count(), 1, "{log}");
    drop(terminal);
    let left: Vec<_> = sshd
        .folders()
        .into_iter()
        .filter(|path| !before.contains(path))
        .collect();
    assert!(until(|| left.iter().all(|path| !path.exists())), "{left:?}");
}

#[test]
fn a_machine_that_falls_silent_holds_up_nobody() {
    let Some(sshd) = Sshd::start() else { return };
    let terminal = on(sshd.ssh().with_answer_timeout(Duration::from_secs(4)));
    output(&terminal, "export A=1");
    let number = own_number();
    let command = format!("echo before; exec sleep {number}");
    let request = Request::new(command).with_timeout(Duration::from_secs(1));
    let sessions = sshd.sessions();
    assert!(!sessions.is_empty());
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| terminal.run("t", &request).unwrap());
        assert!(until(|| with_argument(&number).len() == 1));
        let stopped = Command::new("kill").arg("-STOP").args(&sessions).status();
        assert!(stopped.unwrap().success());
        running.join().unwrap()
    });
    assert_eq!(outcome.exit_code, TIMED_OUT, "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(30));
    // A new connection goes on with what was before.
    assert_eq!(output(&terminal, "echo $A"), "1\n");
    for pid in with_argument(&number) {
        let _ = Command::new("kill").arg(pid.to_string()).status();
    }
    let _ = Command::new("kill").arg("-KILL").args(&sessions).status();
}

#[test]
fn a_program_on_a_terminal_is_talked_to_there() {
    let Some(sshd) = Sshd::start() else { return };
    remote::a_program_is_talked_to_on_a_terminal(&sshd.terminal());
}

#[test]
fn what_runs_in_the_background_there_is_looked_after() {
    let Some(sshd) = Sshd::start() else { return };
    remote::what_runs_in_the_background_is_looked_after(&sshd.terminal());
}

#[test]
fn bad_requests_are_answered_there_as_here() {
    let Some(sshd) = Sshd::start() else { return };
    remote::bad_requests_are_answered(&sshd.terminal());
}

#[test]
fn a_private_folder_that_vanishes_is_made_again() {
    let Some(sshd) = Sshd::start() else { return };
    let before = sshd.folders();
    let terminal = sshd.terminal();
    output(&terminal, "export A=1; cd /usr");
    let own = sshd
        .folders()
        .into_iter()
        .find(|path| !before.contains(path));
    fs::remove_dir_all(own.unwrap()).unwrap();
    let outcome = run(&terminal, "echo ${A-none}; pwd");
    assert_eq!(outcome.output, "none\n/usr\n", "{outcome:?}");
    assert!(outcome.notes[0].contains("anew"), "{outcome:?}");
    assert!(run(&terminal, "true").notes.is_empty());
}

#[test]
fn files_there_are_read_after_those_of_a_login() {
    let Some(sshd) = Sshd::start() else { return };
    let file = |name: &str| sshd.place.path().join(name).display().to_string();
    fs::write(
        file("one"),
        "export A=one; f() { echo f; }; alias hi='echo hi'",
    )
    .unwrap();
    fs::write(file("two"), "A=$A,two; false").unwrap();
    let listed = [file("none"), file("one"), file("two")];
    let terminal = on(sshd.ssh().with_bashrc(true).with_init_files(listed));
    assert_eq!(output(&terminal, "echo $A; f; hi"), "one,two\nf\nhi\n");
    // One that ends or replaces the shell leaves what was before.
    for text in ["exec true", "exit"] {
        fs::write(file("two"), text).unwrap();
        let terminal = on(sshd.ssh().with_init_files([file("one"), file("two")]));
        assert_eq!(
            output(&terminal, "echo ${A-none} ${PATH:+path}"),
            "none path\n"
        );
    }
}
