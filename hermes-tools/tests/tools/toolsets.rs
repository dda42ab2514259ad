//! Toolsets: the catalogue of Hermes, and what names stand for.

use std::collections::{BTreeMap, BTreeSet};

use hermes_tools::{Error, Registry, Role, Selection, Tool, ToolSource, Toolset, Warning, hermes};
use proptest::prelude::*;
use serde_json::Value;

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::new(name, toolset).handler(|_, _| Ok("done"))
}

fn registry_with(sets: &[(&str, &[&str], &[&str])]) -> Registry {
    let registry = Registry::new();
    for (name, tools, includes) in sets {
        let set = Toolset::new("a set")
            .with_tools(tools.iter().copied())
            .with_includes(includes.iter().copied());
        registry.define_toolset(name, set).unwrap();
    }
    registry
}

fn resolved(registry: &Registry, name: &str) -> Vec<String> {
    let resolved = registry.snapshot().resolve_toolset(name);
    assert_eq!(resolved.warnings, []);
    resolved.tools.into_iter().collect()
}

fn unknown(name: &str, near: &[&str]) -> Warning {
    Warning::UnknownToolset {
        name: name.to_owned(),
        role: Role::Enabled,
        near: near.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn names(value: &Value) -> Vec<&str> {
    let names = value.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn the_catalogue_is_that_of_hermes_0_19() {
    let recorded = testdata::vectors("toolsets");
    let expected = &recorded["0.19.0"];
    let toolsets = expected["toolsets"].as_object().unwrap();
    let ours: BTreeMap<String, Toolset> = hermes::catalogue().collect();
    assert_eq!(
        BTreeSet::from_iter(ours.keys()),
        BTreeSet::from_iter(toolsets.keys())
    );
    for (name, theirs) in toolsets {
        let own = &ours[name];
        let mut tools: Vec<&str> = own.tools.iter().map(String::as_str).collect();
        tools.sort_unstable();
        assert_eq!(tools, names(&theirs["tools"]), "{name}");
        assert_eq!(own.includes, names(&theirs["includes"]), "{name}");
        assert_eq!(own.posture, theirs["posture"] == true, "{name}");
        assert!(own.description.chars().count() > 1, "{name}");
        assert!(!own.description.contains('\n'), "{name}");
    }
    let core: BTreeSet<&str> = hermes::CORE_TOOLS.iter().copied().collect();
    assert_eq!(core.len(), hermes::CORE_TOOLS.len());
    assert_eq!(Vec::from_iter(core), names(&expected["core_tools"]));
}

#[test]
fn legacy_names_and_the_special_tools_are_those_of_hermes() {
    let recorded = testdata::vectors("toolsets");
    let legacy = recorded["legacy"].as_object().unwrap();
    assert_eq!(hermes::LEGACY_TOOLSETS.len(), legacy.len());
    for (name, tools) in hermes::LEGACY_TOOLSETS {
        assert_eq!(*tools, names(&legacy[*name]), "{name}");
    }
    assert_eq!(
        hermes::AGENT_LOOP_TOOLS,
        names(&recorded["agent_loop_tools"])
    );
    assert_eq!(
        hermes::SANDBOX_TOOLS,
        names(&recorded["sandbox_callable_tools"])
    );
}

#[test]
fn nothing_that_the_catalogue_includes_is_missing() {
    let snapshot = Registry::hermes().snapshot();
    for (name, _) in hermes::catalogue() {
        assert_eq!(snapshot.resolve_toolset(&name).warnings, [], "{name}");
    }
}

// TOOL-13
#[test]
fn all_and_the_star_are_every_toolset() {
    let registry = Registry::hermes();
    assert_eq!(resolved(&registry, "all").len(), 79);
    registry.register(tool("extra", "plugged")).unwrap();
    assert_eq!(resolved(&registry, "*").len(), 80);
    assert!(registry.snapshot().is_toolset("all"));
    assert!(registry.snapshot().is_toolset("*"));
    assert_eq!(registry.snapshot().toolset_info("all"), None);
}

// TOOL-13
#[test]
fn names_count_to_the_letter_and_what_is_unknown_says_so() {
    let registry = Registry::hermes();
    let snapshot = registry.snapshot();
    for (name, near) in [
        ("", &[][..]),
        ("WEB", &["web"][..]),
        (" web ", &["web"][..]),
    ] {
        assert!(!snapshot.is_toolset(name), "{name:?}");
        let resolved = snapshot.resolve_toolset(name);
        assert!(resolved.tools.is_empty(), "{name:?}");
        assert_eq!(resolved.warnings, [unknown(name, near)]);
        let selected = registry.tool_definitions(&Selection::of([name]));
        assert_eq!(selected.warnings(), resolved.warnings);
        assert!(selected.is_empty());
    }
}

// TOOL-13
#[test]
fn a_composite_is_the_union_and_a_cycle_ends() {
    let registry = Registry::hermes();
    assert_eq!(
        resolved(&registry, "debugging"),
        [
            "patch",
            "process",
            "read_file",
            "search_files",
            "terminal",
            "web_extract",
            "web_search",
            "write_file"
        ]
    );
    let cycle = registry_with(&[("a", &["x"], &["b"]), ("b", &["y"], &["a"])]);
    assert_eq!(resolved(&cycle, "a"), ["x", "y"]);
    assert_eq!(resolved(&cycle, "b"), ["x", "y"]);
}

// TOOL-07
#[test]
fn a_name_that_is_only_the_start_of_others_is_unknown_and_names_them() {
    let snapshot = Registry::hermes().snapshot();
    for names in [&["hermes"][..], &["hermes", "kanban"][..]] {
        let resolved = snapshot.resolve_toolsets(names.iter().copied());
        let [Warning::UnknownToolset { name, near, .. }] = &resolved.warnings[..] else {
            panic!("{:?}", resolved.warnings);
        };
        assert_eq!(name, "hermes");
        assert!(near.contains(&"hermes-cli".to_owned()), "{near:?}");
    }
    assert!(!snapshot.is_toolset("hermes"));
    assert_eq!(snapshot.resolve_toolset("hermes-cli").tools.len(), 52);
}

// TOOL-09
#[test]
fn a_selection_of_an_unknown_name_gives_nothing_and_names_it() {
    let registry = Registry::hermes();
    registry.register(tool("read_file", "file")).unwrap();
    let definitions = registry.tool_definitions(&Selection::of(["ui"]));
    assert!(definitions.is_empty());
    let said = definitions.warnings()[0].to_string();
    assert!(said.starts_with("there is no toolset \"ui\""), "{said}");
    let near = registry.tool_definitions(&Selection::of(["flie"]));
    assert_eq!(near.warnings(), [unknown("flie", &["file"])]);
}

// TOOL-10
#[test]
fn the_names_of_a_selection_survive_writing_and_reading_byte_for_byte() {
    let text = r#"{"enabled":["hermes-cli","my tööls","mcp-x","WEB "],"disabled":["nope\u0001"]}"#;
    let selection: Selection = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&selection).unwrap(), text);
    let warnings = Registry::hermes()
        .tool_definitions(&selection)
        .warnings()
        .to_vec();
    let named: Vec<&str> = warnings
        .iter()
        .map(|warning| match warning {
            Warning::UnknownToolset { name, .. } => name.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(named, ["my tööls", "mcp-x", "WEB ", "nope\u{1}"]);
    let empty: Selection = serde_json::from_str("{}").unwrap();
    assert_eq!(empty, Selection::all());
}

// TOOL-12
#[test]
fn a_toolset_that_a_plugin_may_yet_bring_is_unknown_only_after_the_discovery() {
    let registry = Registry::hermes();
    let selection = Selection::of(["plugged"]);
    let discovery = registry.begin_discovery();
    let early = registry.tool_definitions(&selection);
    assert_eq!(
        early.warnings(),
        [Warning::NotYetKnown {
            name: "plugged".to_owned(),
            role: Role::Enabled,
        }]
    );
    let plugin = registry.source(ToolSource::Plugin("p".to_owned()));
    plugin.register(tool("extra", "plugged")).unwrap();
    assert_eq!(registry.tool_definitions(&selection).warnings(), []);
    drop(discovery);
    plugin.deregister_all();
    let late = registry.tool_definitions(&selection);
    assert_eq!(late.warnings(), [unknown("plugged", &[])]);
}

#[test]
fn tools_that_are_registered_in_a_defined_toolset_are_members() {
    let registry = Registry::hermes();
    registry.register(tool("web_more", "web")).unwrap();
    let expected = ["web_extract", "web_more", "web_search"];
    assert_eq!(resolved(&registry, "web"), expected);
    assert_eq!(registry.snapshot().toolset("web").unwrap().tools, expected);
    assert!(resolved(&registry, "safe").contains(&"web_more".to_owned()));
}

#[test]
fn an_alias_stands_for_its_toolset_wherever_a_name_does() {
    let registry = registry_with(&[("both", &["own"], &["one"])]);
    let server = registry.source(ToolSource::Mcp("one".to_owned()));
    server.register(tool("mcp_one_x", "mcp-one")).unwrap();
    registry.register_toolset_alias("one", "mcp-one").unwrap();
    assert_eq!(resolved(&registry, "one"), ["mcp_one_x"]);
    assert_eq!(resolved(&registry, "both"), ["mcp_one_x", "own"]);
    let snapshot = registry.snapshot();
    assert_eq!(
        Vec::from_iter(snapshot.toolset_names()),
        ["both", "one"],
        "people know it by the alias"
    );
    assert_eq!(
        snapshot.toolset_info("one").unwrap().description,
        "MCP server 'one' tools"
    );
    let without = Selection::all().without(["one"]);
    assert!(registry.tool_definitions(&without).is_empty());
}

#[test]
fn aliases_may_stand_for_aliases() {
    let registry = Registry::new();
    registry.register(tool("x", "set")).unwrap();
    for (alias, target) in [("one", "set"), ("two", "one")] {
        registry.register_toolset_alias(alias, target).unwrap();
    }
    registry.register(tool("y", "two")).unwrap();
    for name in ["set", "one", "two"] {
        assert_eq!(resolved(&registry, name), ["x", "y"], "{name}");
    }
    registry.deregister("x").unwrap();
    assert_eq!(resolved(&registry, "one"), ["y"], "the toolset still lives");
}

#[test]
fn an_alias_of_nothing_and_an_include_of_nothing_are_warned_of() {
    let registry = registry_with(&[("a", &["x"], &["ghost"])]);
    registry.register_toolset_alias("one", "mcp-one").unwrap();
    let snapshot = registry.snapshot();
    let said = |name| {
        let resolved = snapshot.resolve_toolset(name);
        (resolved.tools.len(), resolved.warnings[0].to_string())
    };
    let expected = r#"there is no toolset "mcp-one", which "one" stands for; did you mean "one"?"#;
    let (count, warning) = said("one");
    assert_eq!(count, 0);
    assert!(expected.starts_with(&warning), "{warning}");
    assert_eq!(
        said("a"),
        (
            1,
            r#"there is no toolset "ghost", which "a" includes"#.to_owned()
        )
    );
}

#[test]
fn a_toolset_cannot_take_the_name_of_an_alias_and_then_none_is_defined() {
    let registry = Registry::new();
    registry.register_toolset_alias("one", "mcp-one").unwrap();
    let before = registry.generation();
    let sets = ["free", "one"].map(|name| (name.to_owned(), Toolset::default()));
    let error = registry.define_toolsets(sets).unwrap_err();
    assert_eq!(
        error,
        Error::ToolsetExists {
            name: "one".to_owned()
        }
    );
    assert!(!registry.snapshot().is_toolset("free"));
    assert_eq!(registry.generation(), before);
}

#[test]
fn a_chain_of_a_hundred_thousand_includes_is_followed_to_its_end() {
    const DEPTH: usize = 100_000;
    let registry = Registry::new();
    let sets = (0..DEPTH).map(|at| {
        let mut set = Toolset::new("a link").with_includes([format!("s{}", at + 1)]);
        if at + 1 == DEPTH {
            set.includes = vec!["s0".to_owned()];
            set.tools = vec!["deep".to_owned()];
        }
        (format!("s{at}"), set)
    });
    registry.define_toolsets(sets).unwrap();
    assert_eq!(resolved(&registry, "s0"), ["deep"]);
}

#[test]
fn a_list_of_garbage_is_answered_name_by_name() {
    let names: Vec<String> = (0..5000).map(|at| format!("garbage{at}")).collect();
    let definitions = Registry::hermes().tool_definitions(&Selection::of(names));
    assert_eq!(definitions.warnings().len(), 5000);
    let twice = Registry::hermes().tool_definitions(&Selection::of(["x", "x"]));
    assert_eq!(twice.warnings().len(), 1);
}

/// Sets `s0`, `s1`, …: each has numbers of tools and numbers of sets that it includes.
type Graph = Vec<(BTreeSet<u8>, BTreeSet<u8>)>;

fn graphs() -> impl Strategy<Value = Graph> {
    let numbers = || prop::collection::btree_set(0_u8..10, 0..4);
    prop::collection::vec((numbers(), numbers()), 1..9)
}

fn define(graph: &Graph) -> Registry {
    let registry = Registry::new();
    let sets = graph.iter().enumerate().map(|(at, (tools, includes))| {
        let set = Toolset::new("random")
            .with_tools(tools.iter().map(|tool| format!("t{tool}")))
            .with_includes(includes.iter().map(|set| format!("s{set}")));
        (format!("s{at}"), set)
    });
    registry.define_toolsets(sets).unwrap();
    registry
}

/// Grows the set of sets until nothing is new: slow and plain.
fn naive(graph: &Graph, start: u8) -> BTreeSet<String> {
    let mut sets = BTreeSet::from([start]);
    loop {
        let more: BTreeSet<u8> = sets
            .iter()
            .filter_map(|set| graph.get(usize::from(*set)))
            .flat_map(|(_, includes)| includes.iter().copied())
            .chain(sets.iter().copied())
            .collect();
        if more == sets {
            break;
        }
        sets = more;
    }
    let known = sets.iter().filter_map(|set| graph.get(usize::from(*set)));
    known
        .flat_map(|(tools, _)| tools.iter().map(|tool| format!("t{tool}")))
        .collect()
}

proptest! {
    #[test]
    fn any_graph_resolves_as_the_naive_way_says(graph in graphs()) {
        let snapshot = define(&graph).snapshot();
        for start in 0..u8::try_from(graph.len()).unwrap() {
            let resolved = snapshot.resolve_toolset(&format!("s{start}"));
            prop_assert_eq!(&resolved.tools, &naive(&graph, start));
            let ghosts = resolved.warnings.len();
            let all_defined = graph.len() == 10;
            prop_assert!(!all_defined || ghosts == 0);
        }
    }

    #[test]
    fn resolving_a_set_made_of_what_was_resolved_gives_the_same(graph in graphs()) {
        let registry = define(&graph);
        let once = registry.snapshot().resolve_toolset("s0").tools;
        let set = Toolset::new("flat").with_tools(once.clone());
        registry.define_toolset("flat", set).unwrap();
        let snapshot = registry.snapshot();
        prop_assert_eq!(snapshot.resolve_toolset("flat").tools, once.clone());
        prop_assert_eq!(snapshot.resolve_toolsets(["s0", "flat", "s0"]).tools, once);
    }

    #[test]
    fn a_text_that_is_no_name_stands_for_nothing(name in "\\PC{0,20}") {
        let snapshot = Registry::hermes().snapshot();
        prop_assume!(!snapshot.is_toolset(&name));
        let resolved = snapshot.resolve_toolset(&name);
        prop_assert!(resolved.tools.is_empty());
        prop_assert_eq!(resolved.warnings.len(), 1);
    }
}
