//! What tasks know of each other, and children of their parent.

use std::sync::Arc;

use hermes_home::{Environment as HomeEnvironment, Platform};
use hermes_terminal::{Request, Terminal};
use proptest::prelude::*;

use crate::setup::{Place, on, output, run};

#[test]
fn two_tasks_a_thousand_times_interleaved_keep_what_is_theirs() {
    let place = Place::new();
    let terminal = on(place.local().with_login(false));
    for task in ["a", "b"] {
        std::fs::create_dir(place.work().join(task)).unwrap();
        let command = format!(
            "cd {task}; export TASK={task} COUNT=0; f() {{ echo {task}; }}; alias g='echo {task}'"
        );
        terminal.run(task, &Request::new(command)).unwrap();
    }
    let turns = |task: &'static str, count: u32| {
        let terminal = terminal.clone();
        let work = place.work();
        move || {
            for turn in 1..=count {
                let request =
                    Request::new("export COUNT=$((COUNT+1)); echo $COUNT $TASK $(f) $(g) $PWD");
                let outcome = terminal.run(task, &request).unwrap();
                let wanted = format!(
                    "{turn} {task} {task} {task} {}\n",
                    work.join(task).display()
                );
                assert_eq!(outcome.output, wanted);
                assert_eq!(outcome.cwd, work.join(task));
            }
        }
    };
    let threads =
        [("a", 500), ("b", 500)].map(|(task, count)| std::thread::spawn(turns(task, count)));
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn secrets_of_the_parent_never_reach_a_child() {
    let place = Place::new();
    // Also when a login file sets them.
    std::fs::write(
        place.path().join(".profile"),
        "export ANTHROPIC_API_KEY=sec-ret-7\nexport OTHER=kept\n",
    )
    .unwrap();
    let variables = place.variables().with([
        ("OPENAI_API_KEY", "sec-ret-1"),
        ("SUDO_PASSWORD", "sec-ret-2"),
        ("HERMES_GATEWAY_TOKEN", "sec-ret-3"),
        ("TELEGRAM_BOT_TOKEN", "sec-ret-4"),
        ("MY_OWN_PROVIDER", "sec-ret-5"),
        ("GROQ_API_KEY", "passed-6"),
        ("PLAIN", "plain"),
    ]);
    let variables = variables
        .passing(["GROQ_API_KEY"])
        .withholding(["MY_OWN_PROVIDER"]);
    let local = place.local().with_variables(variables);
    let terminal = Terminal::builder()
        .environment(Arc::new(local))
        .sudo_password("sec-ret-8")
        .without_gate()
        .build()
        .unwrap();
    let command = "env; set; export -p; cat /proc/$$/environ /proc/$$/cmdline /proc/$PPID/task/*/children 2>/dev/null | tr '\\0' '\\n'; \
                   find .. -type f ! -name .profile | xargs cat";
    for _ in 0..2 {
        let text = output(&terminal, command);
        assert!(!text.contains("sec-ret"), "{text}");
        for passed in ["GROQ_API_KEY=passed-6", "PLAIN=plain", "OTHER=kept"] {
            assert!(text.contains(passed), "{passed}: {text}");
        }
    }
}

#[test]
fn what_a_command_exports_itself_is_its_own() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "export OPENAI_API_KEY=mine");
    assert_eq!(output(&terminal, "echo $OPENAI_API_KEY"), "mine\n");
}

#[test]
fn children_are_told_the_home_of_whoever_calls() {
    let place = Place::new();
    let terminal = place.terminal();
    let shown = || output(&terminal, "echo $HERMES_HOME; bash -c 'echo $HERMES_HOME'");
    let own = place.path().join("hermes").display().to_string();
    assert_eq!(shown(), format!("{own}\n{own}\n"));
    output(&terminal, "export HERMES_HOME=/elsewhere");
    assert_eq!(shown(), format!("{own}\n{own}\n"));
    let env = HomeEnvironment::new(Platform::Unix)
        .with_user_home("/u")
        .with_hermes_home("/other home");
    let other = hermes_home::resolve(&env).unwrap().home;
    {
        let _entered = other.enter();
        assert_eq!(shown(), "/other home\n/other home\n");
    }
    assert_eq!(shown(), format!("{own}\n{own}\n"));
}

#[test]
fn commands_of_one_task_at_the_same_time_do_not_mix() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "export A=1");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let terminal = &terminal;
            scope.spawn(move || {
                for _ in 0..20 {
                    let command = format!("echo $A {thread}; export B{thread}=x");
                    assert_eq!(output(terminal, &command), format!("1 {thread}\n"));
                }
            });
        }
    });
}

#[test]
fn nothing_is_left_of_a_task_that_has_ended() {
    let place = Place::new();
    let local = place.local().with_private_folders_in(place.path());
    for terminal in [place.terminal(), on(local)] {
        output(&terminal, "export A=1; cd /");
        assert_eq!(terminal.task_ids(), ["t"]);
        terminal.end_task("t");
        assert_eq!(
            output(&terminal, "echo ${A-none}; pwd"),
            format!("none\n{}\n", place.work().display())
        );
        let left: Vec<_> = std::fs::read_dir(place.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["work"]);
    }
}

#[test]
fn what_a_shell_leaves_goes_through_private_files_as_well() {
    let place = Place::new();
    let terminal = on(place.local().with_private_folders_in(place.path()));
    output(&terminal, "export A=1; f() { echo f; }; cd /");
    let shown = output(
        &terminal,
        &format!(
            "echo $A; f; pwd; stat -c %a {}/hermes-terminal-*",
            place.path().display()
        ),
    );
    assert_eq!(shown, "1\nf\n/\n700\n");
    // Somebody tidies up while the command runs: what was before holds.
    let outcome = run(
        &terminal,
        &format!(
            "export A=2; rm -r {}/hermes-terminal-*",
            place.path().display()
        ),
    );
    assert!(outcome.output.is_empty(), "{outcome:?}");
    assert_eq!(output(&terminal, "echo $A; f"), "1\nf\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any text in a variable, in the order of a random history, is what a plain map says it is.
    #[test]
    fn variables_are_kept_like_in_a_map(
        history in proptest::collection::vec((0usize..3, proptest::option::of("[^\\x00]{0,12}")), 1..8),
    ) {
        let place = Place::new();
        let terminal = on(place.local().with_login(false));
        let mut model = [None, None, None];
        for (which, value) in history {
            let command = match &value {
                Some(value) => format!("export V{which}='{}'", value.replace('\'', "'\\''")),
                None => format!("unset V{which}"),
            };
            output(&terminal, &command);
            model[which] = value;
            let command = "for v in V0 V1 V2; do if [ -n \"${!v+x}\" ]; then printf '%s' \"${!v}\" | od -An -tx1 | tr -d ' \\n'; else printf none; fi; echo; done";
            let wanted: String = model.iter().map(|value| match value {
                Some(value) => format!("{}\n", value.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()),
                None => "none\n".to_owned(),
            }).collect();
            prop_assert_eq!(output(&terminal, command), wanted);
        }
    }
}
