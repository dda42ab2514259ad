//! What code of other languages does, as far as it can be read.

use crate::effect::{Effect, EffectKind};
use crate::invocation::Stdin;
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Hit, Key, Rule, Severity, Test};

const SCRIPT: &[Key] = &[Key::both("script execution via -e/-c flag")];
const HERE: &[Key] = &[Key::both("script execution via heredoc")];

pub(super) const DELETES: Rule = Rule {
    id: "shell.code-deletes",
    class: "interp-inline",
    severity: Severity::High,
    keys: SCRIPT,
    accepts: HERE,
    reason: "The script deletes files.",
    alternative: Some("Put the script into a file that can be read first."),
    test: Test::Code(|look| {
        let deletes = |e: &&Effect| matches!(e.kind, EffectKind::Delete | EffectKind::DeleteTree);
        let effect = look.invocation.effects.iter().find(deletes)?;
        Some(found(look, effect))
    }),
    matches: &[
        "python3 -c 'import shutil; shutil.rmtree(\"data\")'",
        "node -e \"require('fs').rmSync('src',{recursive:true})\"",
        "perl -e 'unlink glob \"*\"'",
        "ruby -e 'require \"fileutils\"; FileUtils.rm_rf(\"src\")'",
        "python3 - <<'EOF'\nimport os\nos.remove('prod.db')\nEOF",
        "python3 <(echo 'import os;os.remove(\"a\")')",
        "python3 -c \"[p.unlink() for p in Path('.').rglob('*')]\"",
        "python3 -c \"getattr(__import__('shu'+'til'), 'rm'+'tree')('lib')\"",
        "python3 -c 'list(map(os.remove, files))'",
        "node -e \"require('fs')['rm'+'Sync']('lib')\"",
        "perl -lne unlink",
        "node -pe 'require(\"fs\").rmSync(\"lib\")'",
        "python3 -m timeit 'shutil.rmtree(\"lib\")'",
        "vim -es -c 'py3 import os; os.remove(\"a\")' -c q",
        "gdb -batch -ex 'python import os; os.remove(\"a\")'",
        "ruby -e 'Dir[\"*\"].each { |f| File.unlink f }'",
        "php -r 'array_map(\"unlink\", glob(\"*\"));'",
        "groovy -e 'new File(\"lib\").deleteDir()'",
        "elixir -e 'File.rm_rf!(\"lib\")'",
        "racket -e '(delete-directory/files \"lib\")'",
        "tclsh <<< 'file delete -force lib'",
    ],
    near_misses: &["python3 -c 'print(\"rmtree\")'"],
    safe: &[
        "python3 -c 'print(1)'",
        "perl -ne 'print if /x/' f",
        "node --version",
        "php -r 'echo 1;'",
        "ruby -e 'h = {}; h.delete(\"a\")'",
        "node -e 'new Map().delete(\"a\")'",
        "python3 -c 'print(getattr(x, \"name\"))'",
        "guile -c '(display \"delete-file\")'",
        "ghc -e 'map (+1) [1,2]'",
    ],
    ..Rule::ASK
};

pub(super) const WRITES: Rule = Rule {
    id: "shell.code-writes",
    class: "interp-inline",
    severity: Severity::High,
    keys: SCRIPT,
    accepts: HERE,
    reason: "The script writes a file that the system, an account or Hermes depends on.",
    alternative: Some("Write to a file in the project and let a person put it in place."),
    test: Test::Code(|look| {
        let env = look.scope.env;
        let effect = look.invocation.effects.iter().find(|e| {
            let place = e.target.as_deref().and_then(|t| Place::of_text(t, env));
            matches!(e.kind, EffectKind::Write | EffectKind::Move)
                && place.is_some_and(|p| p > Place::Temp)
        })?;
        Some(found(look, effect))
    }),
    matches: &[
        "python3 -c \"open('/etc/hosts','a').write('x')\"",
        "node -e \"require('fs').writeFileSync('.env','A=1')\"",
        "python3 -c \"open('/home/sam/.ssh/authorized_keys','a').write('k')\"",
    ],
    near_misses: &["python3 -c \"open('notes.txt','w').write('x')\""],
    safe: &[
        "python3 -c \"print(open('/etc/hosts').read())\"",
        "python3 -c \"open('out.txt','w').write('x')\"",
    ],
    ..Rule::ASK
};

pub(super) const OTHER: Rule = Rule {
    id: "shell.code-acts",
    class: "interp-inline",
    severity: Severity::Medium,
    keys: SCRIPT,
    accepts: HERE,
    reason: "The script changes permissions, ends processes, or runs text as code.",
    alternative: Some("Put the script into a file that can be read first."),
    test: Test::Code(|look| {
        let acts = |e: &&Effect| {
            matches!(
                e.kind,
                EffectKind::Permissions | EffectKind::Signal | EffectKind::Evaluate
            )
        };
        let effect = look.invocation.effects.iter().find(acts)?;
        Some(found(look, effect))
    }),
    matches: &[
        "python3 -c 'import os; os.kill(1234, 9)'",
        "python3 -c 'import os; os.chmod(\"x\", 0o777)'",
        "python3 -c \"exec(__import__('base64').b64decode('aW1w'))\"",
    ],
    near_misses: &["python3 -c 'import os; print(os.getpid())'"],
    safe: &["python3 -c 'import json,sys; print(json.load(sys.stdin)[\"a\"])'"],
    ..Rule::ASK
};

fn found(look: &Look<'_>, effect: &Effect) -> Hit {
    let inline = look
        .words()
        .iter()
        .any(|w| w.known().is_some_and(|t| t.starts_with('-') && t.len() > 1));
    let here = matches!(look.invocation.stdin, Stdin::HereDocument { .. });
    let target = effect.target.as_deref().unwrap_or("…");
    let hit = look
        .hit_at(effect.span)
        .resolved(format!("{}({target})", effect.call));
    if here && !inline {
        hit.keys(HERE).accepts(SCRIPT)
    } else {
        hit
    }
}
