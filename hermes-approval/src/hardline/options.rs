//! Hardline commands in options that run programs.

use crate::detect::is_hardline;
use crate::rule::{Key, Rule, Test};
use crate::rules::option_script;

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
