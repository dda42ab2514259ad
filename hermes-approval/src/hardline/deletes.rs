//! Deleting what can't be replaced.

use crate::effect::EffectKind;
use crate::find;
use crate::look::Look;
use crate::paths::Tree;
use crate::removal::sweep;
use crate::rule::{Hit, Key, Rule, Test};

const REMOVERS: &[&str] = &[
    "rm", "srm", "grm", "rimraf", "del-cli", "shred", "unlink", "trash", "find", "bfs", "gfind",
];

/// The root, with or without `-r`: `rm /` is never meant.
pub(super) const DELETE_ROOT: Rule = Rule {
    id: "hardline.delete-root",
    class: "fs-rm",
    keys: &[Key::both("recursive delete of root filesystem")],
    reason: "This deletes the whole file system.",
    alternative: Some("Delete the one folder that is meant, by its full name."),
    test: Test::Program(REMOVERS, |look| deletes(look, &[Tree::Root])),
    matches: &[
        "rm -rf /",
        "rm / -rf",
        "rm -rf --no-preserve-root /",
        "rm -rf //",
        "rm -rf /*",
        "rm -rf \"/\"*",
        "rm -rf /tmp/..",
        "sudo -u root rm -rf /",
        "cd / && rm -rf *",
        "D=/; rm -rf $D",
        "echo / | xargs rm -rf",
        "find / -delete",
        "find / -type f -exec rm -f {} +",
        "ls -d /* | xargs rm -rf",
        "sh -c 'rm -rf /'",
        "ssh root@host 'rm -rf /'",
        "{rm,-rf,/}",
    ],
    near_misses: &[
        "rm -rf /srv/app",
        "rm -rf /\"*\"",
        "find / -name '*.tmp' -delete",
        "ls -d /* | grep old | xargs rm -rf",
        "ls -d /srv/* | xargs rm -rf",
        "rm -rf ${UNSET}/",
    ],
    safe: &[
        "echo 'rm -rf /'",
        "grep -rn 'rm -rf /' .",
        "git commit -m 'why rm -rf / is blocked'",
        "cat <<'EOF'\nrm -rf /\nEOF",
        "rm --help /",
        "find / -name x",
    ],
    ..Rule::HARDLINE
};

pub(super) const DELETE_SYSTEM: Rule = Rule {
    id: "hardline.delete-system",
    class: "fs-rm",
    keys: &[Key::both("recursive delete of system directory")],
    reason: "This deletes a tree that the system can't run without.",
    alternative: Some("Delete the one file or folder in it that is meant."),
    test: Test::Program(REMOVERS, |look| deletes(look, &[Tree::System])),
    matches: &[
        "rm -rf /etc",
        "rm -rf '/etc'",
        "rm -rfv /usr/lib/*",
        "rm -rf /{bin,usr}",
        "rm -rf /u[s]r",
        "rm -rf /System/Library",
        "find /etc -type f -delete",
        "P=/etc; rm -rf $P",
    ],
    near_misses: &["rm -rf /etc/nginx", "rm -rf /opt/app", "rm -rf etc"],
    safe: &["find /etc -name '*.conf'", "ls /etc"],
    ..Rule::HARDLINE
};

pub(super) const DELETE_HOME: Rule = Rule {
    id: "hardline.delete-home",
    class: "fs-rm",
    keys: &[Key::both("recursive delete of home directory")],
    reason: "This deletes the whole home directory.",
    alternative: Some("Delete the one folder in it that is meant."),
    test: Test::Program(REMOVERS, |look| deletes(look, &[Tree::Home])),
    matches: &[
        "\"$BIN/rm\" -rf ~",
        "rm -rf ~",
        "rm -rf -- ~",
        "rm -rf \"$HOME\"/",
        "rm -rf ~/*",
        "rm --interactive=never -r ~",
        "cd ~; rm -rf ./* .[!.]*",
        "rm -rf tests/ plan/ ~/",
        "find ~ -type f | xargs rm -rf",
        "X=~; nice -n 10 rm -rf $X",
    ],
    near_misses: &["rm -rf \"$HOME\"/tmp", "rm -rf '~'", "rm -rf ~/.cache/pip"],
    safe: &["cd \"$HOME\"", "find ~ -name x"],
    ..Rule::HARDLINE
};

fn deletes(look: &Look<'_>, trees: &[Tree]) -> Option<Hit> {
    if find::PROGRAMS.contains(&look.name) {
        let at = find::action(look.words(), "-delete")?;
        let sweep = sweep(look, look.invocation)?;
        return sweep
            .tree()
            .is_some_and(|t| trees.contains(&t))
            .then(|| look.hit_word(at));
    }
    let removal = look.removal();
    let named = removal
        .targets
        .iter()
        .find(|t| t.tree.is_some_and(|t| trees.contains(&t)));
    if let Some(target) = named {
        // `rm ~` without `-r` does nothing, but `rm ~/*` empties it.
        let counts =
            removal.recursive || target.target.word.has_glob() || trees.contains(&Tree::Root);
        return counts.then(|| look.hit_word(target.target.word));
    }
    let swept = removal.sweep.as_ref().and_then(|s| s.tree());
    swept
        .is_some_and(|t| trees.contains(&t))
        .then(|| look.hit())
}

pub(super) const CODE: Rule = Rule {
    id: "hardline.code-deletes",
    class: "interp-inline",
    keys: &[Key::ours(
        "script deletes the file system, a system tree or the home",
    )],
    accepts: &[],
    reason: "The script deletes the file system, a system tree or the whole home.",
    alternative: Some("Delete the one folder that is meant."),
    test: Test::Code(|look| {
        let vital = look.invocation.effects.iter().find(|e| {
            let deletes = matches!(e.kind, EffectKind::Delete | EffectKind::DeleteTree);
            let tree = e
                .target
                .as_deref()
                .and_then(|t| Tree::of_text(t, look.scope.env));
            deletes && tree.is_some_and(Tree::is_vital)
        })?;
        Some(look.hit_at(vital.span))
    }),
    matches: &[
        "python3 -c 'import shutil; shutil.rmtree(\"/\")'",
        "node -e \"require('fs').rmSync('/etc',{recursive:true})\"",
    ],
    near_misses: &["python3 -c 'import shutil; shutil.rmtree(\"data\")'"],
    safe: &["python3 -c 'print(\"rmtree(/)\")'"],
    ..Rule::HARDLINE
};
