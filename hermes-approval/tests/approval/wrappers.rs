//! Programs that run programs.

use hermes_approval::{Host, Source, WrapperKind};

use crate::support::{check_last, commands, posix};

/// A wrapper in front of `rm -rf src`, whose words must be found again.
pub(crate) const WRAPPERS: &[&str] = &[
    "sudo",
    "sudo -u bob",
    "sudo -nE -u bob -g g A=1",
    "doas -u bob",
    "pkexec --user bob",
    "runuser -u bob --",
    "gosu bob",
    "su-exec bob",
    "setpriv --reuid 1",
    "env",
    "env -i A=1 B=2",
    "env -u X -C /tmp",
    "nice -n 10",
    "nice",
    "ionice -c3",
    "ionice -c 2 -n 3",
    "chrt -i 0",
    "taskset -c 0",
    "numactl -N0",
    "timeout 5",
    "timeout -k 5 -s KILL 10s",
    "nohup",
    "setsid -w",
    "stdbuf -oL -e 0",
    "unbuffer",
    "time",
    "time -f %e",
    "command",
    "builtin",
    "exec",
    "exec -a x",
    "flock l",
    "flock -w 5 l",
    "chroot /mnt",
    "chroot --userspec=a:b /mnt",
    "unshare -r",
    "nsenter -t 1 -m --",
    "ssh host",
    "ssh -p 22 -i k u@host",
    "ssh host -t",
    "docker exec -it web",
    "docker exec -e A=1 -u root web",
    "docker run --rm -v a:b alpine",
    "docker compose exec web",
    "docker compose -f a.yml run --rm web",
    "docker-compose exec web",
    "podman exec web",
    "kubectl exec pod --",
    "kubectl -n ns exec -it pod -c c --",
    "kubectl debug node/n --image=a --",
    "oc exec pod --",
    "lxc exec c --",
    "machinectl shell c",
    "systemd-run",
    "systemd-run --user --unit=x",
    "busybox",
    "toybox",
    "strace -f",
    "strace -o f -e trace=file",
    "ltrace -c",
    "gdb --args",
    "caffeinate -i",
    "firejail --noprofile",
    "proot -r .",
    "faketime now",
    "dbus-run-session --",
    "xvfb-run -a",
    "tini --",
    "poetry run",
    "uv run",
    "npx",
    "npm exec --",
    "pnpm exec",
    "yarn exec",
    "bundle exec",
    "direnv exec .",
    "op run --",
    "rustup run stable",
    "conda run -n env",
    "git bisect run",
    "find . -exec",
    "find . -name x -execdir",
    "find . -ok",
    "xargs -0 -n1",
    "watch -n1",
    "parallel",
    "wsl",
    "adb shell",
    "entr -r",
    "screen -dmS n",
    "tmux new -d",
    "eval",
    "valgrind --leak-check=full",
    "perf stat",
    "sshpass -p x ssh host",
    "mycmd",
    "mycmd --flag",
    "sudo nice -n 5 timeout 9",
];

#[test]
fn each_wrapper_shows_what_it_wraps() {
    for wrapper in WRAPPERS {
        let end = if wrapper.contains("find") { " \\;" } else { "" };
        let text = format!("{wrapper} rm -rf src{end}");
        let analysis = posix(&text);
        let rm = analysis
            .invocations()
            .iter()
            .find(|i| i.is("rm") && i.argv.len() >= 3);
        let rm = rm.unwrap_or_else(|| panic!("{text}: {:?}", commands(&text)));
        assert_eq!(
            (rm.argv[1].text(), rm.argv[2].text()),
            ("-rf", "src"),
            "{text}"
        );
        assert!(!rm.wrappers.is_empty(), "{text}");
        assert!(
            analysis.invocations().len() >= 2,
            "{text}: the wrapper itself is kept"
        );
    }
}

