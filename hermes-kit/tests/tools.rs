//! The tools of the facade: what handlers have of the caller.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use std::time::Duration;

use hermes_kit::Hermes;
use hermes_kit::home::{Environment, HermesHome, Platform, resolve};
use hermes_kit::toolkit::{CallContext, Registry, Tool, ToolError};
use serde_json::json;

fn home_of(folder: &std::path::Path, name: &str) -> HermesHome {
    let home = folder.join(name);
    std::fs::create_dir_all(&home).unwrap();
    let environment = Environment::new(Platform::host())
        .with_user_home(folder)
        .with_hermes_home(home);
    resolve(&environment).unwrap().home
}

#[test]
fn handlers_have_the_callers_home_wherever_they_run() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (home_of(folder.path(), "one"), home_of(folder.path(), "two"));
    let registry = Registry::new();
    let environment = Environment::new(Platform::host()).with_user_home(folder.path());
    let current = environment.clone();
    let seen = move || -> Result<String, ToolError> {
        Ok(resolve(&current)?
            .home
            .path()
            .to_string_lossy()
            .into_owned())
    };
    // With a limit a handler runs on a thread of its own; an async one wherever it is polled.
    let handler = seen.clone();
    registry
        .register(
            Tool::new("aside", "t")
                .timeout(Duration::from_secs(60))
                .handler(move |_, _| handler()),
        )
        .unwrap();
    registry
        .register(Tool::new("later", "t").async_handler(move |_, _| {
            let seen = seen.clone();
            async move { seen() }
        }))
        .unwrap();
    let hermes = Hermes::builder()
        .environment(environment)
        .registry(registry)
        .open()
        .unwrap();
    let tools = hermes.dispatcher();
    for home in [&one, &two] {
        let _scope = home.enter();
        for name in ["aside", "later"] {
            let result = tools.handle_function_call(name, json!({}), &CallContext::new());
            assert_eq!(result.into_text(), home.path().to_string_lossy(), "{name}");
        }
    }
}
