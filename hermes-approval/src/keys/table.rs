//! The keys of Hermes Agent 0.13 and 0.19, in the order of its rules.
//!
//! Legacy keys are pieces of Hermes' own patterns, which are not repeated here: each is known by its
//! hash, see [`super::fingerprint`]. One is listed where a release that stored such keys had the
//! rule: 0.13 and before. What 0.19 added has never been stored under any name but its own, and a
//! short legacy key, such as `echo`, would approve by mistake.

use super::{Key, Release};

/// How the keys of the programs begin that run another program by an option, such as
/// `sort --compress-program`; the tool and the option follow.
pub const PROGRAM_EXECUTION: &str = "arbitrary program execution via ";

const fn key(canonical: &'static str, since: Release, legacy: &'static [u64]) -> Key {
    Key {
        canonical,
        since,
        until: None,
        renamed_to: None,
        legacy,
    }
}

const fn old(canonical: &'static str, legacy: &'static [u64]) -> Key {
    key(canonical, Release::V0_13, legacy)
}

const fn new(canonical: &'static str) -> Key {
    key(canonical, Release::V0_19, &[])
}

/// A key that 0.19 calls by another name.
const fn renamed(canonical: &'static str, to: &'static str, legacy: &'static [u64]) -> Key {
    Key {
        until: Some(Release::V0_13),
        renamed_to: Some(to),
        ..old(canonical, legacy)
    }
}