#[test]
fn scripts_in_arguments_are_read() {
    check_last(&[
        ("sh -c 'rm a'", "rm a"),
        ("bash -lc 'rm a'", "rm a"),
        ("bash -x -o pipefail -c 'rm a'", "rm a"),
        ("bash --rcfile f -c 'rm a'", "rm a"),
        ("bash +x -O extglob -c 'rm a'", "rm a"),
        ("fish -c 'rm a'", "rm a"),
        ("bash -c 'rm \"$1\"' _ /srv", "rm /srv"),
        ("sh -c \"sh -c 'rm a'\"", "rm a"),
        ("su bob -c 'rm a'", "rm a"),
        ("su -c 'rm a'", "rm a"),
        ("sg g 'rm a'", "rm a"),
        ("script -c 'rm a' f", "rm a"),
        ("flock l -c 'rm a'", "rm a"),
        ("env -S 'rm a'", "rm a"),
        ("eval 'rm' a", "rm a"),
        ("eval \"rm $X\"", "rm ?"),
        ("vagrant ssh -c 'rm a'", "rm a"),
        ("ssh host 'cd /srv; rm a'", "rm a"),
        ("ssh -o ProxyCommand='rm a' host", "rm a"),
        ("rsync -e 'rm a' b c", "rm a"),
        ("xargs -I{} sh -c 'rm {}'", "rm ?"),
        ("find . -exec sh -c 'rm \"$1\"' _ {} \\;", "rm ?"),
        ("parallel ::: 'rm a'", "rm a"),
        ("watch 'rm a'", "rm a"),
        ("tmux send-keys -t x 'rm a' Enter", "rm a"),
        ("tmux new-session -d -s n 'rm a'", "rm a"),
        ("screen -S n -X stuff 'rm a'", "rm a"),
        ("git -c alias.x='!rm a' x", "rm a"),
        ("git config alias.x '!rm a'", "rm a"),
        ("git rebase -x 'rm a' main", "rm a"),
        ("git submodule foreach 'rm a'", "rm a"),
        ("tar xf f --to-command='rm a'", "rm a"),
        (
            "tar cf f --checkpoint=1 --checkpoint-action=exec='rm a' d",
            "rm a",
        ),
        ("vim -c '!rm a'", "rm a"),
        ("gdb -ex 'shell rm a'", "rm a"),
        ("sqlite3 f '.shell rm a'", "rm a"),
        ("psql -c '\\! rm a'", "rm a"),
        ("sed '1e rm a' f", "rm a"),
        ("trap 'rm a' EXIT", "rm a"),
        ("PROMPT_COMMAND='rm a'", "rm a"),
        ("mapfile -C 'rm a' -c 1 x", "rm a"),
        ("hyperfine 'rm a'", "rm a"),
        ("ansible all -m shell -a 'rm a'", "rm a"),
        ("npx -c 'rm a'", "rm a"),
    ]);
}

