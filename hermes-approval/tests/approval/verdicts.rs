//! What a verdict says, in all its forms.

use hermes_approval::{
    AnalysisEnv, Coverage, Decision, Platform, RuleEffect, Severity, Span, VERDICT_SCHEMA, Verdict,
    assess, explain,
};
use serde_json::Value;

fn verdict(command: &str) -> Verdict {
    assess(command, &AnalysisEnv::new("/home/sam"), Platform::Posix)
}

#[test]
fn the_worst_finding_comes_first_and_all_are_kept() {
    let command = "chmod 777 x; rm -rf src; sudo rm -rf /";
    let verdict = verdict(command);
    assert_eq!(verdict.decision, Decision::Block);
    assert_eq!(verdict.rule, Some("hardline.delete-root"));
    assert_eq!(verdict.severity, Some(Severity::Critical));
    assert_eq!(verdict.wrappers[0].program, "sudo");
    assert_eq!(verdict.span.unwrap().of(command), "/");
    assert_eq!(verdict.resolved.as_deref(), Some("rm -rf /"));
    let rules: Vec<_> = verdict.findings.iter().map(|f| f.rule).collect();
    for rule in [
        "perm.world-writable",
        "fs.recursive-delete",
        "hardline.delete-root",
    ] {
        assert!(rules.contains(&rule), "{rules:?}");
    }
}

#[test]
fn what_is_resolved_is_shown_resolved() {
    let found = verdict("D=/srv/app; F='-r -f'; rm $F \"$D\"");
    assert_eq!(found.resolved.as_deref(), Some("rm -r -f /srv/app"));
    let unknown = verdict("rm -rf \"$DIR\"");
    assert_eq!(unknown.resolved.as_deref(), Some("rm -rf \"$DIR\""));
}

#[test]
fn an_approval_must_cover_every_finding() {
    let verdict = verdict("rm -rf src && git_x; chmod 777 y");
    let only = |key: &'static str| move |k: &str| k == key;
    assert!(!verdict.is_covered(only("recursive delete")));
    assert!(
        verdict
            .is_covered(|k| { k == "recursive delete" || k == "world/other-writable permissions" })
    );
    assert_eq!(
        verdict.keys_to_store().len(),
        verdict.findings.iter().map(|f| f.keys.len()).sum::<usize>()
    );
}

#[test]
fn an_approval_of_the_python_hermes_counts_and_is_no_wider_when_stored() {
    let rooted = verdict("rm -rf /srv/app");
    assert_eq!(rooted.keys_to_store(), ["delete in root path"]);
    assert!(rooted.is_covered(|k| k == "recursive delete"));
    let renamed = verdict("find . -exec rm {} \\;");
    assert_eq!(
        renamed.keys_to_store(),
        ["find -exec/-execdir rm", "find -exec rm"]
    );
}

#[test]
fn nothing_covers_a_block() {
    assert!(!verdict("rm -rf /").is_covered(|_| true));
}

#[test]
fn of_many_commands_the_last_still_counts() {
    let command = format!("{}rm -rf /", "true;".repeat(6000));
    assert_eq!(verdict(&command).decision, Decision::Block);
    let many = verdict(&"rm -rf a;".repeat(500));
    assert_eq!(many.decision, Decision::Ask);
    assert!(many.findings.len() <= 64, "{}", many.findings.len());
}

#[test]
fn a_password_for_sudo_is_told_apart() {
    let verdict = verdict("echo pw | sudo -S ls");
    assert_eq!(verdict.decision, Decision::Ask);
    assert!(verdict.guesses_sudo_password());
    assert_eq!(verdict.findings[0].effect, RuleEffect::SudoGuard);
    assert!(!self::verdict("sudo ls").guesses_sudo_password());
}

#[test]
fn behind_an_unknown_program_even_the_worst_is_only_asked() {
    let verdict = verdict("frobnicate rm -rf /");
    assert_eq!(verdict.decision, Decision::Ask, "{:?}", verdict.findings);
}

#[test]
fn what_is_not_understood_is_asked() {
    let deep = format!("{}ls{}", "$(".repeat(200), ")".repeat(200));
    let verdict = verdict(&deep);
    assert_eq!(verdict.decision, Decision::Ask);
    assert!(matches!(verdict.coverage, Coverage::NotUnderstood { .. }));
    assert!(verdict.keys.contains(&"command parser limit exceeded"));
}

#[test]
fn words_of_windows_are_understood_without_being_told() {
    let verdict = verdict("Stop-Computer");
    assert_eq!(verdict.decision, Decision::Block);
}

