//! What `--help` says.

use clap::ValueEnum;

use crate::program::run;

#[test]
fn every_command_explains_itself() {
    let commands: [&[&str]; 64] = [
        &[],
        &["home"],
        &["profile"],
        &["profile", "list"],
        &["profile", "show"],
        &["profile", "create"],
        &["profile", "clone"],
        &["profile", "rename"],
        &["profile", "delete"],
        &["profile", "use"],
        &["profile", "export"],
        &["profile", "import"],
        &["exec"],
        &["run"],
        &["sessions"],
        &["sessions", "list"],
        &["sessions", "show"],
        &["sessions", "export"],
        &["sessions", "import"],
        &["sessions", "rename"],
        &["sessions", "end"],
        &["sessions", "reopen"],
        &["sessions", "delete"],
        &["sessions", "prune"],
        &["sessions", "sweep"],
        &["sessions", "archive"],
        &["sessions", "unarchive"],
        &["sessions", "lineage"],
        &["sessions", "stats"],
        &["chat-log"],
        &["search"],
        &["fts"],
        &["fts", "sanitize"],
        &["doctor"],
        &["db"],
        &["db", "info"],
        &["db", "migrate"],
        &["db", "vacuum"],
        &["db", "optimize"],
        &["db", "checkpoint"],
        &["db", "journal"],
        &["tools"],
        &["tools", "list"],
        &["tools", "show"],
        &["tools", "definitions"],
        &["tools", "toolsets"],
        &["tools", "resolve"],
        &["tools", "why"],
        &["tools", "call"],
        &["approve"],
        &["approve", "check"],
        &["approve", "explain"],
        &["approve", "rules"],
        &["approve", "rules", "list"],
        &["approve", "rules", "show"],
        &["approve", "allowlist"],
        &["approve", "allowlist", "list"],
        &["approve", "allowlist", "add"],
        &["approve", "allowlist", "remove"],
        &["approve", "test"],
        &["approve", "hook"],
        &["rpc"],
        &["quickstart"],
        &["completions"],
    ];
    let texts = commands.map(|command| {
        let help = run(command.iter().copied().chain(["--help"])).ok();
        format!("$ hermesctl {} --help\n{}", command.join(" "), help.stdout)
    });
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn the_version_is_told() {
    assert_eq!(
        run(["--version"]).ok().stdout.trim(),
        format!("hermesctl {}", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn each_shell_gets_a_completion_script() {
    for shell in clap_complete::Shell::value_variants() {
        let script = run(["completions", &shell.to_string()]).ok().stdout;
        assert!(
            script.contains("hermesctl") && script.contains("sessions"),
            "{shell}"
        );
    }
}
