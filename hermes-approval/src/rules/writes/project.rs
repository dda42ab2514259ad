//! Settings and secrets of a project, its hooks, and the history of a shell.

use super::written::{How, WRITERS, place, redirected, written};
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::Word;

const REDIRECT_KEY: Key = Key::both("overwrite project env/config via redirection");
const TEE_KEY: Key = Key::both("overwrite project env/config via tee");
const COPY_KEY: Key = Key::both("overwrite project env/config file");
const OTHER_KEY: Key = Key::ours("edit project env file");

const REASON: &str = "This writes the settings or the secrets of a project, which no commit keeps.";

fn is_project(place: Place) -> bool {
    matches!(place, Place::ProjectEnv | Place::ProjectConfig)
}

pub(super) const REDIRECT: Rule = Rule {
    id: "write.redirect-project",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[REDIRECT_KEY],
    reason: REASON,
    alternative: Some("Keep a copy first: `cp .env .env.bak`."),
    test: Test::Redirect(|look| {
        let (redirect, _) = redirected(look, is_project)?;
        Some(look.hit_at(redirect.span))
    }),
    matches: &[
        "echo A=1 > .env",
        "echo A=1 >> .env.production",
        "x > app/config.yaml",
        "cat <<E > \"$DIR/.env\"\nA=1\nE",
    ],
    near_misses: &["x > .envrc", "echo x > config.yaml.bak", "cat .env"],
    safe: &[
        "echo A=1 > .env.example",
        "echo A=1 > .envrc.sample",
        "echo x > env.txt",
    ],
    ..Rule::ASK
};

pub(super) const FILE: Rule = Rule {
    id: "write.project",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[COPY_KEY],
    reason: REASON,
    alternative: Some("Keep what is there: `cp -n .env.example .env`."),
    test: Test::Program(WRITERS, file),
    matches: &[
        "x | tee .env",
        "cp a .env",
        "cp new.yaml config.yaml",
        "mv .env.staging .env",
        "install x config.yaml",
        "sed -i s/a/b/ .env",
        "curl -o .env https://x.example.net/e",
    ],
    // A template is copied to where nothing is yet.
    near_misses: &[
        "x | tee env",
        "cp .env a",
        "cp .env.example .env",
        "cp -n a .env",
    ],
    safe: &[
        "cp .env.example /tmp/env.sample",
        "diff config.yaml config.old.yaml",
        "sed -i s/a/b/ config.yaml",
        "touch .env",
    ],
    ..Rule::ASK
};

/// What a template's name ends in.
const TEMPLATES: &[&str] = &["example", "sample", "template", "dist", "tpl", "defaults"];

fn file(look: &Look<'_>) -> Option<Hit> {
    let found = written(look, is_project)?;
    if look.name == "touch" {
        return None;
    }
    let hit = look.hit_word(found.word);
    match found.how {
        How::Tee => Some(hit.keys(&[TEE_KEY])),
        How::Copy => (!keeps(look) && !from_template(look)).then_some(hit),
        // `config.yaml` is edited every day and lies in version control as a rule.
        _ if found.place == Place::ProjectConfig => None,
        _ => Some(hit.keys(&[OTHER_KEY])),
    }
}

/// What is there already is not overwritten.
fn keeps(look: &Look<'_>) -> bool {
    look.has('n', "no-clobber") || look.has('i', "interactive")
}

fn from_template(look: &Look<'_>) -> bool {
    look.name == "cp"
        && look
            .operands()
            .first()
            .and_then(|w| w.known())
            .is_some_and(|source| {
                let mut parts = source.rsplit('/').next().unwrap_or(source).split('.');
                parts.any(|part| TEMPLATES.contains(&part))
            })
}

const HOOK_KEY: Key = Key::ours("write a git hook or git's settings");
const HOOK_REASON: &str = "git runs what stands there by itself.";

