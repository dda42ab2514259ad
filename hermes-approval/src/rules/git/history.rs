//! Rewriting what is committed, and throwing away what could bring it back.

use super::{GIT, PROGRAMS, called, operand_is};
use crate::look::Sub;
use crate::rule::{Key, Rule, Severity, Test};

pub(super) const REFLOG: Rule = Rule {
    id: "git.reflog-expire",
    severity: Severity::High,
    keys: &[Key::ours("git reflog expire (loses the way back)")],
    reason: "This deletes the record that lost commits could be found by.",
    alternative: Some("Look at it with `git reflog`; git cleans it up by itself."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "reflog")?;
        (operand_is(&sub, 0, &["expire", "delete"]) && !sub.has('n', "dry-run")).then(|| look.hit())
    }),
    matches: &[
        "git reflog expire --expire=now --all",
        "git reflog delete HEAD@{1}",
    ],
    near_misses: &["git reflog show main", "git reflog expire -n --all"],
    safe: &["git reflog", "git reflog --date=iso"],
    ..GIT
};

pub(super) const PRUNE: Rule = Rule {
    id: "git.prune",
    severity: Severity::High,
    keys: &[Key::ours("git prune (deletes unreachable commits)")],
    reason: "This deletes commits that no branch names; nothing can bring them back.",
    alternative: Some("See what would go with `git prune -n`, or leave it to `git gc`."),
    test: Test::Program(PROGRAMS, |look| {
        let prunes = called(look, "prune").is_some_and(|sub| !sub.has('n', "dry-run"))
            || called(look, "gc").is_some_and(|sub| prunes_now(&sub))
            || called(look, "lfs").is_some_and(|sub| {
                operand_is(&sub, 0, &["prune"]) && sub.has('f', "force") && !sub.has('d', "dry-run")
            });
        prunes.then(|| look.hit())
    }),
    matches: &[
        "git prune",
        "git prune --expire now",
        "git gc --prune=now",
        "git gc --aggressive --prune=all",
        "git lfs prune --force",
    ],
    near_misses: &[
        "git gc --prune=2.weeks.ago",
        "git prune -n",
        "git lfs prune -d --force",
    ],
    safe: &[
        "git gc",
        "git fsck",
        "git lfs prune",
        "git remote prune origin",
        "git fetch -p",
    ],
    ..GIT
};

fn prunes_now(sub: &Sub<'_>) -> bool {
    let mut options = sub.options.options.iter();
    options.any(|o| {
        o.is_long("prune")
            && o.value
                .and_then(crate::grammar::OptValue::known)
                .is_some_and(|v| matches!(v, "now" | "all") || v.starts_with("0."))
    })
}

pub(super) const REWRITE: Rule = Rule {
    id: "git.rewrite-history",
    severity: Severity::High,
    keys: &[Key::ours("git rewrites the whole history")],
    reason: "This rewrites all commits; other clones no longer fit.",
    alternative: Some("Do it in a fresh copy: `git clone --mirror . ../copy`."),
    test: Test::Program(REWRITERS, |look| {
        if matches!(look.name, "bfg" | "git-filter-repo" | "git-filter-branch") {
            return (!look.words().is_empty() && !looks_only(look)).then(|| look.hit());
        }
        let filters = called(look, "filter-branch").is_some()
            || called(look, "filter-repo").is_some() && !looks_only(look)
            || called(look, "lfs").is_some_and(|sub| {
                let adds = sub.has('\0', "no-rewrite");
                operand_is(&sub, 0, &["migrate"])
                    && operand_is(&sub, 1, &["import", "export"])
                    && !adds
            });
        let jar = look.name == "java"
            && look.words().iter().any(|w| {
                let file = w.known_prefix().rsplit('/').next().unwrap_or("");
                file.starts_with("bfg") && file.ends_with(".jar")
            });
        let filters = filters || jar;
        filters.then(|| look.hit())
    }),
    matches: &[
        "git filter-branch --tree-filter 'rm -f x' HEAD",
        "git filter-repo --path src",
        "git-filter-repo --invert-paths --path x",
        "bfg --delete-files id_rsa",
        "java -jar bfg-1.14.jar --delete-files id_rsa",
        "git lfs migrate import --everything --include='*.bin'",
        "git lfs migrate export --include='*'",
    ],
    near_misses: &["git filter-repo --analyze", "git log --filter=blob:none"],
    safe: &[
        "git filter-repo --help",
        "git rebase main",
        "git lfs migrate info",
        "java -jar app.jar",
    ],
    ..GIT
};

