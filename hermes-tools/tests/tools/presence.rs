//! Why a tool is offered or not.

use hermes_tools::{Absence, Check, Patch, Presence, Registry, Selection, Tool};
use serde_json::json;

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::new(name, toolset).handler(|_, _| Ok("done"))
}

fn registry() -> Registry {
    let registry = Registry::hermes();
    for (name, toolset) in [
        ("read_file", "file"),
        ("todo", "todo"),
        ("x_search", "x_search"),
    ] {
        registry.register(tool(name, toolset)).unwrap();
    }
    let no_key = Check::new("a key for the search", || Err::<(), _>("there is no key."));
    let search = tool("web_search", "web")
        .check(no_key)
        .requires_env(["HERMES_TOOLS_TEST_ONE", "HERMES_TOOLS_TEST_TWO"]);
    registry.register(search).unwrap();
    registry.add_patch(Patch::new("todo", |_, _| None));
    registry
}

#[test]
fn every_presence_is_a_sentence_for_a_person() {
    let registry = registry();
    for (selection, tool, expected) in [
        (
            Selection::of(["file"]),
            "read_file",
            r#""read_file" is offered."#,
        ),
        (
            Selection::of(["web"]),
            "x_search",
            r#""x_search" is not offered: no enabled toolset has it; enable "x_search"."#,
        ),
        (
            Selection::all().without(["file", "debugging"]),
            "read_file",
            r#""read_file" is not offered: it is in "file" and "debugging", which are disabled."#,
        ),
        (
            Selection::all().without(["file"]),
            "read_file",
            r#""read_file" is not offered: it is in "file", which is disabled."#,
        ),
        (
            Selection::all(),
            "web_search",
            r#""web_search" is not offered: it cannot be used now: there is no key; set HERMES_TOOLS_TEST_ONE and HERMES_TOOLS_TEST_TWO."#,
        ),
        (
            Selection::all(),
            "todo",
            r#""todo" is not offered: it makes no sense with the other tools that are offered."#,
        ),
        (
            Selection::all(),
            "project_list",
            r#""project_list" is not offered: nothing has registered it, though it is listed in "project"."#,
        ),
        (
            Selection::all(),
            "reed_file",
            r#"there is no tool "reed_file"; did you mean "read_file"?"#,
        ),
        (Selection::all(), "", r#"there is no tool ""."#),
    ] {
        assert_eq!(registry.why(&selection, tool).to_string(), expected);
    }
}

#[test]
fn a_presence_can_be_written_as_json() {
    let registry = registry();
    let written = |selection: &Selection, tool: &str| {
        serde_json::to_value(registry.why(selection, tool)).unwrap()
    };
    let all = Selection::all();
    assert_eq!(
        written(&all, "read_file"),
        json!({"presence": "offered", "tool": "read_file"})
    );
    assert_eq!(
        written(&all, "web_search"),
        json!({
            "presence": "absent",
            "tool": "web_search",
            "reason": "unavailable",
            "message": "there is no key.",
            "missing_env": ["HERMES_TOOLS_TEST_ONE", "HERMES_TOOLS_TEST_TWO"],
        })
    );
    assert_eq!(
        written(&Selection::of(["file"]), "x_search"),
        json!({
            "presence": "absent",
            "tool": "x_search",
            "reason": "not_enabled",
            "toolsets": ["x_search"],
        })
    );
    assert_eq!(
        written(&all, "todoo"),
        json!({
            "presence": "unknown",
            "tool": "todoo",
            "near": ["todo"],
            "discovering": false,
        })
    );
}

#[test]
fn every_registered_tool_has_a_presence_that_agrees_with_the_definitions() {
    let registry = registry();
    for selection in [
        Selection::all(),
        Selection::of(["file", "todo"]),
        Selection::of(["nope"]),
    ] {
        let definitions = registry.tool_definitions(&selection);
        for name in registry.snapshot().names() {
            let offered = registry.why(&selection, name).is_offered();
            assert_eq!(offered, definitions.contains(name), "{name}");
        }
    }
}

#[test]
fn a_tool_that_may_yet_come_is_said_to() {
    let registry = registry();
    let discovery = registry.begin_discovery();
    let Presence::Unknown { discovering, .. } = registry.why(&Selection::all(), "mcp_x") else {
        panic!("nobody knows it");
    };
    assert!(discovering);
    let said = registry.why(&Selection::all(), "zzz").to_string();
    assert_eq!(
        said,
        r#"there is no tool "zzz" yet, but tools are still being looked for."#
    );
    drop(discovery);
}

#[test]
fn a_long_list_of_toolsets_is_cut_and_presets_come_last() {
    let registry = registry();
    let why = registry.why(&Selection::of(["web"]), "read_file");
    let Presence::Absent {
        why: Absence::NotEnabled { toolsets },
        ..
    } = &why
    else {
        panic!("{why:?}");
    };
    let names: Vec<&str> = toolsets.iter().collect();
    assert_eq!(names.len(), 24);
    assert_eq!(names[0], "file");
    assert_eq!(
        why.to_string(),
        r#""read_file" is not offered: no enabled toolset has it; enable "file", "coding", "hermes-acp" or 21 more."#
    );
}

#[test]
fn unavailable_tools_are_listed_with_what_they_lack() {
    let registry = registry();
    let unavailable = registry.unavailable();
    assert_eq!(unavailable.len(), 1);
    assert_eq!(
        unavailable[0].to_string(),
        r#""web_search" (web): it cannot be used now: there is no key; set HERMES_TOOLS_TEST_ONE and HERMES_TOOLS_TEST_TWO"#
    );
    assert_eq!(
        serde_json::to_value(&unavailable).unwrap(),
        json!([{
            "tool": "web_search",
            "toolset": "web",
            "missing_env": ["HERMES_TOOLS_TEST_ONE", "HERMES_TOOLS_TEST_TWO"],
            "reason": "there is no key.",
        }])
    );
}

#[test]
fn a_toolset_is_available_when_one_of_its_tools_is() {
    let registry = registry();
    assert!(registry.is_toolset_available("file"));
    assert!(
        registry.is_toolset_available("debugging"),
        "it includes file"
    );
    assert!(registry.is_toolset_available("all"));
    assert!(!registry.is_toolset_available("web"), "its check says no");
    assert!(
        !registry.is_toolset_available("spotify"),
        "nothing is registered"
    );
    assert!(!registry.is_toolset_available("nope"));
    registry.register(tool("web_extract", "web")).unwrap();
    assert!(registry.is_toolset_available("web"));
    let by_toolset = registry.available_toolsets();
    assert_eq!(
        serde_json::to_value(by_toolset).unwrap(),
        json!({"file": true, "todo": true, "web": true, "x_search": true})
    );
}
