//! What a model is given under a selection.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_tools::{
    Absence, Check, Definitions, Patch, Registry, Role, Selection, Tool, ToolSource, Toolset,
    Warning, hermes,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::new(name, toolset)
        .description("A tool.")
        .handler(|_, _| Ok("done"))
}

/// Hermes with a tool for every name that its catalogue has, in the first plain set that lists it.
fn full() -> Registry {
    let registry = Registry::hermes();
    let mut seen = BTreeSet::new();
    let plain = |name: &String| !name.starts_with("hermes-") && name != "coding";
    for (set, toolset) in hermes::catalogue().filter(|(name, _)| plain(name)) {
        for name in toolset.tools {
            if seen.insert(name.clone()) {
                registry.register(tool(&name, &set)).unwrap();
            }
        }
    }
    registry
}

fn names(definitions: &Definitions) -> Vec<&str> {
    definitions.names().collect()
}

fn offered(registry: &Registry, selection: &Selection) -> BTreeSet<String> {
    let definitions = registry.tool_definitions(selection);
    definitions.names().map(str::to_owned).collect()
}

fn absence(definitions: &Definitions, tool: &str) -> Option<Absence> {
    let mut left_out = definitions.left_out().iter();
    let left = left_out.find(|left| left.tool.as_ref() == tool);
    left.map(|left| left.why.clone())
}

#[test]
fn a_definition_is_what_backends_take_and_the_list_is_in_the_order_of_names() {
    let registry = Registry::new();
    registry.register(tool("b", "x")).unwrap();
    registry.register(tool("a", "y")).unwrap();
    let definitions = registry.tool_definitions(&Selection::all());
    assert_eq!(names(&definitions), ["a", "b"]);
    let json = definitions.to_json();
    assert_eq!(json, serde_json::to_value(&*definitions).unwrap());
    assert_eq!(json[0]["type"], "function");
    assert_eq!(json[0]["function"]["name"], "a");
    assert_eq!(json[0]["function"]["description"], "A tool.");
    assert_eq!(**definitions.get("b").unwrap(), json[1]);
    assert_eq!(definitions.get("c"), None);
}

#[test]
fn definitions_that_nothing_changes_are_shared_with_the_entry() {
    let registry = full();
    let definitions = registry.tool_definitions(&Selection::all());
    let entry = registry.get("read_file").unwrap();
    assert!(Arc::ptr_eq(
        definitions.get("read_file").unwrap(),
        entry.definition()
    ));
}

#[test]
fn an_empty_list_is_no_tools_and_none_at_all_is_every_tool() {
    let registry = full();
    let none = Selection::of(Vec::<String>::new());
    assert!(registry.tool_definitions(&none).is_empty());
    let every = registry.tool_definitions(&Selection::all());
    assert_eq!(every.len(), registry.snapshot().tools().len());
    let named = registry.tool_definitions(&Selection::of(["all"]));
    assert_eq!(names(&every), names(&named));
}

// TOOL-13
#[test]
fn a_legacy_name_stands_for_its_tools_in_a_selection_only() {
    let registry = full();
    let file = registry.tool_definitions(&Selection::of(["file_tools"]));
    assert_eq!(
        names(&file),
        ["patch", "read_file", "search_files", "write_file"]
    );
    assert_eq!(file.warnings(), []);
    let web = registry.tool_definitions(&Selection::of(["web_tools"]));
    assert_eq!(names(&web), ["web_extract", "web_search"]);
    assert!(!registry.snapshot().is_toolset("file_tools"));
    let without = registry.tool_definitions(&Selection::all().without(["file_tools"]));
    assert!(!without.contains("read_file"));
    assert_eq!(without.warnings(), []);
}

#[test]
fn a_registry_of_another_product_has_no_legacy_names_and_no_presets() {
    let registry = Registry::new();
    registry.register(tool("read_file", "hermes-mine")).unwrap();
    let old = registry.tool_definitions(&Selection::of(["file_tools"]));
    assert_eq!(old.warnings().len(), 1);
    let without = Selection::all().without(["hermes-mine"]);
    assert!(registry.tool_definitions(&without).is_empty());
}

#[test]
fn a_toolset_goes_before_a_legacy_name() {
    let registry = full();
    registry.register(tool("other", "file_tools")).unwrap();
    let definitions = registry.tool_definitions(&Selection::of(["file_tools"]));
    assert_eq!(names(&definitions), ["other"]);
}

