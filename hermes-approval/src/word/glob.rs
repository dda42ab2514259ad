//! File name patterns: matching a text, and matching the names that every system has.

/// True if the pattern (`*`, `?`, `[…]`, `\x`) covers the whole text. Linear in text × stars at
/// worst; no recursion.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_chars(&pattern, &text)
}

pub(crate) fn matches_chars(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where the last star stood, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            Some(_) => {
                if let Some(next) = matches_one(pattern, p, text.get(t).copied()) {
                    p = next;
                    t += 1;
                    continue;
                }
            }
            None => {}
        }
        let Some((at, taken)) = star else {
            return false;
        };
        star = Some((at, taken + 1));
        (p, t) = (at + 1, taken + 1);
    }
    pattern.iter().skip(p).all(|&c| c == '*')
}

/// Matches one character; gives the place behind what matched it.
fn matches_one(pattern: &[char], at: usize, c: Option<char>) -> Option<usize> {
    let c = c?;
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => {
            let rest = pattern.get(at + 1..)?;
            let negated = matches!(rest.first(), Some('!' | '^'));
            let body_start = usize::from(negated);
            // A `]` right at the start belongs to the set.
            let close = rest.iter().skip(body_start + 1).position(|&c| c == ']');
            let Some(close) = close else {
                return (c == '[').then_some(at + 1);
            };
            let body = rest.get(body_start..body_start + 1 + close)?;
            (in_set(body, c) != negated).then_some(at + 1 + body_start + 1 + close + 1)
        }
        '\\' => (pattern.get(at + 1) == Some(&c)).then_some(at + 2),
        &literal => (literal == c).then_some(at + 1),
    }
}

fn in_set(body: &[char], c: char) -> bool {
    let text: String = body.iter().collect();
    if let Some(name) = text
        .strip_prefix("[:")
        .and_then(|rest| rest.strip_suffix(":"))
    {
        return match name {
            "alpha" => c.is_alphabetic(),
            "lower" => c.is_lowercase(),
            "upper" => c.is_uppercase(),
            "digit" => c.is_ascii_digit(),
            "alnum" => c.is_alphanumeric(),
            _ => false,
        };
    }
    let mut at = 0;
    while let Some(&first) = body.get(at) {
        if let (Some('-'), Some(&last)) = (body.get(at + 1), body.get(at + 2)) {
            if (first..=last).contains(&c) {
                return true;
            }
            at += 3;
        } else {
            if first == c {
                return true;
            }
            at += 1;
        }
    }
    false
}

/// Files that every system has and that a pattern starting with `/` may be meant for.
pub(crate) fn well_known(pattern: &str) -> Vec<String> {
    let last = pattern.rsplit('/').next().unwrap_or("");
    // Bare stars say nothing: `/*` is what it is.
    if last.bytes().all(|b| b == b'*') || pattern.len() > MAX_PATTERN {
        return Vec::new();
    }
    let mut found: Vec<String> = PATHS
        .iter()
        .filter(|path| matches_path(pattern, path))
        .map(|&path| path.to_owned())
        .collect();
    let folder = pattern.rsplit_once('/').map_or("", |(folder, _)| folder);
    for bin in BIN_FOLDERS {
        if matches_path(folder, bin) {
            found.extend(
                PROGRAMS
                    .iter()
                    .filter(|name| matches(last, name))
                    .map(|name| format!("{bin}/{name}")),
            );
        }
    }
    found.truncate(super::build::MAX_ALTERNATIVES);
    found
}

/// Component by component: no wildcard matches `/`.
pub(crate) fn matches_path(pattern: &str, path: &str) -> bool {
    pattern.len() <= MAX_PATTERN
        && pattern.matches('/').count() == path.matches('/').count()
        && pattern
            .split('/')
            .zip(path.split('/'))
            .all(|(p, t)| matches(p, t) && p.starts_with('.') == t.starts_with('.'))
}

const MAX_PATTERN: usize = 256;

const BIN_FOLDERS: &[&str] = &["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"];

const PATHS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var/lib",
    "/var/log",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/sudoers",
    "/etc/group",
    "/etc/gshadow",
    "/etc/fstab",
    "/etc/hosts",
    "/etc/crontab",
    "/etc/profile",
    "/etc/ssh",
    "/etc/ssl",
    "/etc/ld.so.preload",
    "/dev/sda",
    "/dev/vda",
    "/dev/nvme0n1",
    "/dev/mem",
    "/proc/sysrq-trigger",
    "/root/.ssh",
    "/root/.bashrc",
];

/// Programs worth a pattern: those that do harm or run others.
const PROGRAMS: &[&str] = &[
    "rm",
    "dd",
    "sh",
    "bash",
    "zsh",
    "dash",
    "chmod",
    "chown",
    "mv",
    "cp",
    "ln",
    "kill",
    "killall",
    "pkill",
    "shred",
    "unlink",
    "rmdir",
    "truncate",
    "tee",
    "curl",
    "wget",
    "nc",
    "ncat",
    "git",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "awk",
    "sed",
    "find",
    "xargs",
    "sudo",
    "su",
    "ssh",
    "scp",
    "rsync",
    "env",
    "base64",
    "xxd",
    "eval",
    "docker",
    "systemctl",
    "reboot",
    "halt",
    "poweroff",
    "shutdown",
    "init",
    "mkfs",
    "mkfs.ext4",
    "fdisk",
    "wipefs",
    "mount",
    "umount",
    "crontab",
    "useradd",
    "userdel",
    "passwd",
    "iptables",
    "cat",
    "tar",
    "busybox",
];
