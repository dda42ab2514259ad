//! Definitions that are made once, and the generation that says when they have to be made again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use hermes_tools::{
    Check, Collision, Patch, Presets, Registered, Registry, Selection, Tool, ToolSource, Toolset,
};
use serde_json::Map;

fn tool(name: &str, toolset: &str) -> Tool {
    Tool::new(name, toolset).handler(|_, _| Ok("done"))
}

/// A check that says yes, and how often it was asked.
fn counting() -> (Check, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let check = Check::new("counting", move || {
        counter.fetch_add(1, Ordering::SeqCst);
        true
    });
    (check, asked)
}

#[test]
fn the_same_selection_gives_the_same_list() {
    let registry = Registry::hermes();
    let (check, asked) = counting();
    registry.register(tool("a", "x").check(check)).unwrap();
    let first = registry.tool_definitions(&Selection::all());
    let again = registry.tool_definitions(&Selection::default());
    assert!(Arc::ptr_eq(&first, &again));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let other = registry.tool_definitions(&Selection::of(["x"]));
    assert!(!Arc::ptr_eq(&first, &other));
    let third = registry.tool_definitions(&Selection::all());
    assert!(Arc::ptr_eq(&first, &third));
}

#[test]
fn a_change_of_the_registry_makes_new_definitions() {
    let registry = Registry::new();
    registry.register(tool("a", "x")).unwrap();
    let before = registry.tool_definitions(&Selection::all());
    registry.register(tool("b", "x")).unwrap();
    let after = registry.tool_definitions(&Selection::all());
    assert_eq!(before.len(), 1);
    assert_eq!(after.len(), 2);
    assert_eq!(after.generation(), registry.generation());
    registry.add_patch(Patch::new("a", |_, _| None));
    assert_eq!(registry.tool_definitions(&Selection::all()).len(), 1);
}

#[test]
fn forgetting_the_checks_asks_them_again() {
    let registry = Registry::new();
    let (check, asked) = counting();
    registry.register(tool("a", "x").check(check)).unwrap();
    let first = registry.tool_definitions(&Selection::all());
    registry.invalidate_checks();
    let second = registry.tool_definitions(&Selection::all());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(first, second);
}

#[test]
fn what_is_forgotten_while_it_is_being_asked_is_not_remembered_as_valid() {
    let registry = Registry::new();
    let (inner, first_time) = (registry.clone(), AtomicBool::new(true));
    let check = Check::new("interrupted", move || {
        if first_time.swap(false, Ordering::SeqCst) {
            inner.invalidate_checks();
        }
        true
    });
    registry.register(tool("a", "x").check(check)).unwrap();
    let first = registry.tool_definitions(&Selection::all());
    let second = registry.tool_definitions(&Selection::all());
    assert!(!Arc::ptr_eq(&first, &second));
    let third = registry.tool_definitions(&Selection::all());
    assert!(Arc::ptr_eq(&second, &third));
}

