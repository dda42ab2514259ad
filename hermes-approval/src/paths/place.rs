//! Kinds of file that matter, told by their names.

use crate::environment::AnalysisEnv;
use crate::paths::is_below;

/// What a file is, from the least to the most sensitive. A file that is none of these is just a
/// file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// `/dev/null`, terminals, `/dev/shm/…`: nothing is lost by writing to it.
    Sink,
    /// Below a directory for temporary files.
    Temp,
    /// A project's `config.yaml`.
    ProjectConfig,
    /// A project's `.env`, `.env.production`, …, but no template of it.
    ProjectEnv,
    /// What a version control system runs: `.git/hooks/…`, `.git/config`.
    Hook,
    /// The history of a shell.
    History,
    /// Programs, libraries and data of the system outside `/etc`.
    SystemFile,
    /// `/proc`, `/sys`.
    Kernel,
    /// Below `/etc`.
    SystemConfig,
    /// What a shell, a desktop or a scheduler runs by itself: `.bashrc`, autostart, crontabs, and
    /// `.gitconfig`, which names programs.
    Startup,
    /// A file with passwords or tokens.
    Credential,
    /// Below `.ssh`.
    Ssh,
    /// State of Hermes: its database, its sessions.
    HermesState,
    /// Configuration and secrets of Hermes.
    HermesConfig,
    /// A disk, a partition, a volume, the memory.
    Device,
    /// The switch that stops the kernel at once.
    SysRq,
}

impl Place {
    /// The kind of an absolute path, or of a relative one whose directory isn't known.
    pub fn of(path: &str, env: &AnalysisEnv) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if let Some(below) = below_home(path, env) {
            if let Some(place) = in_hermes(path, env).or_else(|| in_home(below, name)) {
                return Some(place);
            }
        } else if path.starts_with('/')
            && let Some(place) = in_hermes(path, env).or_else(|| in_system(path))
        {
            return Some(place);
        }
        in_project(path, name)
    }

    /// The kind of a path that code of another language names; `~` is the home.
    pub fn of_text(path: &str, env: &AnalysisEnv) -> Option<Self> {
        match path.strip_prefix('~') {
            Some(rest) if rest.starts_with('/') => {
                Self::of(&format!("{}{rest}", env.user_home), env)
            }
            _ => Self::of(&super::normal(path), env),
        }
    }

    /// True if writing it changes what the system does or who gets in.
    pub fn is_system(self) -> bool {
        matches!(self, Self::SystemFile | Self::Kernel | Self::SystemConfig)
    }

    /// True for what a person keeps to get in somewhere, or what runs by itself.
    pub fn is_personal(self) -> bool {
        matches!(self, Self::Startup | Self::Credential | Self::Ssh)
    }

    /// True for what belongs to Hermes.
    pub fn is_hermes(self) -> bool {
        matches!(self, Self::HermesState | Self::HermesConfig)
    }

    /// What to call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sink => "a device that keeps nothing",
            Self::Temp => "a temporary file",
            Self::ProjectConfig => "the project's configuration",
            Self::ProjectEnv => "the project's environment file",
            Self::Hook => "a hook or the configuration of git",
            Self::History => "the shell's history",
            Self::SystemFile => "a system file",
            Self::Kernel => "a setting of the running kernel",
            Self::SystemConfig => "system configuration",
            Self::Startup => "a file that is run or read at every start",
            Self::Credential => "a file with credentials",
            Self::Ssh => "an SSH key or SSH configuration",
            Self::HermesState => "the state of Hermes",
            Self::HermesConfig => "the configuration of Hermes",
            Self::Device => "a block device",
            Self::SysRq => "the kernel's emergency switch",
        }
    }
}

/// What of the path stands behind a home: the user's, or one where homes usually are.
fn below_home<'p>(path: &'p str, env: &AnalysisEnv) -> Option<&'p str> {
    let own = env.user_home.trim_end_matches('/');
    if !own.is_empty()
        && let Some(rest) = path.strip_prefix(own).and_then(|r| r.strip_prefix('/'))
    {
        return Some(rest);
    }
    if let Some(rest) = path.strip_prefix("/root/") {
        return Some(rest);
    }
    let rest = path
        .strip_prefix("/home/")
        .or_else(|| path.strip_prefix("/Users/"))?;
    rest.split_once('/').map(|(_, below)| below)
}

