//! Registering, replacing, removing; and what readers see meanwhile.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_tools::{
    Collision, Error, Registered, Registry, Selection, Tool, ToolSource, Toolset, register_tool,
};
use serde_json::json;

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::new(name, toolset).handler(|_, _| Ok("done"))
}

fn plugin(id: &str) -> ToolSource {
    ToolSource::Plugin(id.to_owned())
}

fn mcp(server: &str) -> ToolSource {
    ToolSource::Mcp(server.to_owned())
}

#[test]
fn the_same_source_replaces_its_own_tool_in_its_toolset() {
    let registry = Registry::new();
    for collision in [Collision::Warn, Collision::Reject, Collision::Override] {
        let registrar = registry.source(plugin("p")).collision(collision);
        registrar.register(tool("a", "x")).unwrap();
        let again = registrar
            .register(tool("a", "x").description("new"))
            .unwrap();
        assert!(matches!(again, Registered::Replaced { .. }));
        assert_eq!(registry.get("a").unwrap().description(), "new");
    }
}

#[test]
fn a_plugin_cannot_shadow_a_built_in_by_naming_its_toolset() {
    let registry = Registry::new();
    registry.register(tool("terminal", "terminal")).unwrap();
    let evil = registry.source(plugin("evil")).collision(Collision::Reject);
    for toolset in ["terminal", "mine"] {
        let refused = evil.register(tool("terminal", toolset)).unwrap_err();
        assert!(matches!(refused, Error::Collision { .. }), "{refused}");
    }
    assert_eq!(
        *registry.get("terminal").unwrap().source(),
        ToolSource::Builtin
    );
}

#[test]
fn a_plugin_cannot_remove_a_built_in_and_register_over_the_hole() {
    let registry = Registry::new();
    registry.register(tool("terminal", "terminal")).unwrap();
    let evil = registry
        .source(plugin("evil"))
        .collision(Collision::Override);
    assert!(matches!(
        evil.deregister("terminal"),
        Err(Error::NotYours { .. })
    ));
    assert_eq!(evil.deregister_all(), 0);
    assert!(registry.get("terminal").is_some());
}

#[test]
fn override_takes_the_place_of_any_tool() {
    let registry = Registry::new();
    registry.register(tool("terminal", "terminal")).unwrap();
    let asked = registry
        .source(plugin("asked"))
        .collision(Collision::Override);
    assert_eq!(
        asked.register(tool("terminal", "mine")),
        Ok(Registered::Replaced {
            source: ToolSource::Builtin,
            toolset: "terminal".to_owned(),
        })
    );
    assert_eq!(registry.get("terminal").unwrap().toolset(), "mine");
}

#[test]
fn one_server_replaces_what_another_registered_but_no_built_in() {
    let registry = Registry::new();
    registry.register(tool("search", "web")).unwrap();
    let one = registry.source(mcp("one")).collision(Collision::Reject);
    let two = registry.source(mcp("two")).collision(Collision::Reject);
    assert!(one.register(tool("search", "mcp-one")).is_err());
    one.register(tool("find", "mcp-one")).unwrap();
    two.register(tool("find", "mcp-two")).unwrap();
    assert_eq!(*registry.get("find").unwrap().source(), mcp("two"));
    assert!(one.deregister("find").is_err());
}

/// TOOL-16: a helper made for a server gives way to the server's own tool, in either order.
#[test]
fn a_fallback_gives_way_to_the_tool_it_stands_in_for() {
    for fallback_first in [true, false] {
        let registry = Registry::new();
        let server = registry.source(mcp("s")).collision(Collision::Reject);
        let helper = tool("read_resource", "mcp-s")
            .description("helper")
            .fallback();
        let native = tool("read_resource", "mcp-s").description("native");
        if fallback_first {
            server.register(helper).unwrap();
            server.register(native).unwrap();
        } else {
            server.register(native).unwrap();
            assert_eq!(server.register(helper), Ok(Registered::Skipped));
        }
        assert_eq!(
            registry.get("read_resource").unwrap().description(),
            "native"
        );
    }
}

#[test]
fn the_generation_rises_at_changes_and_only_then() {
    let registry = Registry::new();
    let mut last = registry.generation();
    let mut rises = |registry: &Registry, expected: bool, what: &str| {
        let now = registry.generation();
        assert_eq!(now > last, expected, "{what}");
        last = now;
    };
    registry.register(tool("a", "x")).unwrap();
    rises(&registry, true, "register");
    registry
        .source(plugin("p"))
        .collision(Collision::Reject)
        .register(tool("a", "x"))
        .unwrap_err();
    rises(&registry, false, "refused");
    registry.register(tool("a", "x").fallback()).unwrap();
    rises(&registry, false, "skipped");
    registry.deregister("nope").unwrap();
    rises(&registry, false, "deregister of nothing");
    registry.define_toolset("t", Toolset::default()).unwrap();
    rises(&registry, true, "toolset");
    registry.register_toolset_alias("t2", "t").unwrap();
    rises(&registry, true, "alias");
    registry.deregister("a").unwrap();
    rises(&registry, true, "deregister");
    assert_eq!(registry.source(plugin("p")).deregister_all(), 0);
    rises(&registry, false, "deregister_all of nothing");
}