/// All canonical keys.
pub const KEYS: &[Key] = &[
    old("delete in root path", &[0x6f9a_cbfc_ebd7_5a90]),
    old("recursive delete", &[0xd87a_555f_4c5c_a9f8]),
    old("recursive delete (long flag)", &[0xbb9b_e8b9_b321_22e4]),
    new("Windows cmd destructive delete"),
    new("Windows PowerShell destructive delete"),
    new("PowerShell encoded command execution"),
    old("world/other-writable permissions", &[0x8777_5bb7_2646_225d]),
    old(
        "recursive world/other-writable (long flag)",
        &[0x3d84_ad6f_ba01_762a],
    ),
    old("recursive chown to root", &[0x73f6_03eb_0beb_7180]),
    old(
        "recursive chown to root (long flag)",
        &[0x703f_de36_880d_2186],
    ),
    old("format filesystem", &[0xec6d_69a2_b20c_e20a]),
    old("disk copy", &[0x146b_df2f_7a7c_0679]),
    old("write to block device", &[0x30c2_2c94_e01f_89d4]),
    old("SQL DROP", &[0x78e2_10f6_8039_9076]),
    old("SQL DELETE without WHERE", &[0x0450_5049_efe7_3a68]),
    old("SQL TRUNCATE", &[0x67cc_ec54_dd22_04c5]),
    old("overwrite system config", &[0xa21c_f65a_e5b5_0170]),
    old("stop/restart system service", &[0x7c7a_32a3_1468_2711]),
    old("kill all processes", &[0xb416_b81f_e4d9_4da9]),
    old("force kill processes", &[0xede8_a849_7de0_60ed]),
    new("force kill processes (killall -KILL)"),
    new("force kill processes (killall -s KILL)"),
    new("kill processes by regex (killall -r)"),
    old("fork bomb", &[0x544b_4b2e_a035_caec]),
    old("shell command via -c/-lc flag", &[0xaf5a_e1e9_b92d_4bde]),
    old("script execution via -e/-c flag", &[0xf4b4_4d99_acc1_b0ae]),
    old("pipe remote content to shell", &[0x3048_a5c7_7381_32fb]),
    old(
        "execute remote script via process substitution",
        &[0x6632_2d19_3bb9_4032],
    ),
    new("execute remote content via command substitution"),
    new("pipe decoded content to shell (possible command obfuscation)"),
    new("pipe xxd-decoded content to shell (possible command obfuscation)"),
    new("pipe tr-transformed output to shell (possible command obfuscation)"),
    new("pipe openssl-decoded content to shell (possible command obfuscation)"),
    old("overwrite system file via tee", &[0x56e4_cd19_4453_6915]),
    old(
        "overwrite system file via redirection",
        &[0x12d4_7601_754f_fb5f],
    ),
    old(
        "overwrite project env/config via tee",
        &[0x56e4_cd19_4453_6915],
    ),
    old(
        "overwrite project env/config via redirection",
        &[0x8f59_1306_4f0f_1730],
    ),
    old("xargs with rm", &[0xede8_d126_0b1b_8200]),
    renamed(
        "find -exec rm",
        "find -exec/-execdir rm",
        &[0xaad7_2478_f030_a91a],
    ),
    new("find -exec/-execdir rm"),
    old("find -delete", &[0xaad7_2478_f030_a91a]),
    old(
        "stop/restart hermes gateway (kills running agents)",
        &[0x4b7b_8262_1ffe_a155],
    ),
    old(
        "hermes update (restarts gateway, kills running agents)",
        &[0xeece_3e9e_44d6_f4c2],
    ),
    new("docker compose restart/stop/kill/down (container lifecycle)"),
    new("docker restart/stop/kill (container lifecycle)"),
    old(
        "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')",
        &[0x76bf_1130_c6d6_fa58, 0x6498_0771_ce28_8a0b],
    ),
    old(
        "kill hermes/gateway process (self-termination)",
        &[0x631c_9313_6099_f3c9],
    ),
    renamed(
        "kill process via pgrep expansion (self-termination)",
        "kill process via pgrep/pidof expansion (self-termination)",
        &[0xef95_82d7_2160_f199],
    ),
    renamed(
        "kill process via backtick pgrep expansion (self-termination)",
        "kill process via backtick pgrep/pidof expansion (self-termination)",
        &[0xef95_82d7_2160_f199],
    ),
    new("kill process via pgrep/pidof expansion (self-termination)"),
    new("kill process via backtick pgrep/pidof expansion (self-termination)"),
    new("stop/restart hermes launchd service (kills running agents)"),
    renamed(
        "copy/move file into /etc/",
        "copy/move file into system config path",
        &[0x9fe9_b024_23f0_70bb],
    ),
    new("copy/move file into system config path"),
    old(
        "overwrite project env/config file",
        &[0x9fe9_b024_23f0_70bb],
    ),
    // Added later, but 0.19 lets the old key stand for all three rules about copies.
    key(
        "copy/move file into sensitive credential/SSH/shell-rc path",
        Release::V0_19,
        &[0x9fe9_b024_23f0_70bb],
    ),
    new("in-place edit of sensitive credential/SSH/shell-rc path"),
    new("in-place edit of sensitive credential/SSH/shell-rc path (long flag)"),
    new("in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)"),
    old("in-place edit of system config", &[0xdc88_58d5_71f3_2a99]),
    old(
        "in-place edit of system config (long flag)",
        &[0x3468_4e7c_13f5_49a8],
    ),
    new("in-place edit of Hermes config/env"),
    new("in-place edit of Hermes config/env (long flag)"),
    new("in-place edit of Hermes config/env (perl/ruby)"),
    old("script execution via heredoc", &[0x6693_4b96_9584_b4c1]),
    new("shell execution via heredoc"),
    old(
        "git reset --hard (destroys uncommitted changes)",
        &[0xe262_8a83_77b3_a987],
    ),
    old(
        "git force push (rewrites remote history)",
        &[0x16c2_b23c_6ff2_29bf],
    ),
    old(
        "git force push short flag (rewrites remote history)",
        &[0x16c2_b23c_6ff2_29bf],
    ),
    old(
        "git clean with force (deletes untracked files)",
        &[0x2695_fb29_a22d_d20c],
    ),
    old("git branch force delete", &[0xd013_d99d_eb0e_c9fa]),
    new("git branch force delete (long flags)"),
    new("git branch force delete (long flags, force-first)"),
    old(
        "chmod +x followed by immediate execution",
        &[0x3827_71ff_37f8_13ff],
    ),
    old(
        "sudo with privilege flag (stdin/askpass/shell/list)",
        &[0xb6bc_6c19_21b6_cc44],
    ),
    old(
        "sudo with combined-flag privilege escalation",
        &[0xb6bc_6c19_21b6_cc44],
    ),
    new("command parser limit exceeded"),
    new("command parser limit or malformed executable payload"),
    new("arbitrary program execution via sort --compress-program"),
    new("arbitrary program execution via rg --pre"),
    new("arbitrary program execution via rg --hostname-bin"),
    new("arbitrary program execution via ag --pager"),
    new("arbitrary program execution via man --pager"),
    new("arbitrary program execution via man --html"),
    new("arbitrary program execution via man -P"),
    new("arbitrary program execution via man -H"),
];
