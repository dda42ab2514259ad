//! What a model gets, whatever handlers, hooks and gates do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_tools::{
    AgentLoop, Arguments, CallContext, Content, Decision, Dispatcher, Handler, HandlerResult,
    Multimodal, Output, ResultLimit, Status, Tool, ToolError, ToolResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::later::{Never, later};
use crate::support::{error_of, registry, tools, wait_for_the_flag};

fn dispatch(tools: &Dispatcher, name: &str) -> ToolResult {
    tools.handle_function_call(name, json!({}), &CallContext::new())
}

fn object(result: &ToolResult) -> Value {
    serde_json::from_str(&result.to_string()).unwrap()
}

// TOOL-27
#[test]
fn a_handler_that_gives_neither_text_nor_an_envelope_is_reported_with_the_type() {
    let outputs: [(&str, Output); 9] = [
        ("object", json!({"a": 1}).into()),
        ("object", json!({"_multimodal": true}).into()),
        (
            "object",
            json!({"_multimodal": true, "content": "text"}).into(),
        ),
        ("object", json!({"_multimodal": 1, "content": []}).into()),
        ("null", Value::Null.into()),
        ("number", json!(5).into()),
        ("array", json!([1]).into()),
        ("boolean", json!(true).into()),
        ("bytes", b"abc".to_vec().into()),
    ];
    for (result_type, output) in outputs {
        let later_output = output.clone();
        let tools = tools([
            Tool::new("plain", "s").handler(move |_, _| Ok(output.clone())),
            Tool::new("async", "s").async_handler(move |_, _| {
                let output = later_output.clone();
                async move {
                    later(Duration::from_millis(1)).await;
                    Ok(output)
                }
            }),
        ]);
        for name in ["plain", "async"] {
            let result = dispatch(&tools, name);
            assert_eq!(result.status(), Status::BadResult);
            let object = object(&result);
            assert_eq!(object["error_type"], "tool_result_contract");
            assert_eq!(object["tool"], name);
            assert_eq!(object["result_type"], result_type);
            assert!(object["error"].is_string());
        }
    }
}

// TOOL-27
#[test]
fn a_string_passes_as_it_is_and_so_does_an_envelope() {
    let envelope = json!({"_multimodal": true, "content": [{"type": "image"}, 7], "extra": null});
    let given = envelope.clone();
    let tools = tools([
        Tool::new("text", "s").handler(|_, _| Ok("not json \0 ü")),
        Tool::new("value", "s").handler(|_, _| Ok(json!("\"quoted\""))),
        Tool::new("envelope", "s").handler(move |_, _| Ok(given.clone())),
    ]);
    assert_eq!(dispatch(&tools, "text").into_text(), "not json \0 ü");
    assert_eq!(dispatch(&tools, "value").into_text(), "\"quoted\"");
    let result = dispatch(&tools, "envelope");
    let Content::Multimodal(parts) = result.content() else {
        panic!("{result}");
    };
    assert_eq!(parts.to_value(), envelope);
    assert_eq!(object(&result), envelope);
}

// TOOL-28
#[test]
fn the_texts_of_an_envelope_count_together_and_its_image_stays() {
    let text = "é".repeat(90_000);
    let image = json!({"type": "image_url", "image_url": {"url": "x".repeat(200_000)}});
    let parts = vec![
        json!({"type": "text", "text": text}),
        image.clone(),
        json!({"type": "text", "text": text}),
        json!(text),
    ];
    let tools =
        tools([Tool::new("t", "s").handler(move |_, _| Ok(Multimodal::new(parts.clone())))]);
    let result = dispatch(&tools, "t");
    let Content::Multimodal(parts) = result.content() else {
        panic!("{result}");
    };
    let parts = parts.parts();
    assert_eq!(parts[0]["text"], text);
    assert_eq!(parts[1], image);
    let cut = format!(
        "{}\n[80000 of 90000 characters left out]",
        "é".repeat(10_000)
    );
    assert_eq!(parts[2]["text"], cut);
    assert_eq!(parts[3], "\n[90000 of 90000 characters left out]");
}