fn in_hermes(path: &str, env: &AnalysisEnv) -> Option<Place> {
    let home = env.hermes_home.trim_end_matches('/');
    let below = path.strip_prefix(home)?.strip_prefix('/')?;
    // A profile has the same files one folder down.
    let below = match below
        .strip_prefix("profiles/")
        .and_then(|r| r.split_once('/'))
    {
        Some((_, rest)) => rest,
        None => below,
    };
    match below {
        "config.yaml" | ".env" | "auth.json" | "approval-grants.json" | "SOUL.md" => {
            Some(Place::HermesConfig)
        }
        _ if below.starts_with("state.db") || is_below(below, "sessions") => {
            Some(Place::HermesState)
        }
        _ => None,
    }
}

/// Files and folders (with a slash) of a home.
#[rustfmt::skip]
const HOME: &[(&str, Place)] = &[
    (".bash_aliases", Place::Startup), (".bash_functions", Place::Startup), (".bashrc.d/", Place::Startup),
    (".cargo/config.toml", Place::Startup), (".claude.json", Place::Startup), (".claude/settings.json", Place::Startup),
    (".codex/config.toml", Place::Startup), (".composer/auth.json", Place::Credential),
    (".config/environment.d/", Place::Startup), (".config/hub", Place::Credential),
    (".config/pip/pip.conf", Place::Startup), (".config/plasma-workspace/env/", Place::Startup),
    (".config/powershell/", Place::Startup), (".config/rclone/rclone.conf", Place::Credential),
    (".cursor/mcp.json", Place::Startup), (".curlrc", Place::Startup), (".forward", Place::Startup),
    (".gdbinit", Place::Startup), (".gemini/settings.json", Place::Startup), (".hgrc", Place::Startup),
    (".m2/settings.xml", Place::Credential), (".msmtprc", Place::Credential),
    (".oh-my-zsh/custom/", Place::Startup), (".pam_environment", Place::Startup), (".pip/pip.conf", Place::Startup),
    (".procmailrc", Place::Startup), (".profile.d/", Place::Startup), (".psqlrc", Place::Startup),
    (".rhosts", Place::Startup), (".s3cfg", Place::Credential), (".shosts", Place::Startup),
    (".smbcredentials", Place::Credential), (".terraform.d/credentials.tfrc.json", Place::Credential),
    (".xserverrc", Place::Startup), (".xsessionrc", Place::Startup), (".zsh_aliases", Place::Startup),
    (".zshrc.d/", Place::Startup),
    (".aws/", Place::Credential), (".azure/", Place::Credential), (".bash_history", Place::History),
    (".bash_login", Place::Startup), (".bash_logout", Place::Startup), (".bash_profile", Place::Startup),
    (".bashrc", Place::Startup), (".cargo/credentials", Place::Credential),
    (".cargo/credentials.toml", Place::Credential), (".config/autostart/", Place::Startup),
    (".config/fish/", Place::Startup), (".config/gcloud/", Place::Credential),
    (".config/gh/hosts.yml", Place::Credential), (".config/git/config", Place::Startup),
    (".config/git/credentials", Place::Credential), (".config/nushell/", Place::Startup),
    (".config/systemd/user/", Place::Startup), (".cshrc", Place::Startup),
    (".docker/config.json", Place::Credential), (".gem/credentials", Place::Credential),
    (".git-credentials", Place::Credential), (".gitconfig", Place::Startup), (".gnupg/", Place::Credential),
    (".kshrc", Place::Startup), (".kube/config", Place::Credential),
    (".local/share/keyrings/", Place::Credential), (".local/share/systemd/user/", Place::Startup),
    (".login", Place::Startup), (".my.cnf", Place::Credential), (".netrc", Place::Credential),
    (".npmrc", Place::Credential), (".password-store/", Place::Credential), (".pgpass", Place::Credential),
    (".profile", Place::Startup), (".pypirc", Place::Credential), (".ssh/", Place::Ssh),
    (".tcshrc", Place::Startup), (".vault-token", Place::Credential), (".xinitrc", Place::Startup),
    (".xprofile", Place::Startup), (".xsession", Place::Startup), (".zlogin", Place::Startup),
    (".zlogout", Place::Startup), (".zprofile", Place::Startup), (".zsh_history", Place::History),
    (".zshenv", Place::Startup), (".zshrc", Place::Startup), ("Library/Keychains/", Place::Credential),
    ("Library/LaunchAgents/", Place::Startup),
];