#[test]
fn scripts_on_standard_input_are_read() {
    check_last(&[
        ("bash <<< 'rm a'", "rm a"),
        ("sh <<E\nrm a\nE", "rm a"),
        ("sudo bash <<'E'\nrm a\nE", "rm a"),
        ("docker exec -i c sh <<E\nrm a\nE", "rm a"),
        ("echo 'rm a' | sh", "rm a"),
        ("echo 'rm a' | sudo -u bob bash -s", "rm a"),
        ("(echo 'rm a'; echo) | sh", "rm a"),
        ("cat <<E | sh\nrm a\nE", "rm a"),
        ("bash <(echo 'rm a')", "rm a"),
        ("bash < <(echo 'rm a')", "rm a"),
        (". <(echo 'rm a')", "rm a"),
        ("source /dev/stdin <<< 'rm a'", "rm a"),
        ("echo cm0gLXJmIC8= | base64 -d | sh", "rm -rf /"),
        ("base64 -d <<< cm0gLXJmIC8= | sh", "rm -rf /"),
        ("echo OJWSAYI= | base32 -d | sh", "rm a"),
        ("echo 'ez -es fep' | tr a-z n-za-m | sh", "rm -rf src"),
        ("echo 'a mr' | rev | sh", "rm a"),
        ("ssh host <<E\nrm a\nE", "rm a"),
        ("at now <<< 'rm a'", "rm a"),
        ("sudo -s <<< 'rm a'", "rm a"),
        ("su - <<E\nrm a\nE", "rm a"),
        ("docker run --entrypoint sh alpine -c 'rm a'", "rm a"),
        ("echo '* * * * * rm a' | crontab -", "rm a"),
        ("make -f - <<M\nall:\n\trm a\nM", "rm a"),
        ("echo 'rm a' > x.sh; bash x.sh", "rm a"),
        ("cat > x.sh <<E\nrm a\nE\nchmod +x x.sh; ./x.sh", "rm a"),
        ("tee x.sh <<< 'rm a' && sh x.sh", "rm a"),
        ("echo a | xargs -I{} rm {}", "rm a"),
        ("printf '%s\\n' a b | xargs rm", "rm a b"),
    ]);
}

#[test]
fn new_names_for_programs_are_followed() {
    check_last(&[
        ("alias ll=rm; ll -rf a", "rm -rf a"),
        ("alias x='rm a'; x b", "rm a b"),
        ("ln -s /bin/rm x; ./x a", "/bin/rm a"),
        ("cp /bin/rm x; ./x a", "/bin/rm a"),
        ("hash -p /bin/rm ls; ls a", "/bin/rm a"),
        ("f() { rm \"$@\"; }; f a b", "rm a b"),
        ("function ls { rm a; }; ls", "rm a"),
    ]);
}

#[test]
fn data_is_not_taken_for_a_wrapped_command() {
    for text in [
        "which rm",
        "man kill",
        "command -v rm",
        "type rm",
        "sudo -l",
        "tldr dd",
        "help kill",
        "git commit -m rm x",
        "echo rm -rf /",
        "grep rm x",
        "npm run shutdown-hook",
        "slack-notify 'rm -rf /'",
        "ls rm x",
        "cat rm",
        "vim rm x",
        "printf %s rm",
        "docker history x",
        "bash script.sh",
        "ssh host",
        "crontab -l",
        "bash --version",
    ] {
        assert_eq!(commands(text).len(), 1, "{text}: {:?}", commands(text));
    }
}

#[test]
fn layers_are_named_with_what_they_do() {
    let analysis = posix("sudo ssh h 'docker exec c sh -c \"rm a\"' &");
    let rm = analysis.invocations().iter().find(|i| i.is("rm")).unwrap();
    let layers: Vec<_> = rm
        .wrappers
        .iter()
        .map(|w| (w.program.as_ref(), w.kind, w.elevates))
        .collect();
    assert_eq!(
        layers,
        [
            ("sudo", WrapperKind::Plain, true),
            ("ssh", WrapperKind::Remote, false),
            ("docker", WrapperKind::Container, false),
            ("sh", WrapperKind::ShellScript, false),
        ]
    );
    assert_eq!((rm.host, rm.background), (Host::Remote, true));
    assert!(matches!(rm.source, Source::Argument(_)));
    let text = "echo cm0gYQ== | base64 -d | sh";
    let analysis = posix(text);
    assert!(matches!(
        analysis.invocations().last().unwrap().source,
        Source::Decoded(_)
    ));
}

#[test]
fn a_script_keeps_its_place_in_the_text() {
    let text = "ls; bash -c 'cd /tmp; rm -rf src'";
    let analysis = posix(text);
    let rm = analysis.invocations().iter().find(|i| i.is("rm")).unwrap();
    assert_eq!(rm.span.of(text), "rm -rf src");
    assert_eq!(rm.argv[2].span.of(text), "src");
}
