//! Sources that have to be asked: what they bring, and what one that fails costs.

use std::sync::mpsc;
use std::time::Duration;

use hermes_tools::{Discovery, Found, Registry, Tool, ToolError, ToolSource};

struct Source {
    source: ToolSource,
    find: Box<dyn FnMut() -> Result<Found, ToolError> + Send>,
}

impl Discovery for Source {
    fn source(&self) -> ToolSource {
        self.source.clone()
    }

    fn discover(&mut self) -> Result<Found, ToolError> {
        (self.find)()
    }
}

fn source(
    server: &str,
    find: impl FnMut() -> Result<Found, ToolError> + Send + 'static,
) -> Box<dyn Discovery> {
    Box::new(Source {
        source: ToolSource::Mcp(server.to_owned()),
        find: Box::new(find),
    })
}

fn found(server: &str, names: &[&str]) -> Found {
    let toolset = format!("mcp-{server}");
    Found {
        tools: names
            .iter()
            .map(|name| Tool::new(*name, &toolset).handler(|_, _| Ok("done")))
            .collect(),
        aliases: vec![(server.to_owned(), toolset)],
    }
}

#[test]
fn a_source_that_fails_panics_or_hangs_costs_only_its_own_tools() {
    let registry = Registry::new();
    let (let_go, hang) = mpsc::channel::<()>();
    let discovered = registry.discover(
        vec![
            source("good", || Ok(found("good", &["a", "b"]))),
            source("failing", || Err(ToolError::new("Refused", "no token"))),
            source("panicking", || panic!("lost it")),
            source("hanging", move || {
                _ = hang.recv();
                Ok(found("hanging", &["late"]))
            }),
            source("also good", || Ok(found("also good", &["c"]))),
        ],
        Duration::from_secs(3),
    );
    let counts: Vec<(usize, usize)> = discovered
        .iter()
        .map(|one| (one.tools.len(), one.problems.len()))
        .collect();
    assert_eq!(counts, [(2, 0), (0, 1), (0, 1), (0, 1), (1, 0)]);
    let snapshot = registry.snapshot();
    let reasons: Vec<String> = snapshot
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        reasons,
        [
            r#"all tools of MCP server "failing": Refused: no token"#,
            r#"all tools of MCP server "panicking": Panic: lost it"#,
            r#"all tools of MCP server "hanging": no answer within 3s"#,
        ]
    );
    assert_eq!(snapshot.canonical("good"), "mcp-good");
    drop(let_go);
    assert!(registry.get("late").is_none());
}

#[test]
fn a_tool_that_is_refused_leaves_the_others_in() {
    let registry = Registry::new();
    registry
        .register(Tool::new("terminal", "terminal").handler(|_, _| Ok("own")))
        .unwrap();
    let sources = vec![source("s", || {
        Ok(found("s", &["terminal", "bad name", "fine"]))
    })];
    let discovered = registry.discover(sources, Duration::from_secs(60));
    assert_eq!(discovered[0].tools, ["fine"]);
    assert_eq!(discovered[0].problems.len(), 2);
    assert_eq!(
        *registry.get("terminal").unwrap().source(),
        ToolSource::Builtin
    );
}

#[test]
fn problems_are_forgotten_when_their_source_is_asked_again() {
    let registry = Registry::new();
    let failing = vec![source("s", || Err(ToolError::message("down")))];
    registry.discover(failing, Duration::from_secs(60));
    assert_eq!(registry.snapshot().problems().len(), 1);
    registry.discover(
        vec![source("s", || Ok(found("s", &["a"])))],
        Duration::from_secs(60),
    );
    assert!(registry.snapshot().problems().is_empty());
}

/// TOOL-15: neither of two servers loses a tool without a word.
#[test]
fn a_server_that_loses_a_tool_to_the_next_is_told() {
    let registry = Registry::new();
    let sources = vec![
        source("one", || Ok(found("one", &["search"]))),
        source("two", || Ok(found("two", &["search"]))),
    ];
    registry.discover(sources, Duration::from_secs(60));
    let snapshot = registry.snapshot();
    let problems: Vec<String> = snapshot
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        problems,
        [r#"search of MCP server "one": MCP server "two" registered the same name"#]
    );
}

#[test]
fn a_limit_without_end_and_a_source_that_panics_at_its_name_do_no_harm() {
    struct Nameless;
    impl Discovery for Nameless {
        fn source(&self) -> ToolSource {
            panic!("who am I?");
        }
        fn discover(&mut self) -> Result<Found, ToolError> {
            Ok(Found::default())
        }
    }
    let registry = Registry::new();
    let sources = vec![
        Box::new(Nameless) as _,
        source("s", || Ok(found("s", &["a"]))),
    ];
    let discovered = registry.discover(sources, Duration::MAX);
    assert_eq!(discovered[0].problems[0].reason(), "Panic: who am I?");
    assert_eq!(discovered[1].tools, ["a"]);
}

#[test]
fn two_discoveries_of_one_source_keep_what_each_left_out() {
    let registry = Registry::new();
    let sources = vec![
        source("s", || Err(ToolError::message("first broke"))),
        source("s", || Err(ToolError::message("second broke"))),
    ];
    registry.discover(sources, Duration::from_secs(60));
    assert_eq!(registry.snapshot().problems().len(), 2);
}

#[test]
fn a_fallback_that_was_not_needed_is_not_among_what_was_registered() {
    let registry = Registry::new();
    registry
        .register(Tool::new("read_resource", "x").handler(|_, _| Ok("own")))
        .unwrap();
    let brings = || {
        let fallback = Tool::new("read_resource", "mcp-s").handler(|_, _| Ok("helper"));
        Ok(Found {
            tools: vec![fallback.fallback()],
            aliases: Vec::new(),
        })
    };
    let discovered = registry.discover(vec![source("s", brings)], Duration::from_secs(60));
    assert!(discovered[0].tools.is_empty());
    assert_eq!(discovered[0].problems.len(), 1);
}

/// TOOL-12: as long as tools are looked for, nobody can say that a toolset does not exist.
#[test]
fn a_registry_says_while_it_is_looking() {
    let registry = Registry::new();
    assert!(!registry.snapshot().is_discovering());
    let looking = registry.clone();
    registry.discover(
        vec![source("s", move || {
            assert!(looking.snapshot().is_discovering());
            Ok(found("s", &["a"]))
        })],
        Duration::from_secs(60),
    );
    assert!(!registry.snapshot().is_discovering());
    assert!(registry.get("a").is_some());
}
