//! Who may log in, and as what.

use super::SERVICE;
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const ACCOUNT: Rule = Rule {
    id: "service.account",
    severity: Severity::High,
    keys: &[Key::ours("change accounts, groups or passwords")],
    reason: "This changes who can log in to the system, or with which rights.",
    alternative: Some("Look at the account first: `id bob`, `getent passwd bob`."),
    test: Test::Program(PROGRAMS, changes),
    matches: &[
        "userdel -r bob",
        "deluser --remove-home bob",
        "passwd root",
        "passwd",
        "sudo passwd -d bob",
        "echo bob:x | chpasswd",
        "useradd -m bob",
        "adduser bob sudo",
        "usermod -aG docker bob",
        "groupdel x",
        "gpasswd -a bob sudo",
        "chsh -s /bin/sh bob",
        "chage -E 0 bob",
        "dscl . -create /Users/bob",
        "vipw",
    ],
    near_misses: &["passwd -S bob", "id bob", "chage -l bob"],
    safe: &[
        "id",
        "getent passwd",
        "groups bob",
        "dscl . -read /Users/bob",
        "useradd -D",
        "useradd --help",
    ],
    ..SERVICE
};

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "addgroup", "adduser", "chage", "chfn", "chpasswd", "chsh", "delgroup", "deluser", "dscl",
    "gpasswd", "groupadd", "groupdel", "groupmod", "newusers", "passwd", "pw", "sysadminctl",
    "useradd", "userdel", "usermod", "vigr", "vipw",
];

fn changes(look: &Look<'_>) -> Option<Hit> {
    let any = !look.words().is_empty();
    let changes = match look.name {
        // `getent passwd bob` reads a table of that name.
        "passwd" => !look.has('S', "status") && !look.wrapped_in("getent"),
        "chage" => any && !look.has('l', "list"),
        "chsh" => any && !look.has('l', "list-shells"),
        "chpasswd" | "newusers" | "vipw" | "vigr" => true,
        "useradd" => any && !(look.has('D', "defaults") && look.words().len() == 1),
        "dscl" => look.words().iter().filter_map(|w| w.known()).any(|w| {
            let verb = w.trim_start_matches('-');
            matches!(
                verb,
                "create" | "delete" | "append" | "passwd" | "merge" | "change"
            )
        }),
        "pw" => look
            .words()
            .iter()
            .filter_map(|w| w.known())
            .any(|w| ["add", "del", "mod"].iter().any(|v| w.ends_with(v))),
        _ => any,
    };
    changes.then(|| look.hit())
}
