//! Accounts and groups.

use super::{BOTH, is_rehearsal, switch, words};
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const CHANGE: Rule = Rule {
    id: "windows.accounts",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("change Windows accounts")],
    reason: "This changes who gets into the machine or the domain.",
    alternative: Some("Look at the accounts: `net user`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "net",
            "net1",
            "cmdkey",
            "dsrm",
            "dsmod",
            "dsadd",
            "new-localuser",
            "remove-localuser",
            "set-localuser",
            "disable-localuser",
            "enable-localuser",
            "add-localgroupmember",
            "remove-localgroupmember",
            "remove-localgroup",
            "remove-aduser",
            "new-aduser",
            "set-adaccountpassword",
            "disable-adaccount",
            "unlock-adaccount",
            "add-adgroupmember",
            "set-aduser",
            "netdom",
            "wmic",
        ],
        |look| {
            let words = words(look);
            let first = words.first().map_or("", String::as_str);
            let found = match look.name {
                "net" | "net1" => match first {
                    // A name alone is looked up; a second word is its new password.
                    "user" => {
                        switch(look, &["add", "delete", "active"])
                            || words.iter().skip(1).filter(|w| !w.starts_with('/')).count() > 1
                    }
                    "localgroup" | "group" | "accounts" | "share" => {
                        switch(look, &["add", "delete", "maxpwage", "minpwlen", "grant"])
                            || first == "share" && words.iter().any(|w| w.contains('='))
                    }
                    "use" => switch(look, &["delete"]),
                    _ => false,
                },
                "cmdkey" => switch(look, &["add", "delete", "generic"]),
                "netdom" => matches!(first, "remove" | "resetpwd" | "reset" | "trust" | "join"),
                "wmic" => {
                    words.iter().any(|w| w == "useraccount")
                        && words
                            .iter()
                            .any(|w| matches!(w.as_str(), "set" | "delete" | "call" | "rename"))
                }
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "net user eve p /add",
        "net user administrator NewPass1",
        "net localgroup administrators eve /add",
        "powershell -c \"New-LocalUser eve\"",
        "powershell -c \"Remove-ADUser eve -Confirm:0\"",
    ],
    near_misses: &["net user", "net user eve"],
    safe: &[
        "net user",
        "net localgroup administrators",
        "powershell -c \"Get-LocalUser\"",
    ],
    ..Rule::ASK
};