#[test]
fn aliases_go_with_the_last_tool_of_their_toolset() {
    let registry = Registry::new();
    let server = registry.source(mcp("one"));
    server.register(tool("a", "mcp-one")).unwrap();
    server.register(tool("b", "mcp-one")).unwrap();
    registry.register_toolset_alias("one", "mcp-one").unwrap();
    server.deregister("a").unwrap();
    assert_eq!(registry.snapshot().canonical("one"), "mcp-one");
    server.deregister("b").unwrap();
    assert_eq!(registry.snapshot().canonical("one"), "one");
}

#[test]
fn an_alias_belongs_to_who_registered_it() {
    let registry = Registry::hermes();
    let server = registry.source(mcp("gh"));
    server.register(tool("issue", "mcp-gh")).unwrap();
    server.register_toolset_alias("gh", "mcp-gh").unwrap();
    let evil = registry
        .source(plugin("evil"))
        .collision(Collision::Override);
    evil.register(tool("evil_tool", "evil")).unwrap();
    // Another's alias, a toolset, an old name of one.
    for name in ["gh", "web", "file_tools", "mcp-gh"] {
        let refused = evil.register_toolset_alias(name, "evil");
        assert!(
            matches!(refused, Err(Error::ToolsetExists { .. })),
            "{name}"
        );
    }
    assert!(!evil.remove_toolset_alias("gh"));
    let offered = registry.tool_definitions(&Selection::of(["gh"]));
    assert_eq!(Vec::from_iter(offered.names()), ["issue"]);
    // Its own it may point elsewhere, and take away.
    evil.register_toolset_alias("ev", "evil").unwrap();
    evil.register_toolset_alias("ev", "web").unwrap();
    assert_eq!(registry.snapshot().canonical("ev"), "web");
    assert!(evil.remove_toolset_alias("ev"));
    evil.register_toolset_alias("ev", "web").unwrap();
    evil.deregister_all();
    assert_eq!(registry.snapshot().canonical("ev"), "ev");
}

#[test]
fn an_alias_never_leads_back_to_itself() {
    let registry = Registry::new();
    registry.register_toolset_alias("a", "b").unwrap();
    registry.register_toolset_alias("b", "c").unwrap();
    registry.register_toolset_alias("x", "a").unwrap();
    for (alias, toolset) in [("c", "a"), ("a", "x"), ("b", "a"), ("b", "x")] {
        let refused = registry.register_toolset_alias(alias, toolset);
        assert!(
            matches!(refused, Err(Error::AliasCycle { .. })),
            "{alias} {toolset}"
        );
    }
    assert_eq!(registry.snapshot().canonical("x"), "c");
}

#[test]
fn a_fallback_is_nobodys_way_around_the_policy() {
    let registry = Registry::new();
    registry
        .register(tool("terminal", "terminal").fallback())
        .unwrap();
    let evil = registry.source(plugin("evil")).collision(Collision::Reject);
    assert!(evil.register(tool("terminal", "terminal")).is_err());
    assert_eq!(
        evil.register(tool("terminal", "terminal").fallback()),
        Ok(Registered::Skipped)
    );
    assert_eq!(
        *registry.get("terminal").unwrap().source(),
        ToolSource::Builtin
    );
}

#[test]
fn many_tools_come_and_go_in_one_step() {
    let registry = Registry::new();
    let registrar = registry.source(plugin("p"));
    let tools = (0..3000).map(|n| tool(&format!("t{n}"), &format!("set{n}")));
    let results = registrar.register_all(tools.chain([tool("bad name", "x")]));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3000);
    assert!(results[3000].is_err());
    assert_eq!(registry.generation(), 1, "readers see one change");
    for n in 0..300 {
        let (alias, set) = (format!("a{n}"), format!("set{n}"));
        registry.register_toolset_alias(&alias, &set).unwrap();
    }
    assert_eq!(registrar.deregister_all(), 3000);
    assert!(registry.snapshot().aliases().is_empty());
}

#[test]
fn what_a_tool_holds_may_panic_when_it_goes() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("as a tool goes");
        }
    }
    let registry = Registry::new();
    let bomb = Bomb;
    let holding = Tool::new("holding", "x").handler(move |_, _| {
        let _held = &bomb;
        Ok("done")
    });
    registry.register(holding).unwrap();
    assert_eq!(registry.deregister("holding"), Ok(true));
    assert!(registry.get("holding").is_none());
}

#[test]
fn an_alias_cannot_take_the_name_of_a_toolset() {
    let registry = Registry::new();
    registry.register(tool("terminal", "terminal")).unwrap();
    registry.define_toolset("web", Toolset::default()).unwrap();
    for name in ["terminal", "web"] {
        let refused = registry.register_toolset_alias(name, "evil");
        assert!(matches!(refused, Err(Error::ToolsetExists { .. })));
    }
    registry.register_toolset_alias("net", "web").unwrap();
    assert!(registry.define_toolset("net", Toolset::default()).is_err());
}

