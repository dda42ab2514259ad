//! Names of programs: those that are worth finding behind an unknown wrapper, and those whose
//! arguments are data.

use crate::name_index::NameIndex;
use crate::platform::Platform;

/// True for a program that does harm or runs others.
pub(crate) fn is_program(name: &str, platform: Platform) -> bool {
    if platform == Platform::Posix && WINDOWS_BUILTINS.contains(&name) {
        return false;
    }
    PROGRAM_NAMES.has(PROGRAMS, name) || name.starts_with("mkfs.")
}

/// True for a tool that is known not to run its arguments.
pub(super) fn is_known_tool(name: &str) -> bool {
    TOOL_NAMES.has(TOOLS, name) || crate::grammar::grammar(name).is_some()
}

static PROGRAM_NAMES: NameIndex<512> = NameIndex::of(PROGRAMS);
static TOOL_NAMES: NameIndex<1024> = NameIndex::of(TOOLS);

/// Of these a POSIX shell knows nothing: `etcdctl del k` is no `del k`.
const WINDOWS_BUILTINS: &[&str] = &["del", "diskpart", "erase", "format", "rd"];

/// In order.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "apt", "apt-get", "aws", "az", "bash", "blkdiscard", "chattr", "chgrp", "chmod", "chown", "crontab",
    "curl", "dash", "dd", "del", "diskpart", "doas", "docker", "dropdb", "erase", "eval", "fdisk",
    "find", "format", "gcloud", "git", "halt", "helm", "init", "iptables", "kexec", "kill", "killall",
    "kubectl", "ln", "lvremove", "mkfs", "mkswap", "mount", "mv", "nft", "node", "parted", "passwd",
    "perl", "pkill", "podman", "poweroff", "psql", "pvremove", "python", "python3", "rd", "reboot",
    "rimraf", "rm", "rmdir", "rsync", "ruby", "sfdisk", "sgdisk", "sh", "shred", "shutdown", "srm",
    "ssh", "su", "sudo", "swapoff", "systemctl", "tee", "telinit", "terraform", "truncate", "ufw",
    "umount", "unlink", "userdel", "vgremove", "wget", "wipefs", "xargs", "zfs", "zpool", "zsh",
];

/// In order.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    ":", "Get-ChildItem", "Get-Command", "Get-Help", "Get-Item", "Select-String", "Write-Host",
    "Write-Output", "[[", "ack", "alias", "apropos", "apt-cache", "apt-file", "aptitude", "atom", "ausearch",
    "autoconf", "automake", "basename", "bat", "bc", "bg", "bind", "brew", "bzgrep", "bzip2", "cal", "case",
    "cd", "cheat", "checkbashisms", "cksum", "clang", "clear", "cmake", "cmp", "code", "col", "column",
    "comm", "compgen", "complete", "composer", "convert", "csplit", "ctags", "date", "dc", "declare", "delta",
    "dig", "dir", "dirname", "dirs", "disown", "dotnet", "dpkg-query", "ed", "emacs", "emacsclient", "enable",
    "eslint", "exa", "exit", "expand", "export", "expr", "eza", "factor", "false", "fc", "ffmpeg", "fg",
    "figlet", "file", "fmt", "fold", "fzf", "g++", "gcc", "gem", "getopts", "gh", "glab", "go", "gradle",
    "groups", "hash", "head", "help", "hexdump", "hg", "history", "host", "hostname", "htop", "http", "hub",
    "id", "ifconfig", "info", "ip", "jest", "jobs", "join", "journalctl", "jq", "jshint", "just", "kak",
    "last", "lastb", "lastlog", "less", "let", "local", "locate", "logger", "logname", "look", "lsof",
    "magick", "mail", "mailx", "make", "man", "md5sum", "micro", "more", "msg", "mutt", "mvn", "nano",
    "needs-restarting", "netstat", "nl", "nm", "notify-send", "npm", "nproc", "nslookup", "objdump", "od",
    "open", "osv", "paste", "patch", "pdfgrep", "pico", "ping", "pkg-config", "pnpm", "popd", "pr",
    "prettier", "printenv", "ps", "pushd", "pwd", "pylint", "pytest", "python2", "read", "readlink",
    "readonly", "realpath", "return", "ripgrep", "ruff", "rustc", "say", "sed", "seq", "set", "sha1sum",
    "sha256sum", "shasum", "shellcheck", "shfmt", "shift", "shopt", "slack-notify", "sleep", "split", "stat",
    "strings", "stty", "subl", "sum", "svn", "swift", "sync", "tac", "tail", "test", "tldr", "top", "tput",
    "trap", "tree", "true", "tsc", "tsort", "tty", "type", "typeset", "ug", "ugrep", "ulimit", "umask",
    "unalias", "uname", "uniq", "unset", "uptime", "utmpdump", "vdir", "virsh", "wait", "wall", "what",
    "whatis", "whence", "where", "whereis", "which", "who", "whoami", "whois", "write", "xclip", "xdg-open",
    "xmllint", "xz", "xzgrep", "yarn", "yes", "yq", "zcat", "zegrep", "zfgrep", "zgrep", "zig", "zip",
    "zstdgrep",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_are_in_order() {
        assert!(PROGRAMS.is_sorted(), "{PROGRAMS:?}");
        assert!(TOOLS.is_sorted(), "{TOOLS:?}");
    }
}
