//! Programs that take a command behind their options.

use crate::invocation::WrapperKind;
use crate::name_index::{NameIndex, index_of};

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
    // Of several it is the first.
    let first = NAMES.find(program, |at| Some(TABLE.get(at)?.program));
    let rest = first.and_then(|at| TABLE.get(at..)).unwrap_or(&[]);
    let end = rest.iter().take_while(|e| e.program == program).count();
    rest.get(..end).unwrap_or(&[])
}

static NAMES: NameIndex<1024> = index_of!(TABLE, program);

const SHELL: &[How] = &[How::Shell];
const EACH: &[How] = &[How::EachShell];
const VALUE_C: &[How] = &[How::Value('c', "command")];
const ARGV_OR_SHELL: &[How] = &[How::ArgvOrShell];
const CALL_OR_ARGV: &[How] = &[How::Value('c', "call"), How::Argv];
const VALUE_C_OR_ARGV: &[How] = &[How::Value('c', "command"), How::Argv];

/// In the order of their bytes; of several entries of a program the first that fits counts.
#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    w("adb", SHELL).sub(&["exec-out"]).remote(),
    w("adb", SHELL).sub(&["shell"]).remote(),
    plain("apptainer").sub(&["exec"]).operands(1).container(),
    plain("arch"),
    plain("arch-chroot").operands(1).container(),
    w("asciinema", VALUE_C).sub(&["rec"]),
    plain("asdf").sub(&["exec"]),
    w("autossh", SHELL).operands(1).remote(),
    plain("aws-vault").sub(&["exec"]).operands(1),
    w("bolt", SHELL).sub(&["command", "run"]).remote(),
    w("bpftrace", VALUE_C),
    plain("builtin"),
    plain("bundle").sub(&["exec"]),
    plain("bundler").sub(&["exec"]),
    plain("bunx"),
    plain("busybox"),
    plain("caffeinate"),
    plain("catchsegv"),
    w("cf", VALUE_C).sub(&["ssh"]).remote(),
    plain("cgexec"),
    plain("chamber").sub(&["exec"]).operands(1),
    w("chokidar", VALUE_C).kind(WrapperKind::Repeated),
    plain("chpst"),
    plain("chronic"),
    plain("chroot").operands(1).container(),
    plain("chrt").operands(1).stops(&['p', 'm']),
    w("clush", SHELL).remote(),
    plain("colima").sub(&["ssh"]).container(),
    plain("command").stops(&['v', 'V']),
    w("concurrently", EACH),
    plain("conda").sub(&["run"]),
    plain("crictl").sub(&["exec"]).operands(1).container(),
    plain("cross-env").assignments(),
    w("cross-env-shell", SHELL).assignments(),
    plain("daemonize").detaches(),
    w("dbclient", SHELL).operands(1).remote(),
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
    w("docker-machine", SHELL).sub(&["ssh"]).operands(1).remote(),
    w("doppler", &[How::Value('\0', "command"), How::Argv]).sub(&["run"]),
    plain("dotenv").sub(&["run"]),
    plain("dotenv"),
    w("dsh", &[How::Value('c', "command"), How::Shell]).remote(),
    plain("dumb-init"),
    plain("dzdo").elevates().assignments().stops(&['l', 'v', 'V', 'e']),
    w("entr", &[How::ArgvOrShell]).kind(WrapperKind::Repeated),
    plain("envdir").operands(1),
    plain("exec"),
    w("execlineb", VALUE_C),
    plain("fakechroot"),
    plain("fakeroot"),
    plain("faketime").operands(1),
    plain("firejail").container(),
    plain("flatpak-spawn"),
    w("flock", VALUE_C_OR_ARGV).operands(1),
    w("fly", &[How::Value('C', "command")]).sub(&["ssh", "console"]).remote(),
    w("flyctl", &[How::Value('C', "command")]).sub(&["ssh", "console"]).remote(),
    w("gcloud", &[How::Value('\0', "command")]).sub(&["compute", "ssh"]).remote(),
    w("gksu", &[How::ArgvOrShell]).elevates(),
    w("gksudo", &[How::ArgvOrShell]).elevates(),
    plain("gnice"),
    plain("gnohup").detaches(),
    plain("gnome-terminal"),
    plain("gosu").operands(1).elevates(),
    plain("gtimeout").operands(1),
    w("heroku", SHELL).sub(&["run"]).remote(),
    w("hwatch", SHELL).kind(WrapperKind::Repeated),
    w("hyperfine", &[How::Value('p', "prepare"), How::EachShell]).kind(WrapperKind::Repeated),
    w("hyprctl", SHELL).sub(&["dispatch", "exec"]).detaches(),
    w("i3-msg", SHELL).sub(&["exec"]).detaches(),
    plain("i386"),
    plain("ifne"),
    plain("incus").sub(&["exec"]).operands(1).container(),
    plain("ionice").stops(&['p', 'P', 'u']),
    plain("ip").sub(&["netns", "exec"]).operands(1).container(),
    plain("jexec").operands(1).container(),
    w("kdesu", &[How::Value('c', "command"), How::ArgvOrShell]).elevates(),
    w("kdesudo", &[How::Value('c', "command"), How::ArgvOrShell]).elevates(),
    w("knife", SHELL).sub(&["ssh"]).operands(1).remote(),
    w("konsole", &[How::ArgvOrShell]),
    plain("kubectl").sub(&["debug"]).operands(1).container().reopens(),
    plain("kubectl").sub(&["exec"]).operands(1).container().reopens(),
    plain("kubectl").sub(&["run"]).operands(1).container().reopens(),
    plain("limactl").sub(&["shell"]).operands(1).container(),
    plain("linux32"),
    plain("linux64"),
    plain("ltrace"),
    plain("lxc").sub(&["exec"]).operands(1).container(),
    plain("lxc-attach").container(),
    plain("lxc-execute").container(),
    plain("machinectl").sub(&["shell"]).operands(1).container(),
    plain("mamba").sub(&["run"]),
    plain("micromamba").sub(&["run"]),
    w("minikube", SHELL).sub(&["ssh"]).remote(),
    plain("mise").sub(&["exec"]),
    plain("mise").sub(&["x"]),
    w("mispipe", EACH),
    w("mosh", SHELL).operands(1).remote(),
    w("mprocs", EACH),
    plain("multipass").sub(&["exec"]).operands(1).container(),
    w("mussh", VALUE_C).remote(),
    plain("nerdctl").sub(&["exec"]).operands(1).container(),
    plain("nerdctl").sub(&["run"]).operands(1).container(),
    plain("newgrp").operands(1),
    plain("nice"),
    w("nix-shell", &[How::Value('\0', "run"), How::Value('\0', "command")]),
    plain("nocorrect"),
    w("nodemon", &[How::Value('x', "exec")]).kind(WrapperKind::Repeated),
    plain("noglob"),
    plain("nohup").detaches(),
    plain("nomad").sub(&["alloc", "exec"]).operands(1).container(),
    w("npm", CALL_OR_ARGV).sub(&["exec"]),
    w("npm", CALL_OR_ARGV).sub(&["x"]),
    w("npx", CALL_OR_ARGV),
    plain("nsenter").container(),
    plain("nsjail").container(),
    plain("numactl"),
    plain("oc").sub(&["exec"]).operands(1).container().reopens(),
    plain("oc").sub(&["rsh"]).operands(1).container().reopens(),
    plain("op").sub(&["run"]),
    w("parallel-ssh", SHELL).remote(),
    plain("pct").sub(&["exec"]).operands(1).container(),
    plain("pdm").sub(&["run"]),
    w("pdsh", SHELL).remote(),
    w("pee", EACH),
    plain("perf").sub(&["record"]),
    plain("perf").sub(&["stat"]),
    plain("pfexec").elevates(),
    plain("pipenv").sub(&["run"]),
    plain("pipx").sub(&["run"]),
    plain("pkexec").elevates(),
    plain("please").elevates(),
    w("plink", SHELL).operands(1).remote(),
    w("pnpm", ARGV_OR_SHELL).sub(&["dlx"]),
    w("pnpm", ARGV_OR_SHELL).sub(&["exec"]),
    plain("podman").sub(&["container", "exec"]).operands(1).container(),
    plain("podman").sub(&["exec"]).operands(1).container(),
    plain("podman").sub(&["run"]).operands(1).container(),
    plain("poetry").sub(&["run"]),
    plain("prlimit"),
    plain("proot").container(),
    plain("proxychains"),
    plain("proxychains4"),
    w("pssh", SHELL).remote(),
    w("pueue", SHELL).sub(&["add"]).detaches(),
    plain("pyenv").sub(&["exec"]),
    plain("rbenv").sub(&["exec"]),
    plain("repeat").operands(1).kind(WrapperKind::Repeated),
    w("repo", VALUE_C).sub(&["forall"]).kind(WrapperKind::Repeated),
    plain("retry"),
    w("rsh", SHELL).operands(1).remote(),
    plain("run0").elevates(),
    plain("rustup").sub(&["run"]).operands(1),
    plain("rye").sub(&["run"]),
    plain("sandbox-exec").container(),
    w("sbatch", &[How::Value('\0', "wrap")]).detaches(),
    plain("schroot").container(),
    w("script", VALUE_C_OR_ARGV).operands(1),
    plain("setlock").operands(1),
    plain("setpriv"),
    plain("setsid").detaches(),
    plain("setuidgid").operands(1),
    w("sg", &[How::Value('c', "command"), How::Shell]).operands(1).elevates(),
    plain("singularity").sub(&["exec"]).operands(1).container(),
    plain("snap").sub(&["run"]),
    plain("softlimit"),
    w("sops", SHELL).sub(&["exec-env"]).operands(1),
    w("sops", SHELL).sub(&["exec-file"]).operands(1),
    plain("sshpass"),
    plain("start-stop-daemon").detaches(),
    plain("stdbuf"),
    plain("strace").stops(&['p']),
    w("su", VALUE_C).elevates(),
    plain("su-exec").operands(1).elevates(),
    plain("sudo").elevates().assignments().stops(&['l', 'v', 'V', 'e']),
    plain("sudo-rs").elevates().assignments().stops(&['l', 'v', 'V', 'e']),
    w("swaymsg", SHELL).sub(&["exec"]).detaches(),
    plain("systemd-cat"),
    plain("systemd-inhibit"),
    plain("systemd-nspawn").container(),
    plain("systemd-run").detaches(),
    w("tailscale", SHELL).sub(&["ssh"]).operands(1).remote(),
    plain("taskset").operands(1).stops(&['p']),
    w("terminator", &[How::Value('e', "command"), How::Argv]),
    plain("time"),
    plain("timeout").operands(1),
    plain("tini"),
    plain("toolbox").sub(&["run"]).container(),
    plain("torify"),
    plain("torsocks"),
    plain("toybox"),
    plain("trickle"),
    w("tsh", SHELL).sub(&["ssh"]).operands(1).remote(),
    plain("tsocks"),
    plain("tsp").detaches(),
    w("ttyrec", &[How::Value('e', "")]),
    plain("unbuffer"),
    plain("unshare").container(),
    w("urxvt", &[How::ArgvOrShell]),
    plain("uv").sub(&["run"]),
    plain("uvx"),
    w("vagrant", VALUE_C).sub(&["ssh"]).remote(),
    plain("valgrind"),
    w("viddy", SHELL).kind(WrapperKind::Repeated),
    plain("volta").sub(&["run"]),
    w("vopono", &[How::ArgvOrShell]).sub(&["exec"]),
    w("watchexec", &[How::ArgvOrShell]).kind(WrapperKind::Repeated),
    w("watchmedo", VALUE_C).sub(&["shell-command"]).kind(WrapperKind::Repeated),
    plain("winpty"),
    plain("wsl").container(),
    plain("x86_64"),
    w("xterm", &[How::ArgvOrShell]),
    plain("xvfb-run"),
    w("yarn", ARGV_OR_SHELL).sub(&["dlx"]),
    w("yarn", ARGV_OR_SHELL).sub(&["exec"]),
];