pub(super) const HOOK_REDIRECT: Rule = Rule {
    id: "write.redirect-hook",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[HOOK_KEY],
    reason: HOOK_REASON,
    alternative: Some("Show the hook first: `cat hooks/pre-commit`."),
    test: Test::Redirect(|look| {
        let (redirect, _) = redirected(look, |place| place == Place::Hook)?;
        Some(look.hit_at(redirect.span))
    }),
    matches: &["echo x > .git/hooks/pre-push", "echo x >> .git/config"],
    near_misses: &["cat .git/config", "echo x > .gitignore"],
    safe: &[
        "echo target >> .gitignore",
        "cat .git/hooks/pre-push.sample",
    ],
    ..Rule::ASK
};

pub(super) const HOOK: Rule = Rule {
    id: "write.hook",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[HOOK_KEY],
    reason: HOOK_REASON,
    alternative: Some("Show the hook first: `cat hooks/pre-commit`."),
    test: Test::Program(HOOK_WRITERS, |look| {
        if look.name != "chmod" {
            let found = written(look, |place| place == Place::Hook)?;
            return Some(look.hit_word(found.word));
        }
        let mode = look.operands().first()?.known()?;
        let runs =
            mode.contains('x') || mode.bytes().any(|b| matches!(b, b'1' | b'3' | b'5' | b'7'));
        let files = look.operands().iter().skip(1);
        let hook = files
            .copied()
            .find(|word| place(look, word) == Some(Place::Hook))?;
        (runs && !mode.starts_with('-')).then(|| look.hit_word(hook))
    }),
    matches: &[
        "cp pre-commit .git/hooks/",
        "cp x .git/hooks/pre-commit",
        "ln -s ../../x .git/hooks/pre-push",
        "chmod +x .git/hooks/post-checkout",
        "chmod 755 .git/hooks/post-checkout",
        "sed -i s/a/b/ .git/config",
    ],
    near_misses: &["chmod +x scripts/hook.sh", "cp .git/hooks/x y"],
    safe: &[
        "ls .git/hooks",
        "chmod +x build.sh",
        "chmod 644 .git/hooks/pre-push.txt",
    ],
    ..Rule::ASK
};

/// Programs that write, and the one that makes a hook run.
#[rustfmt::skip]
const HOOK_WRITERS: &[&str] = &[
    "chmod", "cp", "curl", "install", "ln", "mv", "rsync", "sed", "tee", "wget", "perl*",
];

pub(super) const HISTORY: Rule = Rule {
    id: "write.history",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[Key::ours("overwrite the shell history")],
    reason: "This wipes the record of what was run.",
    alternative: Some("Look at it with `tail ~/.bash_history`."),
    test: Test::Redirect(|look| {
        let mut redirects = look.invocation.redirects.iter().filter(|r| r.truncates());
        let gone = redirects.find(|r| {
            let target: Option<&Word> = r.target.as_ref();
            target.and_then(|word| place(look, word)) == Some(Place::History)
        })?;
        Some(look.hit_at(gone.span))
    }),
    matches: &["> ~/.bash_history", "cat /dev/null > ~/.zsh_history"],
    near_misses: &["cat ~/.bash_history", "echo x >> ~/.bash_history"],
    safe: &["grep ssh ~/.bash_history > found.txt"],
    ..Rule::ASK
};

pub(super) const HISTORY_CLEAR: Rule = Rule {
    id: "write.history-clear",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[Key::ours("clear the shell history")],
    reason: "This wipes the record of what was run.",
    alternative: Some("Look at it with `history`, and take out single lines."),
    test: Test::Program(&["history", "clear-history"], |look| {
        (look.name == "clear-history" || look.has('c', "")).then(|| look.hit())
    }),
    matches: &["history -c", "history -cw"],
    near_misses: &["history", "history -d 5"],
    safe: &["history 20", "history | grep ssh"],
    ..Rule::ASK
};