// TOOL-39
#[test]
fn what_is_disabled_goes_from_a_composite_and_the_rest_stays() {
    let registry = full();
    let selection = Selection::of(["debugging"]).without(["terminal"]);
    let definitions = registry.tool_definitions(&selection);
    let rest = [
        "patch",
        "read_file",
        "search_files",
        "web_extract",
        "web_search",
        "write_file",
    ];
    assert_eq!(names(&definitions), rest);
    assert_eq!(
        absence(&definitions, "terminal"),
        Some(Absence::Disabled {
            by: vec!["terminal".to_owned()]
        })
    );
}

// TOOL-40
#[test]
fn a_disabled_tool_is_absent_whatever_was_enabled() {
    let registry = full();
    let every_way_in = [
        Selection::all(),
        Selection::of(["all"]),
        Selection::of(["*", "todo"]),
        Selection::of(["todo"]),
        Selection::of(["coding"]),
        Selection::of(["hermes-cli"]),
        Selection::of(["hermes-acp", "hermes-api-server"]),
        Selection::of(["hermes-gateway"]),
    ];
    for selection in every_way_in {
        assert!(registry.tool_definitions(&selection).contains("todo"));
        let without = registry.tool_definitions(&selection.clone().without(["todo"]));
        assert!(!without.contains("todo"), "{selection:?}");
        assert_eq!(
            without.len() + 1,
            registry.tool_definitions(&selection).len()
        );
    }
}

#[test]
fn a_disabled_preset_takes_only_what_it_adds_to_the_core_tools() {
    let registry = full();
    let every = offered(&registry, &Selection::all());
    let gone = |name: &str| {
        let left = offered(&registry, &Selection::all().without([name]));
        every.difference(&left).cloned().collect::<Vec<_>>()
    };
    assert_eq!(gone("hermes-cli"), [""; 0]);
    assert_eq!(gone("coding"), [""; 0]);
    assert_eq!(gone("hermes-discord"), ["discord", "discord_admin"]);
    assert_eq!(gone("hermes-gateway").len(), 12);
    assert_eq!(gone("debugging").len(), 8);
    assert_eq!(gone("all").len(), every.len());
    registry
        .define_toolset(
            "hermes-mine",
            Toolset::new("mine").with_tools(["terminal", "project_list"]),
        )
        .unwrap();
    assert_eq!(gone("hermes-mine"), ["project_list"]);
}

#[test]
fn a_disabled_name_that_nobody_knows_disables_nothing_and_says_so() {
    let registry = full();
    let definitions = registry.tool_definitions(&Selection::all().without(["termnal"]));
    assert!(definitions.contains("terminal"));
    let [warning] = definitions.warnings() else {
        panic!("{:?}", definitions.warnings());
    };
    let Warning::UnknownToolset { role, .. } = warning else {
        panic!("{warning:?}");
    };
    assert_eq!(*role, Role::Disabled);
    assert_eq!(
        warning.to_string(),
        r#"there is no toolset "termnal", so nothing is disabled by it; did you mean "terminal"?"#
    );
}

#[test]
fn checks_of_tools_that_nobody_wants_are_not_asked() {
    let registry = Registry::new();
    let asked = Check::new("asked", || -> bool { panic!("nobody wanted to know") });
    registry.register(tool("a", "x").check(asked)).unwrap();
    registry.register(tool("b", "y")).unwrap();
    let definitions = registry.tool_definitions(&Selection::of(["y"]));
    assert_eq!(names(&definitions), ["b"]);
    let NotEnabled { toolsets } = absence(&definitions, "a").unwrap() else {
        panic!("{:?}", definitions.left_out());
    };
    assert_eq!(Vec::from_iter(toolsets.iter()), ["x"]);
}

use Absence::NotEnabled;

#[test]
fn an_unavailable_tool_is_left_out_with_its_reason() {
    let registry = Registry::new();
    let check = Check::new("key", || Err::<(), _>("no key"));
    let new = tool("a", "x")
        .check(check)
        .requires_env(["HERMES_TOOLS_TEST_UNSET", "PATH"]);
    registry.register(new).unwrap();
    let definitions = registry.tool_definitions(&Selection::all());
    assert!(definitions.is_empty());
    assert_eq!(
        absence(&definitions, "a"),
        Some(Absence::Unavailable {
            reason: "no key".to_owned(),
            missing_env: vec!["HERMES_TOOLS_TEST_UNSET".to_owned()],
        })
    );
}