fn in_home(below: &str, name: &str) -> Option<Place> {
    // `~/.ssh/config.example` is read by nobody.
    if name
        .rsplit_once('.')
        .is_some_and(|(_, last)| TEMPLATES.contains(&last))
    {
        return None;
    }
    lookup(HOME, below).or_else(|| (name == "authorized_keys").then_some(Place::Ssh))
}

/// Files and folders (with a slash) of the system; the longest that fits counts.
#[rustfmt::skip]
const SYSTEM: &[(&str, Place)] = &[
    ("/Library/", Place::SystemFile), ("/System/", Place::SystemFile), ("/bin/", Place::SystemFile),
    ("/boot/", Place::SystemFile), ("/dev/full", Place::Sink), ("/dev/kmem", Place::Device),
    ("/dev/fd/", Place::Sink), ("/dev/mapper/", Place::Device), ("/dev/disk/", Place::Device),
    ("/dev/mem", Place::Device), ("/dev/null", Place::Sink), ("/dev/port", Place::Device),
    ("/dev/pts/", Place::Sink), ("/dev/random", Place::Sink), ("/dev/shm/", Place::Temp),
    ("/dev/stderr", Place::Sink), ("/dev/stdin", Place::Sink), ("/dev/stdout", Place::Sink),
    ("/dev/tty", Place::Sink), ("/dev/urandom", Place::Sink), ("/dev/zero", Place::Sink),
    ("/etc/", Place::SystemConfig), ("/lib/", Place::SystemFile), ("/lib32/", Place::SystemFile),
    ("/lib64/", Place::SystemFile), ("/private/etc/", Place::SystemConfig),
    ("/private/tmp/", Place::Temp), ("/private/var/tmp/", Place::Temp),
    ("/private/var/", Place::SystemFile), ("/proc/", Place::Kernel),
    ("/proc/self/fd/", Place::Sink), ("/proc/sysrq-trigger", Place::SysRq),
    ("/sbin/", Place::SystemFile), ("/sys/", Place::Kernel), ("/tmp/", Place::Temp),
    ("/usr/", Place::SystemFile), ("/var/db/", Place::SystemFile), ("/var/lib/", Place::SystemFile),
    ("/var/spool/", Place::Startup), ("/var/tmp/", Place::Temp),
];

fn in_system(path: &str) -> Option<Place> {
    if let Some(device) = path.strip_prefix("/dev/")
        && is_block(device)
    {
        return Some(Place::Device);
    }
    lookup(SYSTEM, path).or_else(|| path.contains("/.ssh/").then_some(Place::Ssh))
}

/// What names of disks start with, and what may follow: a number, or letters of a disk.
#[rustfmt::skip]
const DISKS: &[&str] = &[
    "ada", "da", "dasd", "disk", "dm-", "drbd", "hd", "md", "mmcblk", "mtd", "mtdblock", "nbd",
    "nvme", "pmem", "rdisk", "sd", "sr", "vd", "xvd", "zd",
];

/// `sda1`, `nvme0n1p2`, `mapper/x`, `vg0/root`, and patterns of such: `sd*`, `sd[a-z]`.
fn is_block(device: &str) -> bool {
    DISKS.iter().any(|disk| {
        device.strip_prefix(disk).is_some_and(|rest| {
            !rest.is_empty()
                && rest.len() <= 12
                && rest.starts_with(|c: char| {
                    c.is_ascii_digit() || matches!(c, '*' | '?' | '[') || short_letters(disk)
                })
                && rest
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"*?[]-".contains(&b))
        })
    })
}