const REWRITERS: &[&str] = &[
    "git",
    "git-filter-repo",
    "git-filter-branch",
    "git-lfs",
    "java",
    "bfg",
    "hub",
    "yadm",
];

fn looks_only(look: &crate::look::Look<'_>) -> bool {
    look.has_word("--analyze") || look.has_word("--dry-run")
}

pub(super) const REFS: Rule = Rule {
    id: "git.update-ref",
    severity: Severity::High,
    keys: &[Key::ours("git changes references directly")],
    reason: "This deletes or moves references without the checks of `git branch`.",
    alternative: Some("See what they are with `git show-ref`."),
    test: Test::Program(PROGRAMS, |look| {
        let changes = called(look, "update-ref").is_some_and(|sub| !sub.words.is_empty())
            || called(look, "replace").is_some_and(|sub| {
                sub.has('d', "delete") || sub.has('\0', "graft") || sub.options.operands.len() > 1
            })
            || called(look, "svn").is_some_and(|sub| operand_is(&sub, 0, &["reset"]))
            || called(look, "lfs")
                .is_some_and(|sub| operand_is(&sub, 0, &["unlock"]) && sub.has('f', "force"))
            || called(look, "symbolic-ref").is_some_and(|sub| sub.has('d', "delete"));
        changes.then(|| look.hit())
    }),
    matches: &[
        "git update-ref -d refs/heads/main",
        "git update-ref refs/heads/main HEAD~5",
        "git update-ref --stdin",
        "git replace -d x",
        "git replace --graft HEAD",
        "git svn reset -r 100",
        "git lfs unlock --force a.psd",
    ],
    near_misses: &["git show-ref", "git replace -l"],
    safe: &[
        "git symbolic-ref HEAD",
        "git for-each-ref",
        "git rev-parse HEAD",
    ],
    ..GIT
};

pub(super) const TODO: Rule = Rule {
    id: "git.rebase-script",
    severity: Severity::High,
    keys: &[Key::ours("git rebase by a script")],
    reason: "A program edits the list of commits unseen; those that it drops are lost.",
    alternative: Some("See which commits there are: `git log --oneline main..`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "rebase").filter(|sub| sub.has('i', "interactive"))?;
        let variables = look.invocation.assignments.iter();
        let by_variable = variables
            .filter(|a| EDITORS.contains(&a.name.as_str()))
            .flat_map(|a| &a.values)
            .any(|v| edits(v.text()));
        let settings = sub.global.options.iter().filter(|o| o.is_short('c'));
        let by_setting = settings
            .filter_map(|o| o.value?.known()?.split_once('='))
            .any(|(name, value)| {
                (name.eq_ignore_ascii_case("sequence.editor")
                    || name.eq_ignore_ascii_case("core.editor"))
                    && edits(value)
            });
        (by_variable || by_setting).then(|| look.hit())
    }),
    matches: &[
        "GIT_SEQUENCE_EDITOR='sed -i s/pick/drop/' git rebase -i HEAD~5",
        "git -c sequence.editor=\"sed -i '2d'\" rebase -i main",
        "EDITOR=./edit.py git rebase --interactive HEAD~3",
    ],
    near_misses: &["git rebase -i HEAD~5", "EDITOR=vim git rebase -i HEAD~5"],
    safe: &[
        "GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash HEAD~3",
        "GIT_EDITOR=true git rebase -i main",
        "GIT_EDITOR='code --wait' git rebase -i HEAD~5",
    ],
    ..GIT
};

/// Variables with the editor of the list, the first that is set.
const EDITORS: &[&str] = &["GIT_SEQUENCE_EDITOR", "GIT_EDITOR", "VISUAL", "EDITOR"];

/// True for a program that changes the list by itself; editors wait for a person, and `:` and the
/// like leave it as it is.
fn edits(editor: &str) -> bool {
    let program = editor.split_whitespace().next().unwrap_or("");
    let name = program.rsplit('/').next().unwrap_or(program);
    const SCRIPTED: &[&str] = &[
        "sed", "gsed", "perl", "awk", "ed", "cp", "tee", "sh", "bash", "python", "python3", "ruby",
        "truncate",
    ];
    SCRIPTED.contains(&name) || program.contains('/') && !program.starts_with("/usr/")
}