// TOOL-30
#[test]
fn a_result_of_2_000_characters_is_given_as_it_is() {
    let text = "x".repeat(2_000);
    let given = text.clone();
    let tools = tools([Tool::new("t", "s").handler(move |_, _| Ok(given.clone()))]);
    assert_eq!(dispatch(&tools, "t").into_text(), text);
}

// TOOL-31
#[test]
fn a_cap_is_honoured_and_one_that_makes_no_sense_is_the_default_with_a_warning() {
    let long = "ä".repeat(100_001);
    let default = format!("{}\n[1 of 100001 characters left out]", "ä".repeat(100_000));
    for (config, expected, warns) in [
        (
            json!(5),
            "äääää\n[99996 of 100001 characters left out]",
            false,
        ),
        (json!("unlimited"), long.as_str(), false),
        (json!(-1), default.as_str(), true),
        (json!("abc"), default.as_str(), true),
    ] {
        let (limit, warning) = ResultLimit::from_config(&config);
        assert_eq!(warning.is_some(), warns, "{config}");
        let given = long.clone();
        let tool = Tool::new("t", "s")
            .max_result(limit)
            .handler(move |_, _| Ok(given.clone()));
        assert!(
            dispatch(&tools([tool]), "t").into_text() == expected,
            "{config}"
        );
    }
}

// TOOL-42
#[test]
fn a_tool_that_nobody_knows_is_named_with_those_that_were_perhaps_meant() {
    let tools = tools([
        Tool::new("terminal", "s")
            .description("Runs a shell command.")
            .handler(|_, _| Ok("")),
        Tool::new("read_file", "s")
            .description("Reads a file.")
            .handler(|_, _| Ok("")),
    ]);
    let result = dispatch(&tools, "shell");
    assert_eq!(
        object(&result),
        json!({"error": "Unknown tool: shell", "did_you_mean": ["terminal"]})
    );
    let slip = object(&dispatch(&tools, "read_fil"));
    assert_eq!(slip["did_you_mean"], json!(["read_file"]));
    for name in ["zzz", "", "null"] {
        let expected = json!({"error": format!("Unknown tool: {name}")});
        assert_eq!(object(&dispatch(&tools, name)), expected);
    }
    let long = dispatch(&tools, &"shell ".repeat(1_700));
    assert_eq!(long.status(), Status::UnknownTool);
    assert!(long.to_string().len() < 500, "{long}");
}

// TOOL-43
#[test]
fn a_tool_called_through_a_wrapper_passes_the_same_hooks_as_one_called_directly() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (before, after) = (Arc::clone(&seen), Arc::clone(&seen));
    let slot = Arc::new(Mutex::new(None::<Dispatcher>));
    let inner = Arc::clone(&slot);
    let registry = registry([
        Tool::new("deferred", "s").handler(|arguments, _| Ok(arguments["n"].to_string())),
        Tool::new("wrapper", "s").handler(move |mut arguments, context| {
            let tools = inner.lock().unwrap().clone().unwrap();
            let name = arguments["name"].as_str().unwrap().to_owned();
            let arguments = arguments.remove("arguments").unwrap();
            Ok(tools
                .handle_function_call(&name, arguments, context)
                .into_text())
        }),
    ]);
    let tools = Dispatcher::builder(registry)
        .gate(move |call| {
            before.lock().unwrap().push(format!("before {}", call.name));
            Ok(match call.arguments.get("n") {
                Some(n) if *n == json!(13) => Decision::Block("13 is refused".to_owned()),
                _ => Decision::Allow,
            })
        })
        .post_hook(move |call, _| {
            after.lock().unwrap().push(format!("after {}", call.name));
            Ok(())
        })
        .build();
    *slot.lock().unwrap() = Some(tools.clone());
    let context = CallContext::new();
    for (n, expected) in [(1, "1"), (13, r#"{"error": "13 is refused"}"#)] {
        let direct = tools.handle_function_call("deferred", json!({"n": n}), &context);
        assert_eq!(direct.into_text(), expected);
        assert_eq!(
            std::mem::take(&mut *seen.lock().unwrap()),
            ["before deferred", "after deferred"]
        );
        let arguments = json!({"name": "deferred", "arguments": {"n": n}});
        let wrapped = tools.handle_function_call("wrapper", arguments, &context);
        assert_eq!(wrapped.into_text(), expected);
        assert_eq!(
            std::mem::take(&mut *seen.lock().unwrap()),
            [
                "before wrapper",
                "before deferred",
                "after deferred",
                "after wrapper"
            ]
        );
    }
    *slot.lock().unwrap() = None;
}

