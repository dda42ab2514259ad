#![allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]

use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn config(text: &str) -> Config {
    Config {
        path: PathBuf::from("config.yaml"),
        root: yaml::parse(text).unwrap(),
    }
}

fn nothing(_: &str) -> Option<String> {
    None
}

fn problems(text: &str) -> Vec<String> {
    let problems = config(text).problems(&nothing);
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_config_that_says_nothing_has_the_documented_defaults() {
    for text in [
        "",
        "{}",
        "terminal:\nsessions: {}\n",
        "# nothing\n",
        "model: x\nfoo: [1]\n",
    ] {
        let config = config(text);
        let terminal = config.terminal(&nothing).unwrap();
        assert_eq!(terminal.backend, "local");
        assert_eq!(terminal.cwd, None);
        assert_eq!(terminal.timeout, Duration::from_secs(180));
        assert_eq!(terminal.lifetime, Duration::from_secs(300));
        assert_eq!(terminal.term_grace, Duration::from_secs(2));
        assert!(terminal.auto_source_bashrc && terminal.persistent_shell);
        assert_eq!(terminal.sudo_password, None);
        let docker = &terminal.docker;
        assert!(docker.network && docker.persist_across_processes && docker.orphan_reaper);
        assert!(!docker.mount_cwd_to_workspace && !docker.run_as_host_user);
        assert_eq!(docker.image, "nikolaik/python-nodejs:python3.11-nodejs20");
        assert_eq!(
            terminal.singularity_image,
            "docker://nikolaik/python-nodejs:python3.11-nodejs20"
        );
        let container = &terminal.container;
        assert_eq!((container.cpu, container.memory_mib), (1.0, 5120));
        assert_eq!((container.disk_mib, container.persistent), (51_200, true));
        assert_eq!((terminal.ssh.port, &terminal.ssh.host), (22, &None));
        let sessions = config.sessions().unwrap();
        assert!(!sessions.auto_prune && sessions.vacuum_after_prune);
        assert_eq!(sessions.retention_days, 90);
        assert_eq!(sessions.min_interval, Duration::from_secs(86_400));
        let toolsets = config.toolsets().unwrap();
        assert_eq!(toolsets.of_platform("telegram"), ["hermes-cli"]);
        assert!(toolsets.disabled.is_empty());
        assert!(config.command_allowlist().unwrap().is_empty());
        assert!(problems(text).is_empty());
    }
}

#[test]
fn what_is_set_is_read() {
    let config = config(
        "command_allowlist: [recursive delete, git push]\n\
         toolsets: [web, file]\n\
         disabled_toolsets: [browser]\n\
         agent: {disabled_toolsets: [browser, memory]}\n\
         platform_toolsets:\n  telegram: [web]\n  cron:\n\
         sessions: {auto_prune: yes, retention_days: 7, min_interval_hours: 0.5}\n\
         terminal:\n  backend: docker\n  cwd: ~/x\n  timeout: 1_000\n  term: 1\n  \
         daemon_term_grace_seconds: .5\n  env_passthrough: [FOO, BAR]\n  docker_image: 3.10\n  \
         docker_env: {A: b, N: 010, T: yes, E: }\n  docker_volumes: [22:22, /a:/b]\n  \
         docker_network: 'no'\n  container_cpu: 1.5\n  container_memory: '1024'\n  ssh_host: h\n  \
         ssh_user: 1000\n  ssh_port: 23\n  ssh_key: ~/k\n  sudo_password: hunter2\n",
    );
    assert_eq!(
        config.command_allowlist().unwrap(),
        ["recursive delete", "git push"]
    );
    let toolsets = config.toolsets().unwrap();
    assert_eq!(toolsets.disabled, ["browser", "memory"]);
    assert_eq!(toolsets.of_platform("telegram"), ["web"]);
    assert!(toolsets.of_platform("cron").is_empty());
    assert_eq!(toolsets.of_platform("cli"), ["web", "file"]);
    let sessions = config.sessions().unwrap();
    assert_eq!((sessions.auto_prune, sessions.retention_days), (true, 7));
    assert_eq!(sessions.min_interval, Duration::from_secs(1800));
    let terminal = config.terminal(&nothing).unwrap();
    assert_eq!(terminal.backend, "docker");
    assert_eq!(terminal.cwd.as_deref(), Some(Path::new("~/x")));
    assert_eq!(terminal.timeout, Duration::from_secs(1000));
    assert_eq!(terminal.term_grace, Duration::from_millis(500));
    assert_eq!(terminal.env_passthrough, ["FOO", "BAR"]);
    assert_eq!(terminal.docker.image, "3.10");
    let env: Vec<(&str, &str)> = terminal
        .docker
        .env
        .iter()
        .map(|(a, b)| (&**a, &**b))
        .collect();
    assert_eq!(env, [("A", "b"), ("N", "010"), ("T", "yes"), ("E", "")]);
    assert_eq!(terminal.docker.volumes, ["22:22", "/a:/b"]);
    assert!(!terminal.docker.network);
    assert_eq!(
        (terminal.container.cpu, terminal.container.memory_mib),
        (1.5, 1024)
    );
    assert_eq!(terminal.ssh.user.as_deref(), Some("1000"));
    assert_eq!(terminal.ssh.port, 23);
    assert_eq!(terminal.sudo_password.as_ref().unwrap().reveal(), "hunter2");
    assert!(!format!("{terminal:?}").contains("hunter2"));
}

#[test]
fn the_file_comes_before_variables_and_variables_before_defaults() {
    let variables = |name: &str| match name {
        "TERMINAL_ENV" => Some("ssh".to_owned()),
        "TERMINAL_TIMEOUT" => Some(" 55 ".to_owned()),
        "TERMINAL_DOCKER_VOLUMES" => Some("[\"a:b\"]".to_owned()),
        "TERMINAL_DOCKER_ENV" => Some("{\"A\": 1}".to_owned()),
        "TERMINAL_DOCKER_NETWORK" => Some("False".to_owned()),
        "TERMINAL_CWD" => Some(String::new()),
        "SUDO_PASSWORD" => Some("pw".to_owned()),
        _ => None,
    };
    let read = |text: &str| config(text).terminal(&variables).unwrap();
    let terminal = read("");
    assert_eq!(terminal.backend, "ssh");
    assert_eq!(terminal.timeout, Duration::from_secs(55));
    assert_eq!(terminal.docker.volumes, ["a:b"]);
    assert_eq!(terminal.docker.env, [("A".to_owned(), "1".to_owned())]);
    assert!(!terminal.docker.network);
    assert_eq!(terminal.cwd, None);
    assert_eq!(terminal.sudo_password.unwrap().reveal(), "pw");
    let terminal = read("terminal: {backend: docker, timeout: 77, docker_volumes: []}");
    assert_eq!(terminal.backend, "docker");
    assert_eq!(terminal.timeout, Duration::from_secs(77));
    assert!(terminal.docker.volumes.is_empty());
    assert_eq!(read("terminal: {env_type: local}").backend, "local");
    assert_eq!(
        read("terminal: {timeout: }").timeout,
        Duration::from_secs(55)
    );
}

#[test]
fn what_is_wrong_is_told_with_line_and_column() {
    for (text, expected) in [
        (
            "terminal:\n  backend: yes\n",
            "line 2, column 12: terminal.backend is yes, but must be text",
        ),
        (
            "terminal:\n  timeout: soon\n",
            "line 2, column 12: terminal.timeout is \"soon\", but must be a whole number from 1 to 86400",
        ),
        (
            "terminal:\n  timeout: 0\n",
            "line 2, column 12: terminal.timeout is 0, but must be a whole number from 1 to 86400",
        ),
        (
            "terminal: {ssh_port: 70000}\n",
            "line 1, column 22: terminal.ssh_port is 70000, but must be a whole number from 1 to 65535",
        ),
        (
            "terminal: {container_cpu: -1}\n",
            "line 1, column 27: terminal.container_cpu is -1, but must be a number, 0 or more",
        ),
        (
            "terminal:\n  docker_volumes: a:b\n",
            "line 2, column 19: terminal.docker_volumes is \"a:b\", but must be a list of texts",
        ),
        (
            "terminal:\n  docker_volumes:\n    - a:b\n    - {c: d}\n",
            "line 4, column 7: terminal.docker_volumes[1] is a mapping, but must be text",
        ),
        (
            "terminal:\n  docker_env: [1]\n",
            "line 2, column 15: terminal.docker_env is a list, but must be a mapping of names to texts",
        ),
        (
            "terminal:\n  docker_network: maybe\n",
            "line 2, column 19: terminal.docker_network is \"maybe\", but must be true or false",
        ),
        (
            "terminal:\n  sudo_password: [hunter2]\n",
            "line 2, column 18: terminal.sudo_password is something else, but must be text",
        ),
        (
            "terminal: local\n",
            "line 1, column 11: terminal is \"local\", but must be a mapping",
        ),
        (
            "- a\n",
            "line 1, column 1: the config is a list, but must be a mapping",
        ),
        (
            "sessions: {retention_days: 0}",
            "line 1, column 28: sessions.retention_days is 0, but must be a whole number from 1 to 36500",
        ),
        (
            "toolsets: web\n",
            "line 1, column 11: toolsets is \"web\", but must be a list of texts",
        ),
        (
            "agent: {disabled_toolsets: 3}\n",
            "line 1, column 28: agent.disabled_toolsets is 3, but must be a list of texts",
        ),
        (
            "platform_toolsets: {cli: web}\n",
            "line 1, column 26: platform_toolsets.cli is \"web\", but must be a list of texts",
        ),
        (
            "command_allowlist: rm\n",
            "line 1, column 20: command_allowlist is \"rm\", but must be a list of texts",
        ),
    ] {
        assert_eq!(problems(text), [expected]);
    }
}

#[test]
fn a_part_with_something_wrong_cannot_be_had_and_the_others_can() {
    let config =
        config("sessions: {retention_days: x, auto_prune: true}\nterminal: {timeout: 9}\n");
    let error = config.sessions().unwrap_err();
    assert_eq!(error.code(), "bad_config");
    assert!(error.to_string().contains("line 1, column 28"), "{error}");
    assert_eq!(
        config.terminal(&nothing).unwrap().timeout,
        Duration::from_secs(9)
    );
}

#[test]
fn a_wrong_variable_is_named_and_its_text_kept_back_where_it_can_be_secret() {
    let variables = |name: &str| match name {
        "TERMINAL_SSH_PORT" => Some("abc".to_owned()),
        "TERMINAL_DOCKER_ENV" => Some("TOKEN=hunter2".to_owned()),
        _ => None,
    };
    let told: Vec<String> = config("")
        .problems(&variables)
        .iter()
        .map(ToString::to_string)
        .collect();
    let told = told.join("\n");
    assert!(told.contains("the variable TERMINAL_SSH_PORT: terminal.ssh_port is \"abc\""));
    assert!(told.contains("the variable TERMINAL_DOCKER_ENV"));
    assert!(!told.contains("hunter2"), "{told}");
}

proptest! {
    /// Whatever stands there is a value, or an error that names the place; nothing panics.
    #[test]
    fn any_config_is_read_or_told(text in "(terminal|sessions|toolsets|agent|:|[ \n\\[\\]{}&*!'\"#|>-]|[a-z0-9]{1,4}|timeout|docker_env|é){0,40}") {
        if let Ok(root) = yaml::parse(&text) {
            let config = Config { path: PathBuf::new(), root };
            let problems = config.problems(&nothing);
            let sound = config.terminal(&nothing).is_ok()
                && config.sessions().is_ok()
                && config.toolsets().is_ok()
                && config.command_allowlist().is_ok();
            prop_assert_eq!(problems.is_empty(), sound);
        }
    }

    /// A value of any kind in any setting of the terminal is taken as it is, or told.
    #[test]
    fn a_whole_number_is_read_back_or_told(number in any::<i64>()) {
        let config = config(&format!("terminal: {{timeout: {number}}}"));
        match config.terminal(&nothing) {
            Ok(terminal) => prop_assert_eq!(i64::try_from(terminal.timeout.as_secs()).ok(), Some(number)),
            Err(_) => prop_assert!(!(1..=86_400).contains(&number)),
        }
    }
}

#[test]
fn the_mode_of_the_home_is_one_of_a_few_words() {
    for (text, mode) in [
        ("auto", HomeMode::Auto),
        ("Real", HomeMode::Real),
        ("profile", HomeMode::Profile),
        ("ISOLATED", HomeMode::Profile),
        ("''", HomeMode::Auto),
        ("null", HomeMode::Auto),
    ] {
        let config = config(&format!("terminal:\n  home_mode: {text}\n"));
        assert_eq!(config.terminal(&nothing).unwrap().home_mode, mode, "{text}");
    }
    let wrong = problems("terminal:\n  home_mode: mine\n");
    assert_eq!(wrong.len(), 1);
    assert!(
        wrong[0].contains("line 2, column 14")
            && wrong[0].contains("one of auto, real, profile, isolated"),
        "{wrong:?}"
    );
}