#[test]
fn what_cannot_be_registered_is_a_typed_error_and_changes_nothing() {
    let registry = Registry::new();
    let refused = [
        Tool::new("no handler", "x"),
        Tool::new("nothing_to_run", "x"),
        tool("a", "x").schema(json!("nope")),
        tool("a", "x").schema(json!([1])),
        tool("a", "x").parameters(json!("nope")),
        tool("a", ""),
        tool("a", " x "),
        tool("a", "all"),
        tool("a", "*"),
    ];
    for tool in refused {
        let shown = format!("{tool:?}");
        let error = registry.register(tool).expect_err(&shown);
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(registry.generation(), 0);
}

#[test]
fn the_models_description_is_never_the_registrys() {
    let registry = Registry::new();
    registry
        .register(tool("quiet", "x").registry_description("for people"))
        .unwrap();
    let entry = registry.get("quiet").unwrap();
    assert_eq!(entry.description(), "for people");
    assert_eq!(entry.definition()["function"].get("description"), None);
}

register_tool!("linked_ok", || Ok(tool("linked_ok", "linked")));
register_tool!("linked_error", || Err(hermes_tools::ToolError::message(
    "no key"
)));
register_tool!("linked_panic", || panic!("set-up went wrong"));

#[test]
fn linked_tools_are_in_the_global_registry_and_broken_ones_cost_only_themselves() {
    let registry = Registry::global();
    assert!(registry.get("linked_ok").is_some());
    let snapshot = registry.snapshot();
    let problems: Vec<(&str, &str)> = snapshot
        .problems()
        .iter()
        .map(|problem| (problem.what(), problem.reason()))
        .collect();
    assert_eq!(
        problems,
        [
            ("linked_error", "ToolError: no key"),
            ("linked_panic", "Panic: set-up went wrong"),
        ]
    );
}

/// TOOL-06, at the registry: whoever looks sees all of a change or nothing of it.
#[test]
fn readers_never_see_a_torn_state() {
    let registry = Registry::new();
    let core: BTreeSet<String> = (0..20).map(|n| format!("core_{n}")).collect();
    for name in &core {
        registry.register(tool(name, "core")).unwrap();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for writer in 0..2 {
            let (registry, done) = (&registry, &done);
            threads.spawn(move || {
                let registrar = registry.source(plugin(&writer.to_string()));
                for round in 0..300 {
                    for n in 0..4 {
                        registrar
                            .register(tool(&format!("p{writer}_{n}"), "plugins"))
                            .unwrap();
                    }
                    assert_eq!(registrar.deregister_all(), 4, "round {round}");
                }
                done.store(true, Ordering::Release);
            });
        }
        for _ in 0..4 {
            let (registry, done, core) = (&registry, &done, &core);
            threads.spawn(move || {
                let mut last = 0;
                while !done.load(Ordering::Acquire) {
                    let seen = registry.snapshot();
                    assert!(seen.generation() >= last, "time went backwards");
                    last = seen.generation();
                    assert!(core.iter().all(|name| seen.get(name).is_some()));
                    let by_toolset = seen.names_in_toolset("plugins").len();
                    assert_eq!(seen.tools().len(), core.len() + by_toolset);
                    for writer in 0..2 {
                        // Added one by one, taken away all at once: always a beginning of the four.
                        let there: Vec<bool> = (0..4)
                            .map(|n| seen.get(&format!("p{writer}_{n}")).is_some())
                            .collect();
                        assert!(there.is_sorted_by(|a, b| a >= b), "{there:?}");
                    }
                }
            });
        }
    });
    assert_eq!(registry.snapshot().tools().len(), core.len());
}

/// TOOL-06
#[test]
fn definitions_made_beside_changes_are_of_one_moment() {
    let registry = Registry::new();
    let core: BTreeSet<String> = (0..10).map(|n| format!("core_{n}")).collect();
    for name in &core {
        registry.register(tool(name, "core")).unwrap();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..20 {
            threads.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let made = registry.tool_definitions(&Selection::all());
                    assert!(core.iter().all(|name| made.contains(name)));
                    // The two come one after the other, and go together.
                    assert!(made.contains("one") || !made.contains("two"));
                    assert_eq!(made.names().len(), made.as_slice().len());
                }
            });
        }
        let registrar = registry.source(plugin("p"));
        for _ in 0..300 {
            registrar.register(tool("one", "plugins")).unwrap();
            registrar.register(tool("two", "plugins")).unwrap();
            assert_eq!(registrar.deregister_all(), 2);
        }
        done.store(true, Ordering::Release);
    });
}

#[test]
fn a_reader_keeps_its_snapshot_while_the_registry_goes_on() {
    let registry = Registry::new();
    registry.register(tool("a", "x")).unwrap();
    let before = registry.snapshot();
    registry.deregister("a").unwrap();
    assert!(before.get("a").is_some());
    assert!(registry.get("a").is_none());
}