#[test]
fn a_gate_that_fails_blocks_and_a_hook_that_fails_does_not() {
    type Hook = fn() -> Result<Decision, ToolError>;
    let failing: [(&str, Hook); 3] = [
        ("fails", || Err(ToolError::message("broken"))),
        ("panics", || panic!("broken")),
        ("panics oddly", || std::panic::panic_any(7)),
    ];
    for (how, hook) in failing {
        let ran = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&ran);
        let registry = registry([Tool::new("t", "s").handler(move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok("ran")
        })]);
        let gated = Dispatcher::builder(registry.clone())
            .gate(move |_| hook())
            .build();
        let result = dispatch(&gated, "t");
        assert_eq!(result.status(), Status::Blocked, "{how}");
        assert!(error_of(&result).starts_with("Blocked: "), "{how}");
        assert_eq!(ran.load(Ordering::SeqCst), 0, "{how}");
        let hooked = Dispatcher::builder(registry)
            .pre_hook(move |_| hook())
            .build();
        assert_eq!(dispatch(&hooked, "t").into_text(), "ran", "{how}");
    }
}

#[test]
fn observers_and_transforms_that_fail_change_nothing_and_the_first_text_wins() {
    let registry = registry([Tool::new("t", "s").handler(|_, _| Ok("handler's"))]);
    let broken = || {
        Dispatcher::builder(registry.clone())
            .post_hook(|_, _| panic!("broken"))
            .post_hook(|_, _| Err(ToolError::message("broken")))
            .transform(|_, _| panic!("broken"))
            .transform(|_, _| Err(ToolError::message("broken")))
            .transform(|_, _| Ok(None))
    };
    assert_eq!(dispatch(&broken().build(), "t").into_text(), "handler's");
    let changed = broken()
        .transform(|_, outcome| Ok(Some(format!("{} changed", outcome.result))))
        .transform(|_, _| Ok(Some("too late".to_owned())))
        .build();
    assert_eq!(dispatch(&changed, "t").into_text(), "handler's changed");
}

#[test]
fn observers_see_the_arguments_of_a_blocked_call_and_no_transform_hides_the_refusal() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let registry = registry([Tool::new("t", "s").handler(|_, _| Ok(""))]);
    let tools = Dispatcher::builder(registry)
        .gate(|_| Ok(Decision::Block("no".to_owned())))
        .post_hook(move |call, outcome| {
            let arguments = Value::Object(call.arguments.clone());
            noted.lock().unwrap().push((arguments, outcome.status));
            Ok(())
        })
        .transform(|_, _| Ok(Some("all is well".to_owned())))
        .build();
    let result = tools.handle_function_call("t", json!({"n": 1}), &CallContext::new());
    assert_eq!(error_of(&result), "no");
    assert_eq!(*seen.lock().unwrap(), [(json!({"n": 1}), Status::Blocked)]);
}

#[test]
fn an_agent_loop_that_panics_gives_an_error() {
    struct Broken {
        at_has: bool,
    }
    impl AgentLoop for Broken {
        fn has(&self, _name: &str) -> bool {
            assert!(!self.at_has, "broken loop");
            true
        }
        fn handle(&self, _: &str, _: Arguments, _: &CallContext) -> HandlerResult {
            panic!("broken loop")
        }
    }
    for (at_has, status) in [(true, Status::Error), (false, Status::Failed)] {
        let registry = registry([Tool::new("todo", "s").agent_loop()]);
        let tools = Dispatcher::builder(registry)
            .agent_loop(Broken { at_has })
            .build();
        let result = dispatch(&tools, "todo");
        assert_eq!(result.status(), status);
        assert!(error_of(&result).ends_with("broken loop"), "{result}");
    }
}

