//! Settings and options of git that name a program.

use super::commands::RUN;
use super::is_ordinary;
use crate::grammar::OptValue;
use crate::look::Look;
use crate::rule::{Help, Hit, Rule, Severity, Test};

/// Settings of git whose value is a program.
#[rustfmt::skip]
const GIT: &[&str] = &[
    "core.askpass", "core.editor", "core.fsmonitor", "core.gitproxy", "core.hookspath", "core.pager",
    "core.sshcommand", "diff.external", "gpg.program", "interactive.difffilter", "sequence.editor",
    "uploadpack.packobjectshook", "web.browser",
];

pub(super) const SETTING: Rule = Rule {
    id: "exec-flag.setting",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[RUN],
    reason: "This setting or option of git names a program that git will run.",
    alternative: Some("Leave the setting out: `git log`, `git grep foo`."),
    help: Help::Leading,
    test: Test::Program(&["git"], |look| {
        let sub = look.sub()?;
        for option in &sub.global.options {
            let value = option.value.and_then(OptValue::known).unwrap_or("");
            let runs = option.is_short('c') && git_setting(value)
                || option.is_long("config-env")
                || option.is_long("exec-path") && !value.is_empty() && !value.starts_with("/usr/");
            if runs {
                return Some(at(look, option.word));
            }
        }
        let own = sub.options.options.iter().find(|o| {
            let value = o.value.and_then(OptValue::known).unwrap_or("");
            match sub.name {
                "clone" => o.is('c', "config") && git_setting(value),
                "difftool" => o.is('x', "extcmd") && !value.is_empty() && !is_ordinary(value),
                "rebase" => o.is('x', "exec") && value.starts_with(['.', '/', '~']),
                _ => false,
            }
        });
        if let Some(option) = own {
            return sub.words.get(option.word).map(|w| look.hit_word(w));
        }
        let mut before = "";
        let word = sub.words.iter().find(|w| {
            let text = w.known_prefix();
            let extcmd =
                sub.name == "difftool" && matches!(before, "-x" | "--extcmd") && !is_ordinary(text);
            before = text;
            extcmd
                || text.starts_with("ext::")
                || sub.name == "grep"
                    && (text.starts_with("-O")
                        && text.len() > 2
                        && !is_ordinary(text.trim_start_matches("-O"))
                        || text
                            .strip_prefix("--open-files-in-pager=")
                            .is_some_and(|v| !is_ordinary(v)))
                || matches!(
                    sub.name,
                    "clone" | "fetch" | "pull" | "ls-remote" | "push" | "archive" | "fetch-pack"
                ) && ["--upload-pack", "--receive-pack", "--exec"]
                    .iter()
                    .any(|o| text.starts_with(o))
        });
        if let Some(word) = word {
            return Some(look.hit_word(word));
        }
        if sub.name == "config" {
            let reads = sub.words.iter().any(|w| {
                matches!(
                    w.known(),
                    Some(
                        "--get"
                            | "--unset"
                            | "--list"
                            | "-l"
                            | "--get-all"
                            | "get"
                            | "unset"
                            | "list"
                    )
                )
            });
            let pair = sub.options.operands.windows(2).find(|pair| {
                let name = pair.first().and_then(|w| w.known()).unwrap_or("");
                let value = pair.get(1).map_or("", |w| w.text());
                git_setting(&format!("{name}={value}"))
            });
            return pair
                .filter(|_| !reads)
                .and_then(|p| p.first())
                .map(|w| look.hit_word(w));
        }
        None
    }),
    matches: &[
        "git -c core.pager='sh -c id' log",
        "git -c core.sshCommand=./x fetch",
        "git -c alias.x='!rm -rf y' x",
        "git -c core.fsmonitor=./x status",
        "git grep -O./x foo",
        "git grep --open-files-in-pager=./x foo",
        "git clone --upload-pack ./x host:r",
        "git clone 'ext::sh -c id' r",
        "git clone -c core.fsmonitor=./x r",
        "git clone --config core.sshCommand=./x r",
        "git rebase --exec ./x main",
        "git difftool --extcmd=./x",
        "git -c pager.log=./x log",
        "git config core.hooksPath /tmp/h",
        "git config --global alias.st '!./x'",
    ],
    near_misses: &[
        "git -c core.pager=cat log",
        "git config core.editor vim",
        "git grep foo",
    ],
    safe: &[
        "git grep foo",
        "git -c core.pager=less log",
        "git -c user.name=x commit -m y",
        "git -c core.sshCommand='ssh -i k' fetch",
        "git config --global core.editor vim",
        "git config --global alias.st status",
        "git config --get core.pager",
        "git config core.hooksPath .githooks",
        "git difftool -x diff",
        "git rebase -x 'cargo test' main",
        "git clone -c http.proxy=x u",
    ],
    ..Rule::ASK
};

/// `core.pager=./x`, `alias.x=!cmd`, `filter.x.clean=cmd`.
fn git_setting(text: &str) -> bool {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.to_ascii_lowercase();
    if name == "core.hookspath" {
        // A folder of the project is the usual way to share hooks.
        return value.starts_with(['/', '~']) || value.contains("..");
    }
    if matches!(value, "" | "true" | "false") {
        return false;
    }
    if name.starts_with("alias.") {
        return value.starts_with('!');
    }
    if name.starts_with("credential.") && name.ends_with("helper") {
        return value.starts_with('!') || value.contains('/');
    }
    let program = GIT.contains(&name.as_str())
        || name.starts_with("pager.")
        || [
            "filter.",
            "diff.",
            "merge.",
            "difftool.",
            "mergetool.",
            "pager.",
            "gpg.",
        ]
        .iter()
        .any(|p| name.starts_with(p))
            && [
                ".clean",
                ".smudge",
                ".process",
                ".textconv",
                ".command",
                ".driver",
                ".cmd",
                ".program",
            ]
            .iter()
            .any(|e| name.ends_with(e));
    program
        && !is_ordinary(value)
        && !matches!(
            value.split_whitespace().next(),
            Some("git-lfs" | "gpg" | "gpg2")
        )
}

fn at(look: &Look<'_>, word: usize) -> Hit {
    match look.words().get(word) {
        Some(word) => look.hit_word(word),
        None => look.hit(),
    }
}