/// Disks that are told apart by letters: `sda`, `vdb`, `xvdf`, `hdc`, `dasda`.
fn short_letters(disk: &str) -> bool {
    matches!(disk, "sd" | "hd" | "vd" | "xvd" | "dasd")
}

fn lookup(table: &[(&str, Place)], path: &str) -> Option<Place> {
    table
        .iter()
        .filter(|(key, _)| {
            if key.ends_with('/') {
                path.starts_with(key) || path.len() + 1 == key.len() && key.starts_with(path)
            } else {
                path == *key
            }
        })
        .max_by_key(|(key, _)| key.len())
        .map(|(_, place)| *place)
}

/// What stands in the name of an environment file that holds no secrets.
const TEMPLATES: &[&str] = &[
    "example", "sample", "template", "dist", "tpl", "md", "defaults", "schema",
];

fn in_project(path: &str, name: &str) -> Option<Place> {
    if let Some(at) = path
        .find(".git/")
        .filter(|at| *at == 0 || path.get(..*at).is_some_and(|before| before.ends_with('/')))
    {
        let below = path.get(at + 5..).unwrap_or("");
        if below.starts_with("hooks/") || below == "config" {
            return Some(Place::Hook);
        }
    }
    if name == "config.yaml" {
        return Some(Place::ProjectConfig);
    }
    if name == ".env" {
        return Some(Place::ProjectEnv);
    }
    let variant = name.strip_prefix(".env.")?;
    // A copy of a template is one, too: `.env.sample.bak`.
    let template = variant.split('.').any(|part| TEMPLATES.contains(&part));
    (!template).then_some(Place::ProjectEnv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names() {
        use Place::*;
        let env = AnalysisEnv::new("/home/sam");
        for (path, expected) in [
            ("/dev/null", Some(Sink)),
            ("/dev/sda", Some(Device)),
            ("/dev/sda1", Some(Device)),
            ("/dev/sd*", Some(Device)),
            ("/dev/nvme0n1p2", Some(Device)),
            ("/dev/mapper/vg0-root", Some(Device)),
            ("/dev/disk/by-id/ata-X", Some(Device)),
            ("/dev/sdcard-notes.txt", None),
            ("/dev/shm/x", Some(Temp)),
            ("/proc/sysrq-trigger", Some(SysRq)),
            ("/proc/sys/kernel/sysrq", Some(Kernel)),
            ("/etc/hosts", Some(SystemConfig)),
            ("/etc", Some(SystemConfig)),
            ("/usr/local/bin/tool", Some(SystemFile)),
            ("/tmp/x", Some(Temp)),
            ("/srv/x", None),
            ("/home/sam/.ssh/config", Some(Ssh)),
            ("/root/.ssh/authorized_keys", Some(Ssh)),
            ("/home/eve/.bashrc", Some(Startup)),
            ("/home/sam/.bash_aliases", Some(Startup)),
            ("/home/sam/.bashrc.bak", None),
            ("/home/sam/.ssh/config.example", None),
            ("/home/sam/.config/fish/config.fish", Some(Startup)),
            ("/home/sam/.aws/credentials", Some(Credential)),
            ("/home/sam/.hermes/config.yaml", Some(HermesConfig)),
            ("/home/sam/.hermes/profiles/work/.env", Some(HermesConfig)),
            ("/home/sam/.hermes/state.db-wal", Some(HermesState)),
            ("/home/sam/.hermes/skills/x.md", None),
            ("config.yaml", Some(ProjectConfig)),
            ("config.yaml.bak", None),
            (".env", Some(ProjectEnv)),
            ("app/.env.production", Some(ProjectEnv)),
            (".env.example", None),
            (".env.sample.bak", None),
            (".env.bak", Some(ProjectEnv)),
            (".envrc", None),
            (".git/hooks/pre-push", Some(Hook)),
            ("x.git/hooks/pre-push", None),
            ("src/main.rs", None),
        ] {
            assert_eq!(Place::of(path, &env), expected, "{path}");
        }
    }
}