/// What a handler may do.
#[derive(Debug, Clone)]
enum Behaviour {
    Gives(Value),
    GivesBytes(Vec<u8>),
    GivesLong(char, usize),
    Fails(String, String),
    PanicsStr,
    PanicsString(String),
    PanicsOddly,
    Hangs,
}

impl Behaviour {
    fn act(&self, context: &CallContext) -> HandlerResult {
        match self {
            Behaviour::Gives(value) => Ok(value.clone().into()),
            Behaviour::GivesBytes(bytes) => Ok(bytes.clone().into()),
            Behaviour::GivesLong(c, times) => Ok(c.to_string().repeat(*times).into()),
            Behaviour::Fails(kind, message) => Err(ToolError::new(kind, message)),
            Behaviour::PanicsStr => panic!("a text"),
            Behaviour::PanicsString(text) => panic!("{text}"),
            Behaviour::PanicsOddly => std::panic::panic_any(vec![1, 2]),
            Behaviour::Hangs => {
                wait_for_the_flag(context);
                Ok("late".into())
            }
        }
    }

    fn plain(self) -> Handler {
        Handler::Plain(Arc::new(move |_, context| self.act(context)))
    }

    fn asynchronous(self) -> Handler {
        Handler::Async(Arc::new(move |_, context| {
            let this = self.clone();
            Box::pin(async move {
                if let Behaviour::Hangs = this {
                    Never(Arc::default()).await;
                }
                this.act(&context)
            })
        }))
    }

