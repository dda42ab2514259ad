//! Mercurial, Subversion, Jujutsu and others: the same losses in their words.

use super::super::subcommands::{Call, Row};
use super::GIT;
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

const CHANGES: &str = "This throws away changes that are not committed.";
const UNTRACKED: &str = "This deletes files that are not under version control.";
const COMMITS: &str = "This takes commits out of the history.";
const SHARED: &str = "This changes what others have in the shared repository.";
const ASIDE: &str = "This throws away changes that were put aside.";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (&["hg", "chg"], &["update|up|checkout|co|goto"], &["-C", "--clean"], CHANGES),
    (&["hg", "chg"], &["revert"], &["-a", "--all", "-C", "--no-backup"], CHANGES),
    (&["hg", "chg"], &["purge|clean"], &[], UNTRACKED),
    (&["hg", "chg"], &["strip|debugstrip|rollback|prune|obsolete|debugobsolete|qdelete|qfinish"], &[], COMMITS),
    (&["hg", "chg"], &["push"], &["-f", "--force"], SHARED),
    (&["hg", "chg"], &["phase"], &["-f", "--force"], COMMITS),
    (&["hg", "chg"], &["shelve"], &["-d", "--delete", "--cleanup"], ASIDE),
    (&["hg", "chg"], &["remove|rm"], &["-f", "--force"], CHANGES),
    (&["sl"], &["goto|go|update|up|checkout|co"], &["-C", "--clean"], CHANGES),
    (&["sl"], &["revert"], &["-a", "--all", "-C", "--no-backup"], CHANGES),
    (&["sl"], &["purge|clean"], &[], UNTRACKED),
    (&["sl"], &["hide|strip|prune|debugstrip"], &[], COMMITS),
    (&["sl"], &["push"], &["-f", "--force"], SHARED),
    (&["sl"], &["shelve"], &["-d", "--delete", "--cleanup"], ASIDE),
    (&["svn"], &["revert"], &[], CHANGES),
    (&["svn"], &["cleanup"], &["--remove-unversioned", "--remove-ignored", "--vacuum-pristines"], UNTRACKED),
    (&["svn"], &["delete|del|remove|rm"], &["--force"], CHANGES),
    (&["svn"], &["propset|pset|ps|propdel|pdel|pd|propedit|pedit|pe"], &["--revprop"], SHARED),
    (&["svn"], &["unlock"], &["--force"], SHARED),
    (&["svnadmin"], &["load|rmtxns|rmlocks|setrevprop|delrevprop|setlog|setuuid|unlock"], &[], SHARED),
    (&["jj"], &["abandon"], &[], COMMITS),
    (&["jj"], &["restore"], &[], CHANGES),
    (&["jj"], &["op|operation restore|abandon|undo|revert"], &[], COMMITS),
    (&["jj"], &["bookmark|branch|b delete|d|forget|f"], &[], COMMITS),
    (&["jj"], &["workspace forget", "util gc"], &[], COMMITS),
    (&["jj"], &["git push"], &["--deleted", "--all"], SHARED),
    (&["jj"], &["*"], &["--ignore-immutable"], SHARED),
    (&["bzr", "brz"], &["revert"], &[], CHANGES),
    (&["bzr", "brz"], &["clean-tree"], &["--force"], UNTRACKED),
    (&["bzr", "brz"], &["uncommit"], &["--force"], COMMITS),
    (&["bzr", "brz"], &["push"], &["--overwrite"], SHARED),
    (&["bzr", "brz"], &["shelve"], &["--destroy"], CHANGES),
    (&["bzr", "brz"], &["unshelve"], &["--delete-only"], ASIDE),
    (&["fossil"], &["revert"], &[], CHANGES),
    (&["fossil"], &["clean"], &["-f", "--force", "-x", "--verily"], UNTRACKED),
    (&["fossil"], &["purge|shun|scrub", "stash drop"], &[], COMMITS),
    (&["p4"], &["revert|clean"], &[], CHANGES),
    (&["p4"], &["sync|flush"], &["-f"], CHANGES),
    (&["p4"], &["obliterate|archive"], &[], SHARED),
    (&["p4"], &["change|changelist|client|workspace|branch|label|user|group|depot|stream|shelve|job"], &["-d"], SHARED),
    (&["cvs"], &["update|up|upd"], &["-C"], CHANGES),
    (&["cvs"], &["release|rel"], &["-d"], CHANGES),
    (&["cvs"], &["remove|rm|delete"], &["-f"], CHANGES),
    (&["cvs"], &["admin|adm|rcs"], &["-o"], COMMITS),
    (&["cvs"], &["tag|rtag"], &["-d", "-F"], SHARED),
    (&["darcs"], &["revert"], &[], CHANGES),
    (&["darcs"], &["obliterate|unpull|unrecord"], &[], COMMITS),
    (&["pijul"], &["reset"], &[], CHANGES),
    (&["pijul"], &["unrecord"], &[], COMMITS),
    (&["pijul"], &["channel delete"], &[], COMMITS),
    (&["got"], &["revert|rv"], &[], CHANGES),
    (&["got"], &["send"], &["-f", "-d"], SHARED),
    (&["got"], &["branch|tag"], &["-d"], COMMITS),
    (&["repo"], &["sync"], &["--force-sync", "--force-checkout", "--force-remove-dirty"], CHANGES),
    (&["repo"], &["abandon|prune"], &[], COMMITS),
    (&["gt"], &["delete|dl"], &[], COMMITS),
    (&["dolt"], &["reset"], &["--hard"], CHANGES),
    (&["dolt"], &["checkout|clean"], &["-f", "--force"], CHANGES),
    (&["dolt"], &["branch"], &["-D"], COMMITS),
    (&["dolt"], &["push"], &["-f", "--force"], SHARED),
    (&["dvc"], &["destroy"], &[], COMMITS),
    (&["dvc"], &["gc"], &["-f", "--force", "-c", "--cloud"], COMMITS),
    (&["dvc"], &["checkout"], &["-f", "--force"], CHANGES),
    (&["dvc"], &["exp|experiments remove|rm"], &["-A", "--all-commits"], COMMITS),
    (&["git-annex"], &["drop|dropunused|move"], &["--force"], UNTRACKED),
    (&["git-annex"], &["uninit|dead"], &[], SHARED),
    (&["lakectl"], &["repo|branch|tag delete", "branch reset|revert", "fs rm"], &[], SHARED),
];

