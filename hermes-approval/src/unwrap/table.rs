//! Programs that take a command behind their options.

use crate::invocation::WrapperKind;
use crate::name_filter::NameFilter;

/// One wrapper, or one of its subcommands.
pub(super) struct Entry {
    pub(super) program: &'static str,
    /// Words after the program that make it a wrapper.
    pub(super) subcommand: &'static [&'static str],
    pub(super) how: &'static [How],
    /// Words of its own before the command.
    pub(super) operands: usize,
    pub(super) kind: WrapperKind,
    pub(super) elevates: bool,
    pub(super) detaches: bool,
    /// `NAME=value` may stand before the command.
    pub(super) assignments: bool,
    /// With one of these options it runs nothing.
    pub(super) stops: &'static [char],
    /// Options may come behind its operands too.
    pub(super) reopens: bool,
}

/// How the command is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// As words.
    Argv,
    /// As words that are joined and handed to a shell.
    Shell,
    /// As words, or as one word for a shell.
    ArgvOrShell,
    /// Each word is a script.
    EachShell,
    /// As the value of an option, for a shell.
    Value(char, &'static str),
}

const fn w(program: &'static str, how: &'static [How]) -> Entry {
    Entry {
        program,
        subcommand: &[],
        how,
        operands: 0,
        kind: WrapperKind::Plain,
        elevates: false,
        detaches: false,
        assignments: false,
        stops: &[],
        reopens: false,
    }
}

const ARGV: &[How] = &[How::Argv];

/// A wrapper that is followed by the command.
const fn plain(program: &'static str) -> Entry {
    w(program, ARGV)
}

impl Entry {
    const fn sub(mut self, words: &'static [&'static str]) -> Self {
        self.subcommand = words;
        self
    }
    const fn operands(mut self, n: usize) -> Self {
        self.operands = n;
        self
    }
    const fn elevates(mut self) -> Self {
        self.elevates = true;
        self
    }
    const fn detaches(mut self) -> Self {
        self.detaches = true;
        self
    }
    const fn assignments(mut self) -> Self {
        self.assignments = true;
        self
    }
    const fn stops(mut self, letters: &'static [char]) -> Self {
        self.stops = letters;
        self
    }
    const fn reopens(mut self) -> Self {
        self.reopens = true;
        self
    }
    const fn kind(mut self, kind: WrapperKind) -> Self {
        self.kind = kind;
        self
    }
    const fn container(self) -> Self {
        self.kind(WrapperKind::Container)
    }
    const fn remote(self) -> Self {
        self.kind(WrapperKind::Remote)
    }
}

/// The entries of a program.
pub(super) fn entries(program: &str) -> &'static [Entry] {
    if !NAMES.may_have(program) {
        return &[];
    }
    let start = TABLE.partition_point(|e| e.program < program);
    let end = start
        + TABLE
            .get(start..)
            .map_or(0, |rest| rest.partition_point(|e| e.program == program));
    TABLE.get(start..end).unwrap_or(&[])
}

static NAMES: NameFilter = {
    let mut filter = NameFilter::empty();
    let mut rest = TABLE;
    while let Some((entry, more)) = rest.split_first() {
        filter = filter.with(entry.program);
        rest = more;
    }
    filter
};

const SHELL: &[How] = &[How::Shell];
const VALUE_C: &[How] = &[How::Value('c', "command")];
const VALUE_C_OR_ARGV: &[How] = &[How::Value('c', "command"), How::Argv];

