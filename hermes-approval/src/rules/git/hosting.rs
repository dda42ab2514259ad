//! `gh` and `glab`: what lies at the host of the repositories.

use super::GIT;
use crate::look::Look;
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::Word;

const HOSTING: &[&str] = &["gh", "glab", "hub", "tea"];

/// What can't be taken back, by its first words.
const DELETES: &[&[&str]] = &[
    &["repo", "delete"],
    &["repo", "archive"],
    &["repo", "rename"],
    &["release", "delete"],
    &["release", "delete-asset"],
    &["secret", "delete"],
    &["secret", "remove"],
    &["variable", "delete"],
    &["run", "delete"],
    &["issue", "delete"],
    &["issue", "transfer"],
    &["gist", "delete"],
    &["label", "delete"],
    &["project", "delete"],
    &["ssh-key", "delete"],
    &["gpg-key", "delete"],
    &["codespace", "delete"],
    &["ruleset", "delete"],
    &["cache", "delete"],
    &["workflow", "disable"],
    &["deploy-key", "delete"],
    &["repo", "deploy-key", "delete"],
    &["run", "cancel"],
    &["ci", "cancel"],
    &["ci", "delete"],
    &["mr", "delete"],
    &["delete"],
];

pub(super) const DELETE: Rule = Rule {
    id: "git.hosting-delete",
    severity: Severity::High,
    keys: &[Key::ours("delete at the repository host")],
    reason: "This deletes something at the host of the repository, for everybody.",
    alternative: Some("Look at it first with `gh repo view`."),
    test: Test::Program(HOSTING, |look| {
        let overwrites = look.verbs(&["repo", "sync"]) && look.has_word("--force");
        let closes = (look.verbs(&["pr", "close"]) || look.verbs(&["mr", "close"]))
            && (look.has_word("--delete-branch") || look.has_word("-d"));
        let deletes = DELETES.iter().any(|verbs| look.verbs(verbs)) || is_delete_request(look);
        let deletes = deletes || overwrites || closes;
        deletes.then(|| look.hit())
    }),
    matches: &[
        "gh repo delete me/x --yes",
        "glab repo delete x",
        "gh api -X DELETE repos/o/r",
        "gh api --method=DELETE repos/o/r",
        "gh api repos/o/r -XDELETE",
        "gh release delete v1 -y",
        "gh secret delete TOKEN",
        "gh -R o/r workflow disable ci",
        "glab api --method delete projects/1",
        "gh repo sync --force",
        "gh pr close 1 --delete-branch",
        "gh run cancel 1",
    ],
    near_misses: &[
        "gh api repos/o/r",
        "gh repo view",
        "gh api -X GET repos/o/r",
    ],
    safe: &[
        "gh pr list",
        "gh pr create --title delete --body x",
        "gh repo clone o/r",
        "gh issue list --label delete",
        "gh run watch",
    ],
    ..GIT
};

/// `api -X DELETE`
fn is_delete_request(look: &Look<'_>) -> bool {
    if !look.verbs(&["api"]) {
        return false;
    }
    let mut words = look.words().iter().filter_map(Word::known);
    words.any(|word| {
        let method = word
            .strip_prefix("-X")
            .or_else(|| word.strip_prefix("--method="))
            .map_or(word, |rest| rest.trim_start_matches('='));
        method.eq_ignore_ascii_case("delete")
    })
}

pub(super) const OPEN: Rule = Rule {
    id: "git.hosting-open",
    severity: Severity::High,
    keys: &[Key::ours("open up a repository")],
    reason: "This makes a repository public or merges past its checks.",
    alternative: Some("See who can read it with `gh repo view --json visibility`."),
    test: Test::Program(HOSTING, |look| {
        let public = look.verbs(&["repo", "edit"])
            && look
                .value('\0', "visibility")
                .or_else(|| after(look, "--visibility"))
                == Some("public");
        // Who may push, and who may look, over the interface itself.
        let opens = look.verbs(&["api"])
            && look.words().iter().any(|w| {
                let text = w.text();
                matches!(text, "private=false" | "visibility=public")
                    || text.ends_with("/protection") && is_change(look)
            });
        let past = (look.verbs(&["pr", "merge"]) || look.verbs(&["mr", "merge"]))
            && look.has_word("--admin");
        (public || past || opens).then(|| look.hit())
    }),
    matches: &[
        "gh repo edit --visibility public",
        "gh repo edit o/r --visibility=public",
        "gh pr merge 3 --admin --squash",
        "gh api -X PUT repos/o/r/branches/main/protection",
        "gh api --method PATCH repos/o/r -f private=false",
    ],
    near_misses: &[
        "gh repo edit --visibility private",
        "gh pr merge 3 --squash",
    ],
    safe: &["gh repo edit --description public", "gh pr checkout 3"],
    ..GIT
};

/// `-X PUT` and the like.
fn is_change(look: &Look<'_>) -> bool {
    let change = |method: &str| {
        ["put", "patch", "post"]
            .iter()
            .any(|m| method.eq_ignore_ascii_case(m))
    };
    after(look, "-X")
        .or_else(|| after(look, "--method"))
        .is_some_and(change)
}

/// The word behind this one.
fn after<'a>(look: &Look<'a>, option: &str) -> Option<&'a str> {
    let at = look
        .words()
        .iter()
        .position(|w| w.known() == Some(option))?;
    look.word(at + 1)
}
