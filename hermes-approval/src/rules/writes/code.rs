//! Code of other languages that writes such files.

use crate::effect::EffectKind;
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const CODE: Rule = Rule {
    id: "write.code",
    class: "sysconf-write",
    severity: Severity::High,
    keys: &[Key::ours("code that writes a sensitive file")],
    reason: "This code writes a file that the system, an account or Hermes depends on.",
    alternative: Some("Let the code print what it would write, and look at it first."),
    test: Test::Code(code),
    matches: &[
        "python3 -c \"open('/etc/hosts','a').write('x')\"",
        "python3 -c \"open('/home/sam/.ssh/authorized_keys','a').write('x')\"",
        "node -e \"require('fs').writeFileSync('/etc/hosts','x')\"",
        "python3 - <<'E'\nopen('/home/sam/.hermes/config.yaml','w').write('x')\nE",
    ],
    near_misses: &[
        "python3 -c \"print(open('/etc/hosts').read())\"",
        "python3 -c \"open('out.txt','w').write('/etc/hosts')\"",
    ],
    safe: &["python3 -c \"open('out.txt','w').write('x')\""],
    ..Rule::ASK
};

fn code(look: &Look<'_>) -> Option<Hit> {
    let env = look.scope.env;
    let effects = look.invocation.effects.iter();
    let mut writes = effects.filter(|e| matches!(e.kind, EffectKind::Write | EffectKind::Move));
    let effect = writes.find(|effect| {
        let Some(path) = effect.target.as_deref() else {
            return false;
        };
        let place = match path.strip_prefix("~/") {
            Some(rest) => Place::of(&format!("{}/{rest}", env.user_home), env),
            None => Place::of(path, env),
        };
        place.is_some_and(|p| {
            p.is_system() || p.is_personal() || p.is_hermes() || p == Place::ProjectEnv
        })
    })?;
    Some(look.hit_at(effect.span))
}