#[rustfmt::skip]
const SYSTEMS: &[&str] = &[
    "brz", "bzr", "chg", "cvs", "darcs", "dolt", "dvc", "fossil", "git-annex", "got", "gt", "hg", "jj",
    "lakectl", "p4", "pijul", "repo", "sl", "svn", "svnadmin", "svnmucc",
];

pub(super) const LOSE: Rule = Rule {
    id: "git.other-systems",
    severity: Severity::High,
    keys: &[Key::ours(
        "lose changes or history in hg, svn, jj and others",
    )],
    reason: "This throws away changes or commits.",
    alternative: Some("Look first with `hg status`, `svn status` or `jj diff`."),
    test: Test::Program(SYSTEMS, loses),
    matches: &[
        "hg update --clean",
        "hg up -C tip",
        "hg revert --all",
        "hg --config extensions.purge= purge --all",
        "hg strip tip --no-backup",
        "hg push -f",
        "sl goto -C main",
        "svn revert -R .",
        "svn cleanup --remove-unversioned",
        "svn rm https://svn.example.net/r/branches/x -m x",
        "jj abandon 'all()'",
        "jj op restore abc",
        "jj rebase --ignore-immutable -r x",
        "bzr push --overwrite",
        "fossil clean -f",
        "p4 revert ...",
        "p4 obliterate -y //depot/...",
        "cvs update -C",
        "darcs obliterate --all",
        "pijul reset",
        "repo sync --force-sync",
        "dolt reset --hard",
        "dvc gc -w -f",
    ],
    near_misses: &[
        "hg update tip",
        "hg purge --print",
        "svn rm old.txt",
        "p4 revert -n ...",
        "fossil clean -n",
        "jj new -m abandon",
    ],
    safe: &[
        "hg status",
        "hg pull -u",
        "hg commit -m 'strip'",
        "svn update",
        "svn ci -m 'revert'",
        "jj log",
        "jj git push",
        "p4 sync",
        "cvs update",
        "svn propset svn:ignore x .",
    ],
    ..GIT
};

/// Options that make it a rehearsal, as far as a tool has them.
const REHEARSALS: &[(&str, &[&str])] = &[
    ("bzr", &["--dry-run"]),
    ("brz", &["--dry-run"]),
    ("darcs", &["--dry-run"]),
    ("dolt", &["--dry-run"]),
    ("dvc", &["--dry"]),
    ("fossil", &["-n", "--dry-run"]),
    ("hg", &["-n", "--dry-run", "-p", "--print"]),
    ("p4", &["-n"]),
    ("sl", &["-n", "--dry-run", "-p", "--print"]),
];

fn loses(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    let rehearsal = REHEARSALS
        .iter()
        .any(|(tool, options)| *tool == look.name && call.has_any(options));
    if rehearsal {
        return None;
    }
    if let Some((.., reason)) = call.row(look.name, TABLE) {
        return Some(look.hit().reason(*reason));
    }
    // With an address, the deletion is a commit of its own.
    let remote = match look.name {
        "svn" => call.verbs("delete|del|remove|rm"),
        "svnmucc" => look.has_word("rm"),
        _ => false,
    };
    let url = || {
        call.operands
            .iter()
            .any(|w| w.known_prefix().contains("://"))
    };
    (remote && url()).then(|| look.hit().reason(SHARED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_is_looked_at() {
        let tools = TABLE.iter().flat_map(|(tools, ..)| *tools);
        for tool in tools.chain(REHEARSALS.iter().map(|(tool, _)| tool)) {
            assert!(SYSTEMS.contains(tool), "{tool}");
        }
    }
}