#[test]
fn a_script_that_deletes_what_it_is_called_with_is_asked() {
    // Nobody knows with what; behind `sh -c` and in a function everybody does.
    assert_eq!(verdict("rm -r -- \"$@\"").decision, Decision::Ask);
    assert_eq!(verdict("sh -c 'rm -r \"$@\"'").decision, Decision::Allow);
    assert_eq!(
        verdict("f() { rm -rf \"$@\"; }; f build").decision,
        Decision::Allow
    );
}

#[test]
fn the_message_tells_the_model_what_to_do() {
    let ask = verdict("rm -rf src").message.unwrap();
    assert_eq!(
        ask,
        "Needs approval: This deletes folders with all that is in them. Rule fs.recursive-delete, \
         at `rm -rf src`. Instead: Move the folder aside with `mv`, or name the files to delete. \
         Trying again without approval does not help; a safer command may not need any."
    );
    let block = verdict("mkfs.ext4 /dev/sda1").message.unwrap();
    assert!(block.starts_with("BLOCKED: "), "{block}");
    assert!(
        block.ends_with("do not try it again in another spelling."),
        "{block}"
    );
    assert_eq!(verdict("ls").message, None);
}

#[test]
fn an_explanation_marks_the_place() {
    let command = "cd /srv &&\nrm -rf app # \u{1b}[31m\u{200b}";
    let text = explain(&verdict(command), command, &[]);
    assert_eq!(
        text,
        "ask (high)\n\
         \n\
         fs.recursive-delete (high)\n  \
           This deletes folders with all that is in them.\n  \
           rm -rf app # \\u{1b}[31m\\u{200b}\n  \
           ^^^^^^^^^^\n  \
           approval key: recursive delete\n  \
           instead: Move the folder aside with `mv`, or name the files to delete.\n"
    );
}

#[test]
fn an_explanation_keeps_secrets_to_itself() {
    let command = "TOKEN=hunter2 rm -rf src";
    let secret = Span::new(6, 13);
    let text = explain(&verdict(command), command, &[secret]);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("TOKEN=*** rm -rf src"), "{text}");
}

#[test]
fn an_explanation_of_a_long_line_shows_the_place() {
    let command = format!("echo {}; rm -rf src", "x".repeat(5000));
    let text = explain(&verdict(&command), &command, &[]);
    assert!(text.contains("rm -rf src\n"), "{text}");
    assert!(text.contains("^^^^^^^^^^"), "{text}");
    assert!(text.len() < 1000, "{}", text.len());
}

/// The part of JSON Schema that our schema uses.
fn conforms(value: &Value, schema: &Value, root: &Value, path: &str) -> Result<(), String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        let target = target.ok_or_else(|| format!("{path}: no {reference}"))?;
        return conforms(value, target, root, path);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let fits = options
            .iter()
            .filter(|o| conforms(value, o, root, path).is_ok())
            .count();
        return (fits == 1)
            .then_some(())
            .ok_or_else(|| format!("{path}: fits {fits} of oneOf"));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(format!("{path}: {value} is not in {allowed:?}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let typed = match schema.get("type") {
        Some(Value::String(name)) => name == kind,
        Some(Value::Array(names)) => names.iter().any(|n| n == kind),
        _ => true,
    };
    if !typed {
        return Err(format!("{path}: is {kind}"));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (i, item) in values.iter().enumerate() {
            conforms(item, items, root, &format!("{path}/{i}"))?;
        }
    }
    if let (Some(properties), Some(object)) = (
        schema.get("properties").and_then(Value::as_object),
        value.as_object(),
    ) {
        for name in schema["required"].as_array().unwrap() {
            if !object.contains_key(name.as_str().unwrap()) {
                return Err(format!("{path}: lacks {name}"));
            }
        }
        for (name, value) in object {
            let schema = properties
                .get(name)
                .ok_or_else(|| format!("{path}: {name} is not in the schema"))?;
            conforms(value, schema, root, &format!("{path}/{name}"))?;
        }
    }
    Ok(())
}

#[test]
fn verdicts_conform_to_the_schema() {
    let schema: Value = serde_json::from_str(VERDICT_SCHEMA).unwrap();
    for command in [
        "ls",
        "rm -rf src",
        "sudo sh -c 'rm -rf /'",
        "echo \"; rm -rf src",
        "echo pw | sudo -S ls",
        "ssh host 'docker exec x rm -rf y'",
        "find . -exec rm {} +",
        "python3 -c 'exec(input())'",
    ] {
        let value = serde_json::to_value(verdict(command)).unwrap();
        conforms(&value, &schema, &schema, "")
            .unwrap_or_else(|e| panic!("{command}: {e}\n{value}"));
    }
    // The checker itself can fail.
    let mut wrong = serde_json::to_value(verdict("rm -rf src")).unwrap();
    wrong["decision"] = Value::from("perhaps");
    assert!(conforms(&wrong, &schema, &schema, "").is_err());
}
