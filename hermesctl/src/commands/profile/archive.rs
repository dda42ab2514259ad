//! `profile export` and `profile import`.

use std::path::{Path, PathBuf};

use hermes_kit::home::{ExportOptions, ImportOptions, LeftOut, LeftOutReason, Profiles};
use serde_json::{Value, json};

use super::{parse, snapshot};
use crate::cli::Profile;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::text::counted;

pub(super) fn run(
    profiles: &Profiles,
    command: &Profile,
    output: &mut Output,
) -> Result<(), Failure> {
    match command {
        Profile::Export {
            name,
            output: file,
            sessions,
            secrets,
            force,
        } => {
            let name = parse(name)?;
            let file = file
                .clone()
                .unwrap_or_else(|| PathBuf::from(format!("{name}.tar.gz")));
            let mut options = ExportOptions::new();
            if *secrets {
                options = options.with_secrets();
            }
            if *force {
                options = options.replacing();
            }
            if *sessions {
                options = options.with_snapshot(snapshot);
            }
            let done = profiles.export(&name, &file, options)?;
            // The live store is never copied as a file; its snapshot is in the archive.
            let is_missing =
                |left: &&LeftOut| !(done.sessions && left.reason == LeftOutReason::Store);
            let left_out: Vec<&LeftOut> = done.left_out.iter().filter(is_missing).collect();
            if output.json() {
                let left_out: Vec<Value> = left_out
                    .iter()
                    .map(|left| json!({"path": left.path.to_string_lossy(), "reason": left.reason.to_string()}))
                    .collect();
                return json::object(
                    output,
                    &json!({
                        "archive": done.path.to_string_lossy(),
                        "files": done.files,
                        "bytes": done.bytes,
                        "sessions": done.sessions,
                        "left_out": left_out,
                    }),
                );
            }
            output.line(format_args!(
                "{} written to {}",
                counted(done.files, "file"),
                done.path.display()
            ))?;
            for left in &left_out {
                output.line(format_args!(
                    "left out {}: {}",
                    left.path.display(),
                    left.reason
                ))?;
            }
            Ok(())
        }
        Profile::Import { file, name } => import(profiles, file, name.as_deref(), output),
        _ => Ok(()),
    }
}

fn import(
    profiles: &Profiles,
    file: &Path,
    name: Option<&str>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut options = ImportOptions::new();
    if let Some(name) = name {
        options = options.with_name(&parse(name)?);
    }
    let done = profiles.import(file, options)?;
    if output.json() {
        return json::object(
            output,
            &json!({
                "profile": {"name": done.name.as_str(), "home": done.home.path().to_string_lossy()},
                "files": done.files,
                "bytes": done.bytes,
            }),
        );
    }
    let home = done.home.display();
    Ok(output.line(format_args!(
        "profile made: {} ({home}), {}",
        done.name,
        counted(done.files, "file")
    ))?)
}
