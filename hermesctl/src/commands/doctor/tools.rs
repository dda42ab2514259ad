//! Tools that a model is not given, and where commands can run.

use hermes_kit::Hermes;
use hermes_kit::toolkit::Selection;
use serde_json::{Value, json};

use super::finding::{Exam, Finding};

pub(super) fn examine(hermes: &Hermes, exam: &mut Exam) {
    tools(hermes, exam);
    #[cfg(unix)]
    backends(hermes, exam);
}

fn tools(hermes: &Hermes, exam: &mut Exam) {
    const AREA: &str = "tools";
    let definitions = hermes.tool_definitions(&Selection::all());
    let snapshot = hermes.registry().snapshot();
    let absent: Vec<(&str, Value, String)> = snapshot
        .tools()
        .filter_map(|tool| {
            let why = definitions.absence(tool.name())?;
            Some((tool.name(), json!(why), why.to_string()))
        })
        .collect();
    let count = snapshot.tools().count();
    exam.line(AREA, format!("{} of {count} offered", count - absent.len()));
    for (name, _, why) in &absent {
        exam.line("", format!("{name}: {why}"));
    }
    let listed: Vec<Value> = absent
        .iter()
        .map(|(name, why, _)| json!({"name": name, "absence": why}))
        .collect();
    exam.fact(AREA, json!({"registered": count, "absent": listed}));
    for problem in snapshot.problems() {
        exam.find(
            Finding::error("tool_left_out", AREA, problem.to_string())
                .remedy("correct or remove what registers it"),
        );
    }
}

#[cfg(unix)]
fn backends(hermes: &Hermes, exam: &mut Exam) {
    const AREA: &str = "backends";
    let backends = match hermes.backends() {
        Err(error) => {
            exam.line(AREA, "cannot be told: the settings are wrong");
            exam.fact(AREA, Value::Null);
            // What is wrong in config.yaml and .env has been told with its place already.
            let told = matches!(error, hermes_kit::Error::Settings { .. });
            let env = hermes.dot_env(&|name| std::env::var(name).ok());
            if !told && hermes.config().is_ok() && env.is_ok() {
                exam.failed(AREA, error);
            }
            return;
        }
        Ok(backends) => backends,
    };
    for (at, backend) in backends.iter().enumerate() {
        let chosen = if backend.chosen { " (chosen)" } else { "" };
        let state = match &backend.unusable {
            None if backend.name == "ssh" => "usable, if the host answers".to_owned(),
            None => "usable".to_owned(),
            Some(why) => format!("no: {}", why.reason),
        };
        let name = if at == 0 { AREA } else { "" };
        exam.line(name, format!("{}{chosen}: {state}", backend.name));
        if let Some(why) = backend.unusable.as_ref().filter(|_| backend.chosen) {
            let message = format!("commands run in {}, and {}", backend.name, why.reason);
            exam.find(
                Finding::error("backend_unusable", AREA, message).remedy(why.remedy.as_str()),
            );
        }
    }
    let listed: Vec<Value> = backends
        .iter()
        .map(|backend| {
            json!({
                "name": backend.name,
                "chosen": backend.chosen,
                "usable": backend.unusable.is_none(),
                "reason": backend.unusable.as_ref().map(|why| &why.reason),
                "remedy": backend.unusable.as_ref().map(|why| &why.remedy),
            })
        })
        .collect();
    exam.fact(AREA, Value::Array(listed));
}