/// In the order of their bytes; of several entries of a program the first that fits counts.
#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    w("adb", SHELL).sub(&["exec-out"]).remote(),
    w("adb", SHELL).sub(&["shell"]).remote(),
    plain("apptainer").sub(&["exec"]).operands(1).container(),
    plain("arch"),
    plain("asdf").sub(&["exec"]),
    plain("aws-vault").sub(&["exec"]).operands(1),
    plain("builtin"),
    plain("bundle").sub(&["exec"]),
    plain("bundler").sub(&["exec"]),
    plain("bunx"),
    plain("busybox"),
    plain("bwrap").container(),
    plain("caffeinate"),
    plain("catchsegv"),
    plain("cgexec"),
    plain("chamber").sub(&["exec"]).operands(1),
    plain("chpst"),
    plain("chronic"),
    plain("chroot").operands(1).container(),
    plain("chrt").operands(1).stops(&['p', 'm']),
    plain("command").stops(&['v', 'V']),
    plain("conda").sub(&["run"]),
    plain("crictl").sub(&["exec"]).operands(1).container(),
    plain("daemonize").detaches(),
    plain("dbus-launch"),
    plain("dbus-run-session"),
    plain("direnv").sub(&["exec"]).operands(1),
    plain("distrobox").sub(&["enter"]).container(),
    plain("doas").elevates().stops(&['L']),
    plain("docker").sub(&["compose", "exec"]).operands(1).container(),
    plain("docker").sub(&["compose", "run"]).operands(1).container(),
    plain("docker").sub(&["container", "exec"]).operands(1).container(),
    plain("docker").sub(&["container", "run"]).operands(1).container(),
    plain("docker").sub(&["exec"]).operands(1).container(),
    plain("docker").sub(&["run"]).operands(1).container(),
    plain("docker-compose").sub(&["exec"]).operands(1).container(),
    plain("docker-compose").sub(&["run"]).operands(1).container(),
    plain("doppler").sub(&["run"]),
    plain("dotenv").sub(&["run"]),
    plain("dotenv"),
    plain("dumb-init"),
    w("entr", &[How::ArgvOrShell]).kind(WrapperKind::Repeated),
    plain("envdir").operands(1),
    plain("exec"),
    plain("fakechroot"),
    plain("fakeroot"),
    plain("faketime").operands(1),
    plain("firejail").container(),
    plain("flatpak-spawn"),
    w("flock", VALUE_C_OR_ARGV).operands(1),
    w("fly", &[How::Value('C', "command")]).sub(&["ssh", "console"]).remote(),
    w("flyctl", &[How::Value('C', "command")]).sub(&["ssh", "console"]).remote(),
    w("gcloud", &[How::Value('\0', "command")]).sub(&["compute", "ssh"]).remote(),
    plain("gnome-terminal"),
    plain("gosu").operands(1).elevates(),
    plain("gtimeout").operands(1),
    w("heroku", SHELL).sub(&["run"]).remote(),
    w("hyperfine", &[How::Value('p', "prepare"), How::EachShell]).kind(WrapperKind::Repeated),
    plain("ifne"),
    plain("incus").sub(&["exec"]).operands(1).container(),
    plain("ionice").stops(&['p', 'P', 'u']),
    plain("kubectl").sub(&["debug"]).operands(1).container().reopens(),
    plain("kubectl").sub(&["exec"]).operands(1).container().reopens(),
    plain("kubectl").sub(&["run"]).operands(1).container().reopens(),
    plain("limactl").sub(&["shell"]).operands(1).container(),
    plain("linux32"),
    plain("linux64"),
    plain("ltrace"),
    plain("lxc").sub(&["exec"]).operands(1).container(),
    plain("machinectl").sub(&["shell"]).operands(1).container(),
    plain("mamba").sub(&["run"]),
    plain("micromamba").sub(&["run"]),
    w("minikube", SHELL).sub(&["ssh"]).remote(),
    plain("mise").sub(&["exec"]),
    plain("mise").sub(&["x"]),
    w("mosh", SHELL).operands(1).remote(),
    plain("multipass").sub(&["exec"]).operands(1).container(),
    plain("nerdctl").sub(&["exec"]).operands(1).container(),
    plain("nerdctl").sub(&["run"]).operands(1).container(),
    plain("newgrp").operands(1),
    plain("nice"),
    plain("nix").sub(&["develop"]),
    plain("nix").sub(&["shell"]),
    w("nix-shell", &[How::Value('\0', "run"), How::Value('\0', "command")]),
    w("nodemon", &[How::Value('x', "exec")]).kind(WrapperKind::Repeated),
    plain("nohup").detaches(),
    plain("npm").sub(&["exec"]),
    plain("npm").sub(&["x"]),
    w("npx", VALUE_C_OR_ARGV),
    plain("nsenter").container(),
    plain("numactl"),
    plain("oc").sub(&["exec"]).operands(1).container().reopens(),
    plain("oc").sub(&["rsh"]).operands(1).container().reopens(),
    plain("op").sub(&["run"]),
    plain("pct").sub(&["exec"]).operands(1).container(),
    plain("pdm").sub(&["run"]),
    plain("perf").sub(&["record"]),
    plain("perf").sub(&["stat"]),
    plain("pipenv").sub(&["run"]),
    plain("pipx").sub(&["run"]),
    plain("pkexec").elevates(),
    plain("pnpm").sub(&["dlx"]),
    plain("pnpm").sub(&["exec"]),
    plain("podman").sub(&["container", "exec"]).operands(1).container(),
    plain("podman").sub(&["exec"]).operands(1).container(),
    plain("podman").sub(&["run"]).operands(1).container(),
    plain("poetry").sub(&["run"]),
    plain("prlimit"),
    plain("proot").container(),
    plain("proxychains"),
    plain("proxychains4"),
    plain("pyenv").sub(&["exec"]),
    plain("rbenv").sub(&["exec"]),
    plain("retry"),
    w("runuser", VALUE_C_OR_ARGV).elevates(),
    plain("rustup").sub(&["run"]).operands(1),
    plain("rye").sub(&["run"]),
    w("script", VALUE_C),
    plain("setarch").operands(1),
    plain("setlock").operands(1),
    plain("setpriv"),
    plain("setsid").detaches(),
    plain("setuidgid").operands(1),
    w("sg", &[How::Value('c', "command"), How::Shell]).operands(1).elevates(),
    plain("singularity").sub(&["exec"]).operands(1).container(),
    plain("snap").sub(&["run"]),
    plain("softlimit"),
    plain("sshpass"),
    plain("start-stop-daemon").detaches(),
    plain("stdbuf"),
    plain("strace").stops(&['p']),
    w("su", VALUE_C).elevates(),
    plain("su-exec").operands(1).elevates(),
    plain("sudo").elevates().assignments().stops(&['l', 'v', 'V', 'e']),
    plain("systemd-cat"),
    plain("systemd-inhibit"),
    plain("systemd-nspawn").container(),
    plain("systemd-run").detaches(),
    plain("taskset").operands(1).stops(&['p']),
    plain("time"),
    plain("timeout").operands(1),
    plain("tini"),
    plain("toolbox").sub(&["run"]).container(),
    plain("torify"),
    plain("torsocks"),
    plain("toybox"),
    plain("trickle"),
    plain("tsocks"),
    plain("tsp").detaches(),
    plain("unbuffer"),
    plain("unshare").container(),
    plain("uv").sub(&["run"]),
    plain("uvx"),
    w("vagrant", VALUE_C).sub(&["ssh"]).remote(),
    plain("valgrind"),
    plain("volta").sub(&["run"]),
    w("watchexec", &[How::ArgvOrShell]).kind(WrapperKind::Repeated),
    plain("winpty"),
    plain("wsl").container(),
    plain("xvfb-run"),
    plain("yarn").sub(&["dlx"]),
    plain("yarn").sub(&["exec"]),
];