#[test]
fn a_dynamic_schema_is_asked_once_for_definitions_that_follow_at_once() {
    let registry = Registry::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let dynamic = tool("a", "x").dynamic_schema(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        Map::new()
    });
    registry.register(dynamic).unwrap();
    for _ in 0..3 {
        registry.tool_definitions(&Selection::all());
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_check_that_asks_for_definitions_itself_does_not_dead_lock() {
    let registry = Registry::new();
    let inner = registry.clone();
    let check = Check::new("curious", move || {
        inner.tool_definitions(&Selection::of(["y"])).len() == 1
    });
    registry.register(tool("a", "x").check(check)).unwrap();
    registry.register(tool("b", "y")).unwrap();
    assert_eq!(registry.tool_definitions(&Selection::all()).len(), 2);
}

#[test]
fn the_generation_rises_exactly_at_changes() {
    let registry = Registry::new();
    let plugin = registry.source(ToolSource::Plugin("p".to_owned()));
    let set = || Toolset::new("a set").with_tools(["a"]);
    let legacy = || [("old".to_owned(), vec!["a".to_owned()])];
    let presets = || Presets {
        prefix: "x-".to_owned(),
        ..Presets::default()
    };
    type Step<'a> = (&'a str, bool, Box<dyn Fn() + 'a>);
    let steps: Vec<Step<'_>> = vec![
        (
            "a first tool",
            true,
            Box::new(|| drop(registry.register(tool("a", "x")))),
        ),
        (
            "the same name",
            true,
            Box::new(|| drop(registry.register(tool("a", "x")))),
        ),
        (
            "a fallback for a taken name",
            false,
            Box::new(|| {
                let skipped = plugin.register(tool("a", "x").fallback()).unwrap();
                assert_eq!(skipped, Registered::Skipped);
            }),
        ),
        (
            "a tool that cannot be",
            false,
            Box::new(|| drop(registry.register(tool("", "x")))),
        ),
        (
            "removing nobody",
            false,
            Box::new(|| drop(registry.deregister("nobody"))),
        ),
        (
            "removing another's",
            false,
            Box::new(|| drop(plugin.deregister("a"))),
        ),
        (
            "removing all of none",
            false,
            Box::new(|| assert_eq!(plugin.deregister_all(), 0)),
        ),
        (
            "an alias",
            true,
            Box::new(|| registry.register_toolset_alias("one", "x").unwrap()),
        ),
        (
            "the alias again",
            false,
            Box::new(|| {
                registry.register_toolset_alias("one", "x").unwrap();
            }),
        ),
        (
            "a toolset",
            true,
            Box::new(|| registry.define_toolset("s", set()).unwrap()),
        ),
        (
            "the toolset again",
            false,
            Box::new(|| registry.define_toolset("s", set()).unwrap()),
        ),
        (
            "no toolsets",
            false,
            Box::new(|| registry.define_toolsets([]).unwrap()),
        ),
        (
            "legacy names",
            true,
            Box::new(|| registry.define_legacy_toolsets(legacy())),
        ),
        (
            "legacy names again",
            false,
            Box::new(|| registry.define_legacy_toolsets(legacy())),
        ),
        (
            "presets",
            true,
            Box::new(|| registry.set_presets(presets())),
        ),
        (
            "presets again",
            false,
            Box::new(|| registry.set_presets(presets())),
        ),
        (
            "a removal",
            true,
            Box::new(|| drop(registry.deregister("a"))),
        ),
        (
            "the removal again",
            false,
            Box::new(|| drop(registry.deregister("a"))),
        ),
    ];
    for (what, changes, step) in steps {
        let before = registry.generation();
        step();
        let expected = before + u64::from(changes);
        assert_eq!(registry.generation(), expected, "{what}");
    }
}

#[test]
fn nobody_sees_definitions_from_before_a_change_that_was_made() {
    const TOOLS: usize = 200;
    let registry = Registry::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let before = registry.generation();
                    let seen = registry.tool_definitions(&Selection::all());
                    assert!(seen.generation() >= before);
                    let all = u64::try_from(seen.len()).unwrap();
                    assert_eq!(all, seen.generation(), "one tool for each generation");
                }
            });
        }
        for at in 0..TOOLS {
            registry.register(tool(&format!("t{at}"), "x")).unwrap();
            let seen = registry.tool_definitions(&Selection::all());
            assert_eq!(seen.len(), at + 1);
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Registers a tool when it is dropped, as a client that falls back on something else might.
struct Successor(Registry);

impl Drop for Successor {
    fn drop(&mut self) {
        let next = format!("after{}", self.0.generation());
        self.0.register(tool(&next, "x")).unwrap();
    }
}

#[test]
fn what_a_tool_does_when_it_is_dropped_may_change_the_registry() {
    let (done, finished) = mpsc::channel();
    thread::spawn(move || {
        let registry = Registry::new();
        let holding = |toolset: &str| {
            let successor = Successor(registry.clone());
            Tool::new("a", toolset).handler(move |_, _| {
                let _held = &successor;
                Ok("done")
            })
        };
        registry.register(holding("x")).unwrap();
        let rival = registry.source(ToolSource::Plugin("p".to_owned()));
        let refused = rival.collision(Collision::Reject).register(holding("x"));
        assert!(refused.is_err());
        registry.register(holding("x")).unwrap();
        registry.deregister("a").unwrap();
        done.send(registry.snapshot().tools().len()).unwrap();
    });
    // Long enough for any machine; a dead lock would be for ever.
    let tools = finished.recv_timeout(Duration::from_secs(60));
    assert_eq!(tools, Ok(3));
}