// TOOL-36
#[test]
fn the_registered_name_wins_over_those_in_schemas() {
    let registry = Registry::new();
    let schema = json!({"name": "other", "description": "d"});
    registry.register(tool("mine", "x").schema(schema)).unwrap();
    let dynamic = tool("yours", "x").dynamic_schema(|| object(json!({"name": "third"})));
    registry.register(dynamic).unwrap();
    let definitions = registry.tool_definitions(&Selection::all());
    assert_eq!(names(&definitions), ["mine", "yours"]);
    for definition in definitions.as_slice() {
        let name = definition["function"]["name"].as_str().unwrap();
        assert!(definitions.contains(name), "{definition}");
    }
    let refused = registry.register(tool("bad", "x").schema(json!("nope")));
    assert!(refused.is_err());
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

#[test]
fn a_dynamic_schema_takes_the_place_of_keys_and_a_failing_one_changes_nothing() {
    let registry = Registry::new();
    let adapted = tool("a", "x").dynamic_schema(|| object(json!({"description": "Adapted."})));
    let failing = tool("b", "x").dynamic_schema(|| panic!("no config"));
    registry.register(adapted).unwrap();
    registry.register(failing).unwrap();
    let json = registry.tool_definitions(&Selection::all());
    assert_eq!(json.to_json()[0]["function"]["description"], "Adapted.");
    assert_eq!(json.to_json()[1]["function"]["description"], "A tool.");
    assert_eq!(
        json.warnings(),
        [Warning::DynamicSchemaFailed {
            tool: "b".to_owned(),
            message: "no config".to_owned(),
        }]
    );
}

#[test]
fn a_patch_sees_only_the_tools_that_are_offered() {
    let registry = Registry::new();
    for name in ["a", "b", "c"] {
        registry.register(tool(name, name)).unwrap();
    }
    let off = Check::new("off", || false);
    registry.register(tool("d", "d").check(off)).unwrap();
    registry.add_patch(Patch::new("a", |definition, offered| {
        let mut definition = definition.clone();
        definition["function"]["description"] = json!(Vec::from_iter(offered).len());
        Some(definition)
    }));
    let described = |selection: Selection| {
        let definitions = registry.tool_definitions(&selection);
        definitions.get("a").unwrap()["function"]["description"].clone()
    };
    assert_eq!(described(Selection::all()), 3);
    assert_eq!(described(Selection::all().without(["b"])), 2);
    assert_eq!(described(Selection::of(["a", "d"])), 1);
}

#[test]
fn what_a_patch_leaves_out_is_gone_for_all_patches_also_the_earlier_ones() {
    let registry = Registry::new();
    for name in ["a", "b", "c"] {
        registry.register(tool(name, "x")).unwrap();
    }
    for (name, needs) in [("a", "b"), ("b", "c"), ("c", "nothing")] {
        registry.add_patch(Patch::new(name, move |definition, offered| {
            offered.contains(needs).then(|| definition.clone())
        }));
    }
    let definitions = registry.tool_definitions(&Selection::all());
    assert!(definitions.is_empty(), "{definitions:?}");
    assert_eq!(definitions.left_out().len(), 3);
    assert_eq!(absence(&definitions, "a"), Some(Absence::PatchedOut));
}

#[test]
fn a_patch_that_panics_or_gives_another_tool_changes_nothing() {
    let registry = Registry::new();
    for name in ["a", "b", "c"] {
        registry.register(tool(name, "x")).unwrap();
    }
    registry.add_patch(Patch::new("a", |_, _| panic!("a slip")));
    registry.add_patch(Patch::new("b", |_, _| {
        Some(json!({"function": {"name": "z"}}))
    }));
    registry.add_patch(Patch::new("absent", |_, _| panic!("never asked")));
    let definitions = registry.tool_definitions(&Selection::all());
    assert_eq!(names(&definitions), ["a", "b", "c"]);
    let json = definitions.to_json();
    for (at, name) in ["a", "b", "c"].iter().enumerate() {
        assert_eq!(json[at]["function"]["name"], *name);
    }
    let failed: Vec<String> = definitions
        .warnings()
        .iter()
        .map(Warning::to_string)
        .collect();
    assert_eq!(failed.len(), 2);
    assert!(failed[0].contains("a slip"), "{failed:?}");
}

#[test]
fn every_tool_is_offered_or_left_out_and_listed_names_without_a_tool_are_apart() {
    let registry = Registry::hermes();
    registry.register(tool("read_file", "file")).unwrap();
    registry.register(tool("todo", "todo")).unwrap();
    let definitions = registry.tool_definitions(&Selection::of(["file"]));
    assert_eq!(names(&definitions), ["read_file"]);
    assert_eq!(definitions.left_out().len(), 1);
    assert_eq!(
        Vec::from_iter(definitions.unregistered()),
        ["patch", "search_files", "write_file"]
    );
    let every = registry.tool_definitions(&Selection::all());
    assert_eq!(every.unregistered().len(), 77);
    let fewer = registry.tool_definitions(&Selection::all().without(["web"]));
    assert_eq!(fewer.unregistered().len(), 75);
}

#[test]
fn definitions_of_names_keep_to_what_is_registered_and_available() {
    let registry = full();
    let off = Check::new("off", || false);
    registry.register(tool("off", "x").check(off)).unwrap();
    let list = registry.definitions_of(["todo", "off", "nobody", "patch", "todo"]);
    let found: Vec<&Value> = list.iter().map(|one| &one["function"]["name"]).collect();
    assert_eq!(found, ["patch", "todo"]);
}

/// Tools `t0`… in sets `s0`… of which each includes some.
fn random_registry(order: &[usize], graph: &[(usize, usize)]) -> Registry {
    let registry = Registry::hermes();
    for (at, (tool, include)) in graph.iter().enumerate() {
        let set = Toolset::new("random")
            .with_tools([format!("t{tool}")])
            .with_includes([format!("s{include}")]);
        registry.define_toolset(&format!("s{at}"), set).unwrap();
    }
    for at in order {
        let source = ToolSource::Plugin(format!("p{}", at % 2));
        let new = tool(&format!("t{at}"), &format!("s{}", at % 3));
        registry.source(source).register(new).unwrap();
    }
    registry
}

fn graphs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0_usize..8, 0_usize..6), 1..6)
}

