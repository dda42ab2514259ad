//! The patches of Hermes: definitions that speak only of what is offered.

use std::collections::{BTreeMap, BTreeSet};

use hermes_tools::{Registry, Selection, Tool, hermes};
use proptest::prelude::*;
use serde_json::{Value, json};

const SCRIPTS: &str = "Runs a script.\n\nIt may import:\n\n  web_search(query) -> dict\n    \
     Gives hits.\n  web_extract(urls) -> dict\n    Gives pages.\n    Long ones are cut.\n  \
     read_file(path) -> dict\n  terminal(command) -> dict\n    In the foreground.\n\n\
     The folder is that of terminal(). Helpers: retry(f).";

const CODE: &str = "Python. Begin with `from tools import web_search, terminal, ...`.";

const NAVIGATE: &str = "Opens a page. To look something up, prefer web_search or web_extract \
     (e.g. for prices). Files such as .md, .txt are better had by curl in the terminal or by \
     web_extract. Gives a snapshot.";

fn registry() -> Registry {
    let registry = Registry::hermes();
    let parameters = json!({
        "type": "object",
        "properties": {"code": {"type": "string", "description": CODE}},
    });
    let tools = [
        ("execute_code", "code_execution", SCRIPTS),
        ("browser_navigate", "browser", NAVIGATE),
        ("web_search", "web", ""),
        ("web_extract", "web", ""),
        ("read_file", "file", ""),
        ("patch", "file", ""),
        ("terminal", "terminal", ""),
    ];
    for (name, toolset, description) in tools {
        let tool = Tool::new(name, toolset)
            .description(description)
            .parameters(parameters.clone())
            .handler(|_, _| Ok("done"));
        registry.register(tool).unwrap();
    }
    registry
}

fn definition(selection: Selection, tool: &str) -> Value {
    let definitions = registry().tool_definitions(&selection);
    assert_eq!(definitions.warnings(), []);
    Value::clone(definitions.get(tool).unwrap())
}

fn description(selection: Selection, tool: &str) -> String {
    let definition = definition(selection, tool);
    definition["function"]["description"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn code(selection: Selection) -> String {
    let definition = definition(selection, "execute_code");
    let text = &definition["function"]["parameters"]["properties"]["code"]["description"];
    text.as_str().unwrap().to_owned()
}

#[test]
fn with_every_tool_there_nothing_changes() {
    assert_eq!(description(Selection::all(), "execute_code"), SCRIPTS);
    assert_eq!(code(Selection::all()), CODE);
    assert_eq!(description(Selection::all(), "browser_navigate"), NAVIGATE);
}

#[test]
fn execute_code_documents_only_what_a_script_can_reach() {
    let selection = Selection::of(["code_execution", "file", "terminal"]);
    assert_eq!(
        description(selection.clone(), "execute_code"),
        "Runs a script.\n\nIt may import:\n\n  read_file(path) -> dict\n  \
         terminal(command) -> dict\n    In the foreground.\n\n\
         The folder is that of terminal(). Helpers: retry(f)."
    );
    assert_eq!(
        code(selection),
        "Python. Begin with `from tools import terminal, ...`."
    );
}

#[test]
fn examples_of_imports_are_of_what_is_there() {
    let file = Selection::of(["code_execution", "file"]);
    assert_eq!(
        code(file),
        "Python. Begin with `from tools import patch, read_file, ...`."
    );
}

#[test]
fn execute_code_is_offered_without_any_tool_to_call() {
    let alone = Selection::of(["code_execution"]);
    assert_eq!(
        description(alone.clone(), "execute_code"),
        "Runs a script.\n\nIt may import:\n\n\n\nThe folder is that of terminal(). Helpers: retry(f)."
    );
    assert_eq!(code(alone), "Python. Begin with `from tools import ...`.");
}

#[test]
fn browser_navigate_loses_its_advice_only_when_both_web_tools_are_absent() {
    let alone = Selection::of(["browser"]).without(["web"]);
    assert_eq!(
        description(alone, "browser_navigate"),
        "Opens a page. Files such as .md, .txt are better had by curl in the terminal or by \
         web_extract. Gives a snapshot."
    );
    for with_one in [
        Selection::of(["browser"]),
        Selection::of(["browser", "web"]).without(["search"]),
    ] {
        assert_eq!(description(with_one, "browser_navigate"), NAVIGATE);
    }
}

#[test]
fn a_definition_of_another_shape_is_left_as_it_is() {
    for patch in hermes::patches() {
        for odd in [
            json!(null),
            json!({"function": {"name": "x", "description": 7}}),
            json!({"function": {"description": [], "parameters": "nope"}}),
        ] {
            assert_eq!(patch.apply(&odd, &BTreeSet::new()), Some(odd.clone()));
        }
    }
}

/// Pieces of which descriptions are made, and others.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(hermes::SANDBOX_TOOLS).prop_map(str::to_owned),
        prop::sample::select(
            &[
                "(", ")", ", ", ", ...", " and ", "`", "\n", "  ", ". ", "A ", "import "
            ][..]
        )
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

/// How often each sandbox tool is named.
fn mentions(text: &str) -> BTreeMap<&'static str, usize> {
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let count = |name| words().filter(|word| *word == name).count();
    let names = hermes::SANDBOX_TOOLS.iter();
    names.map(|name| (*name, count(*name))).collect()
}

proptest! {
    #[test]
    fn any_text_is_patched_to_one_that_names_no_absent_tool_more_often(
        text in texts(),
        offered in prop::sample::subsequence(hermes::SANDBOX_TOOLS, 0..=7),
    ) {
        let offered: BTreeSet<&str> = offered.into_iter().collect();
        let before = mentions(&text);
        for patch in hermes::patches() {
            let definition = json!({"function": {"name": patch.tool(), "description": text}});
            let patched = patch.apply(&definition, &offered).unwrap();
            prop_assert_eq!(&patched["function"]["name"], patch.tool());
            let after = mentions(patched["function"]["description"].as_str().unwrap());
            for (name, count) in after {
                prop_assert!(offered.contains(name) || count <= before[name]);
            }
            let all: BTreeSet<&str> = hermes::SANDBOX_TOOLS.iter().copied().collect();
            prop_assert_eq!(patch.apply(&definition, &all).unwrap(), definition);
        }
    }

    #[test]
    fn a_list_names_just_what_is_offered(
        listed in Just(hermes::SANDBOX_TOOLS.to_vec()).prop_shuffle(),
        count in 2_usize..7,
        offered in prop::sample::subsequence(hermes::SANDBOX_TOOLS, 0..=7),
        joint in prop::sample::select(&[", ", ",", " and ", ", or "][..]),
        quote in prop::sample::select(&["", "`", "'"][..]),
    ) {
        let offered: BTreeSet<&str> = offered.into_iter().collect();
        let item = |name: &&str| format!("{quote}{name}{quote}");
        let listed = &listed[..count];
        let list = listed.iter().map(item).collect::<Vec<_>>().join(joint);
        let kept = listed.iter().filter(|name| offered.contains(*name));
        let kept = kept.map(item).collect::<Vec<_>>().join(joint);
        let text = format!("It reaches {list}.");
        let definition = json!({"function": {"description": text}});
        let patched = hermes::patches()[0].apply(&definition, &offered).unwrap();
        let kept = if kept.is_empty() { "...".to_owned() } else { kept };
        prop_assert_eq!(&patched["function"]["description"], &format!("It reaches {kept}."));
    }
}
