//! Wrapping a dangerous command never makes it look better; quoting it as data never makes data look
//! worse. Tried with the examples of every rule.

use hermes_approval::{AnalysisEnv, Decision, Platform, RuleEffect, all_rules, assess};

fn decision(command: &str) -> Decision {
    assess(command, &AnalysisEnv::new("/home/sam"), Platform::Posix).decision
}

/// A name, and how it is put around a command.
type Shape = (&'static str, fn(&str) -> String);

/// In single quotes, as a shell wants it.
fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', "'\\''"))
}

/// Examples for a POSIX shell that stand for themselves, with what is to come out at least.
fn examples() -> impl Iterator<Item = (&'static str, &'static str, Decision)> {
    all_rules()
        .iter()
        .filter(|rule| rule.platforms.contains(&Platform::Posix))
        .filter(|rule| rule.pack() != "unclear")
        .flat_map(|rule| rule.matches.iter().map(move |m| (rule, *m)))
        .map(|(rule, command)| {
            let least = match rule.effect {
                RuleEffect::Hardline => Decision::Block,
                RuleEffect::Ask | RuleEffect::SudoGuard => Decision::Ask,
            };
            (rule.id, command, least)
        })
}

#[test]
fn wrapping_and_chaining_never_lower_a_verdict() {
    let shapes: &[Shape] = &[
        ("sh -c", |c| format!("sh -c {}", quoted(c))),
        ("sudo bash -c", |c| {
            format!("sudo -u bob bash -c {}", quoted(c))
        }),
        ("eval", |c| format!("eval {}", quoted(c))),
        ("ssh", |c| format!("ssh host {}", quoted(c))),
        ("subshell", |c| format!("(\n{c}\n)")),
        ("group", |c| format!("{{\n{c}\n}}")),
        ("substitution", |c| format!("echo \"$(\n{c}\n)\"")),
        ("after", |c| format!("true && ls -la\n{c}")),
        ("before", |c| format!("{c}\nls -la")),
        ("branch", |c| format!("if true; then\n{c}\nfi")),
        ("function", |c| format!("f() {{\n{c}\n}}\nf")),
        ("here-document", |c| {
            format!("bash <<'END_OF_IT'\n{c}\nEND_OF_IT")
        }),
        ("nested", |c| {
            format!(
                "timeout 5 nice -n 5 sh -c {}",
                quoted(&format!("sh -c {}", quoted(c)))
            )
        }),
    ];
    let mut wrong = Vec::new();
    for (rule, command, least) in examples() {
        for (name, shape) in shapes {
            let wrapped = shape(command);
            let got = decision(&wrapped);
            if got < least {
                wrong.push(format!("{rule} by {name}: {got:?} for {wrapped:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn data_stays_data() {
    let shapes: &[Shape] = &[
        ("echo", |c| format!("echo {}", quoted(c))),
        ("grep", |c| format!("grep -rn -- {} src", quoted(c))),
        ("commit", |c| format!("git commit -m {}", quoted(c))),
        ("assignment", |c| format!("NOTE={}", quoted(c))),
        ("here-document", |c| {
            format!("cat <<'END_OF_IT'\n{c}\nEND_OF_IT")
        }),
        ("here-string", |c| format!("wc -l <<< {}", quoted(c))),
        ("comment", |c| format!("ls # {}", c.replace('\n', " "))),
        ("printf", |c| format!("printf '%s\\n' {} | sort", quoted(c))),
    ];
    let mut wrong = Vec::new();
    for (rule, command, _) in examples() {
        for (name, shape) in shapes {
            let text = shape(command);
            let got = decision(&text);
            if got != Decision::Allow {
                wrong.push(format!("{rule} as {name}: {got:?} for {text:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
