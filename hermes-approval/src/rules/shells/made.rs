//! Scripts that the text itself makes and runs.

use super::hidden::{SHELLS, is_literal};
use crate::decoders;
use crate::invocation::Invocation;
use crate::look::{Look, Scope};
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::Word;

pub(super) const MADE: Rule = Rule {
    id: "shell.made-script",
    class: "obfus-encode",
    severity: Severity::High,
    keys: &[Key::ours(
        "run a script that was just made from unknown content",
    )],
    accepts: &[Key::both("pipe remote content to shell")],
    reason: "The script was just made from something that can't be seen.",
    alternative: Some("Make the script, let it be read, then run it."),
    test: Test::Any(|look| {
        let invocation = look.invocation;
        let program = invocation.program()?.known()?;
        let path = if SHELLS.contains(&look.name) || matches!(look.name, "source" | ".") {
            look.words()
                .iter()
                .find(|w| !w.text().starts_with('-'))?
                .known()?
        } else if program.contains('/') {
            program
        } else {
            return None;
        };
        let writer = writer(look.scope, invocation, path)?;
        if look.child().is_some() {
            return None;
        }
        Some(look.hit().reason(if decodes_upstream(look.scope, writer) {
            "The script was just decoded, so that nobody could read it."
        } else {
            "The script was just made from something that can't be seen."
        }))
    }),
    matches: &[
        "base64 -d p > x.sh; sh x.sh",
        "zcat s.gz > /tmp/x && chmod +x /tmp/x && /tmp/x",
        "xxd -r -p h | tee x.sh; . ./x.sh",
        "exec 3>x.sh; echo ls >&3; sh x.sh",
        "base64 -d p | dd of=x.sh; sh x.sh",
    ],
    near_misses: &["echo ls > x.sh; sh x.sh"],
    safe: &[
        "echo ls > x.sh; sh x.sh",
        "bash script.sh",
        "cat a > b; cat b",
    ],
    ..Rule::ASK
};

/// What wrote a file earlier in the text, if its content can't be told.
pub(super) fn writer<'a>(
    scope: Scope<'a>,
    reader: &Invocation,
    path: &str,
) -> Option<&'a Invocation> {
    let path = path.trim_start_matches("./");
    let before = scope.analysis.invocations().get(..reader.id.0)?;
    let writes = |i: &&Invocation| {
        let redirected = i.redirects.iter().any(|r| {
            r.writes()
                && r.descriptor != 2
                && r.target
                    .as_ref()
                    .and_then(Word::known)
                    .is_some_and(|t| t.trim_start_matches("./") == path)
        });
        let teed = i.is("tee")
            && i.arguments()
                .iter()
                .filter_map(Word::known)
                .any(|t| t.trim_start_matches("./") == path);
        let copied = i.is("dd")
            && i.arguments()
                .iter()
                .filter_map(|w| w.known()?.strip_prefix("of="))
                .any(|t| t.trim_start_matches("./") == path);
        redirected || teed || copied
    };
    // Most texts have no redirections: the search ends soon.
    let writer = before.iter().rev().take(MAX_LOOK).find(writes)?;
    (!is_literal(writer)).then_some(writer)
}

const MAX_LOOK: usize = 32;

fn decodes_upstream(scope: Scope<'_>, writer: &Invocation) -> bool {
    let decodes = |i: &Invocation| decoders::keys(scope, i).is_some();
    decodes(writer) || scope.look(writer).upstream().any(decodes)
}

pub(super) const CHMOD_RUN: Rule = Rule {
    id: "shell.chmod-then-run",
    class: "remote-exec",
    severity: Severity::Low,
    keys: &[Key::both("chmod +x followed by immediate execution")],
    reason: "This makes a file a program and runs it at once.",
    alternative: Some("Run a script by its interpreter: `bash a`."),
    test: Test::Program(&["chmod"], chmod_run),
    matches: &[
        "chmod +x a; ./a",
        "chmod u+x /tmp/a && /tmp/a",
        "chmod 755 a && ./a",
    ],
    near_misses: &["chmod +x a; ./b", "chmod 644 a; ./a"],
    safe: &["chmod +x build.sh", "chmod 755 a; ls"],
    ..Rule::ASK
};

fn chmod_run(look: &Look<'_>) -> Option<Hit> {
    let (mode, files) = look.operands().split_first()?;
    let mode = mode.known()?;
    let makes = mode.contains('x') && mode.contains(['+', '='])
        || u32::from_str_radix(mode, 8).is_ok_and(|bits| bits & 0o111 != 0);
    if !makes {
        return None;
    }
    let after = look
        .scope
        .analysis
        .invocations()
        .get(look.invocation.id.0 + 1..)?;
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let files: Vec<String> = files.iter().filter_map(|w| w.known()).map(plain).collect();
    let run = after.iter().take(MAX_LOOK).find(|i| {
        i.source == look.invocation.source
            && i.program()
                .and_then(Word::known)
                .is_some_and(|p| p.contains('/') && files.contains(&plain(p)))
    })?;
    Some(look.hit_at(look.invocation.span.cover(run.span)))
}
