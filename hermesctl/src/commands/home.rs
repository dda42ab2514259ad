//! `home`: which home is used, and why.

use serde_json::json;

use crate::cli::Global;
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};

pub(crate) fn run(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let hermes = crate::home::resolve(global, output)?;
    let home = hermes.home();
    let source = hermes.resolution().source;
    if output.json() {
        let warnings: Vec<String> = hermes
            .resolution()
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect();
        return json::object(
            output,
            &json!({
                "home": home.path().to_string_lossy(),
                "source": source.as_str(),
                "root": home.root().to_string_lossy(),
                "profile": home.profile().as_str(),
                "display": home.display(),
                "state_db": home.state_db().to_string_lossy(),
                "warnings": warnings,
            }),
        );
    }
    let there = if home.state_db().exists() {
        ""
    } else {
        " (not there yet)"
    };
    for (name, value) in [
        ("home", home.display()),
        ("chosen by", source.to_string()),
        ("profile", home.profile().to_string()),
        ("root", home.display_path(home.root())),
        ("store", home.display_path(home.state_db()) + there),
    ] {
        let name = output.paint(Tone::Faint, format_args!("{name:<10}"));
        output.line(format_args!("{name}{value}"))?;
    }
    Ok(())
}