fn some_sets() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        (0_usize..7).prop_map(|at| format!("s{at}")),
        Just("file_tools".to_owned()),
        Just("hermes-cli".to_owned()),
        Just("all".to_owned()),
        Just("WEB".to_owned()),
    ];
    prop::collection::vec(name, 0..4)
}

proptest! {
    #[test]
    fn the_order_of_registration_does_not_matter(
        graph in graphs(),
        order in Just((0..8).collect::<Vec<_>>()).prop_shuffle(),
        enabled in some_sets(),
        disabled in some_sets(),
    ) {
        let selection = Selection::of(enabled).without(disabled);
        let sorted: Vec<usize> = (0..8).collect();
        let one = random_registry(&sorted, &graph).tool_definitions(&selection);
        let other = random_registry(&order, &graph).tool_definitions(&selection);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn enabling_more_never_takes_away_and_disabling_more_never_adds(
        graph in graphs(),
        enabled in some_sets(),
        more in some_sets(),
        disabled in some_sets(),
    ) {
        let registry = random_registry(&[0, 1, 2, 3, 4, 5, 6, 7], &graph);
        let base = Selection::of(enabled.clone()).without(disabled.clone());
        let offered = |selection: &Selection| offered(&registry, selection);
        let wider = Selection::of(enabled.iter().chain(&more)).without(disabled);
        prop_assert!(offered(&base).is_subset(&offered(&wider)));
        let fewer = base.clone().without(more);
        prop_assert!(offered(&fewer).is_subset(&offered(&base)));
    }

    #[test]
    fn a_tool_outside_what_was_resolved_never_appears(
        graph in graphs(),
        enabled in some_sets(),
        disabled in some_sets(),
    ) {
        let registry = random_registry(&[0, 1, 2, 3, 4, 5, 6, 7], &graph);
        let resolved = {
            let snapshot = registry.snapshot();
            snapshot.resolve_toolsets(enabled.iter().map(String::as_str)).tools
        };
        let legacy = enabled.contains(&"file_tools".to_owned());
        let selection = Selection::of(enabled).without(disabled);
        let definitions = registry.tool_definitions(&selection);
        for name in definitions.names() {
            prop_assert!(resolved.contains(name) || legacy);
        }
        let all = definitions.len() + definitions.left_out().len();
        prop_assert_eq!(all, registry.snapshot().tools().len());
    }
}
