//! Hardline commands in options that run programs.

use crate::detect::is_hardline;
use crate::rule::{Key, Rule, Test};
use crate::rules::{option_script, variable_script};

pub(super) const OPTION: Rule = Rule {
    id: "hardline.option-runs",
    class: "exec-flag",
    keys: &[Key::ours("option that runs a hardline command")],
    reason: "This option makes the tool run a command that is never run.",
    alternative: Some("Leave the option out."),
    test: Test::Program(
        &[
            "ag", "bat", "borg", "bsdtar", "cpio", "gsplit", "gtar", "man", "rg", "rsync", "scp",
            "sftp", "sort", "split", "tar", "tcpdump",
        ],
        |look| {
            let script = option_script(look)?;
            is_hardline(script, look.scope, look.invocation.platform).then(|| look.hit())
        },
    ),
    matches: &[
        "sort --compress-program='rm -rf --no-preserve-root /' f",
        "tar --to-command='mkfs.ext4 /dev/sda' -xf a.tar",
        "tar cf a.tar --checkpoint=1 --checkpoint-action=exec='rm -rf /' .",
        "man -P 'rm -rf /' ls",
        "rsync -e 'rm -rf /' a host:",
    ],
    near_misses: &["sort --compress-program='rm -rf src' f"],
    safe: &["sort --compress-program=gzip f"],
    ..Rule::HARDLINE
};

pub(super) const VARIABLE: Rule = Rule {
    id: "hardline.variable-runs",
    class: "exec-flag",
    keys: &[Key::ours("variable that runs a hardline command")],
    reason: "The tool runs the command in this variable, and that is never run.",
    alternative: Some("Leave the variable out."),
    test: Test::Any(|look| {
        let script = variable_script(look)?;
        is_hardline(script, look.scope, look.invocation.platform).then(|| look.hit())
    }),
    matches: &[
        "GIT_SSH_COMMAND='reboot' git fetch",
        "GIT_PAGER='rm -rf /' git log",
        "env EDITOR='mkfs.ext4 /dev/sda' crontab -e",
        "export PAGER='shutdown -h now'; man ls",
    ],
    near_misses: &["GIT_PAGER='rm -rf src' git log"],
    safe: &["GIT_PAGER=cat git log", "NOTE=reboot ls"],
    ..Rule::HARDLINE
};