    /// The text that the handler gave for the model, if it did.
    fn own_text(&self) -> Option<String> {
        match self {
            Behaviour::Gives(Value::String(text)) => Some(text.clone()),
            Behaviour::GivesLong(c, times) => Some(c.to_string().repeat(*times)),
            _ => None,
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!({"_multimodal": true})),
        Just(json!({"_multimodal": true, "content": [{"text": "x"}, null, "y"]})),
        Just(json!({"_multimodal": true, "content": {}})),
        Just(json!("\0\u{ffff}<system>```")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("_multimodal|content|[a-z\0]{1,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        6 => any_value().prop_map(Behaviour::Gives),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(Behaviour::GivesBytes),
        1 => (any::<char>(), 99_990_usize..100_100).prop_map(|(c, n)| Behaviour::GivesLong(c, n)),
        2 => (".{0,9}", ".{0,3000}").prop_map(|(kind, text)| Behaviour::Fails(kind, text)),
        1 => Just(Behaviour::PanicsStr),
        1 => ".{0,3000}".prop_map(Behaviour::PanicsString),
        1 => Just(Behaviour::PanicsOddly),
        1 => Just(Behaviour::Hangs),
    ]
}

/// The text is JSON, or the handler's own, or its beginning and a note.
fn is_fit_for_a_model(result: &ToolResult, own: Option<&str>) -> Result<(), TestCaseError> {
    let text = result.to_string();
    if let Some(own) = own
        && result.is_ok()
    {
        if text == own {
            return Ok(());
        }
        let kept: String = own.chars().take(100_000).collect();
        let total = own.chars().count();
        let note = format!("\n[{} of {total} characters left out]", total - 100_000);
        prop_assert!(text == kept + &note);
        return Ok(());
    }
    let parsed: Result<Value, _> = serde_json::from_str(&text);
    prop_assert!(parsed.is_ok(), "{}", text);
    if !result.is_ok() {
        let error = parsed.unwrap()["error"]
            .as_str()
            .map(|text| text.chars().count());
        prop_assert!(error.is_some_and(|chars| chars <= 2_001), "{}", text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn whatever_a_handler_does_a_model_gets_json_or_the_handlers_own_text(
        behaviour in any_behaviour(),
        limited: bool,
        arguments in any_value(),
        hooks_panic: bool,
    ) {
        let hangs = matches!(behaviour, Behaviour::Hangs);
        let mut plain = Tool::new("plain", "s").erased_handler(behaviour.clone().plain());
        let mut asynchronous =
            Tool::new("async", "s").erased_handler(behaviour.clone().asynchronous());
        if limited || hangs {
            let limit = Duration::from_millis(if hangs { 20 } else { 60_000 });
            plain = plain.timeout(limit);
            asynchronous = asynchronous.timeout(limit);
        }
        let mut builder = Dispatcher::builder(registry([plain, asynchronous]));
        if hooks_panic {
            builder = builder
                .pre_hook(|_| panic!("pre"))
                .post_hook(|_, _| panic!("post"))
                .transform(|_, _| panic!("transform"));
        }
        let tools = builder.build();
        let own = behaviour.own_text();
        for name in ["plain", "async"] {
            let context = CallContext::new();
            let result = tools.handle_function_call(name, json!({}), &context);
            is_fit_for_a_model(&result, own.as_deref())?;
            let expected = match &behaviour {
                Behaviour::Hangs => Some(Status::TimedOut),
                Behaviour::Fails(..)
                | Behaviour::PanicsStr
                | Behaviour::PanicsString(_)
                | Behaviour::PanicsOddly => Some(Status::Failed),
                Behaviour::GivesBytes(_) => Some(Status::BadResult),
                _ => own.is_some().then_some(Status::Ok),
            };
            prop_assert!(expected.is_none_or(|status| status == result.status()), "{}", result);
            let odd = tools.handle_function_call(name, arguments.clone(), &context);
            is_fit_for_a_model(&odd, own.as_deref())?;
            #[cfg(feature = "tokio")]
            {
                let call = tools.handle_function_call_async(name, json!({}), &context);
                let awaited = crate::support::later::block_on(call);
                prop_assert_eq!(awaited.status(), result.status());
                prop_assert_eq!(awaited.content(), result.content());
            }
        }
    }

    #[test]
    fn any_name_and_any_arguments_give_json(name in ".{0,300}", arguments in any_value()) {
        let tools = tools([Tool::new("t", "s").handler(|_, _| Ok("\"ok\""))]);
        for name in [name.as_str(), "t"] {
            let result = tools.handle_function_call(name, arguments.clone(), &CallContext::new());
            is_fit_for_a_model(&result, None)?;
        }
    }
}

#[test]
fn a_registry_refuses_what_its_dispatcher_would_refuse() {
    let registry = registry([
        Tool::new("given", "s").handler(|_, _| Ok("ran")),
        Tool::new("kept", "s").handler(|_, _| Ok("ran")),
        Tool::new("todo", "s").agent_loop(),
        Tool::new("memory", "s").agent_loop(),
    ]);
    let tools = Dispatcher::new(registry.clone());
    let given = CallContext::new().with_enabled_tools(["given", "todo", "nobody"]);
    for (name, context, status) in [
        ("given", &given, Status::Ok),
        ("kept", &given, Status::NotEnabled),
        ("kept", &CallContext::new(), Status::Ok),
        ("todo", &given, Status::NoAgentLoop),
        ("memory", &given, Status::NotEnabled),
        ("nobody", &given, Status::UnknownTool),
    ] {
        let expected = tools.handle_function_call(name, json!({}), context);
        assert_eq!(expected.status(), status, "{name}");
        let direct = registry.dispatch(name, Arguments::new(), context);
        assert_eq!(direct.status(), status, "{name}");
        assert_eq!(direct.content(), expected.content(), "{name}");
        #[cfg(feature = "tokio")]
        {
            use crate::support::later::block_on;
            let direct = block_on(registry.dispatch_async(name, Arguments::new(), context));
            assert_eq!(direct.status(), status, "{name}");
            let call = tools.handle_function_call_async(name, json!({}), context);
            assert_eq!(block_on(call).content(), direct.content(), "{name}");
        }
    }
}
