//! The programs in `examples/`: outside the workspace, with features and a lock file of their own.

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// A program, what it is given, and the file with what it has to print.
const PROGRAMS: &[(&str, &str, &str)] = &[("file-tools", "calls.json", "results.json")];

pub(crate) fn check(ws: &Workspace) -> Result<()> {
    for (name, given, expected) in PROGRAMS {
        let folder = ws.root.join("examples").join(name);
        // The dependencies are the workspace's; with its profile they are not built once more.
        let printed = Program::cargo(&folder)
            .args(["run", "--quiet", "--locked"])
            .args(["--config", "profile.dev.debug=\"line-tables-only\""])
            .arg("--target-dir")
            .arg(&ws.target_dir)
            .args(["--", given])
            .output()?;
        let printed: Value =
            serde_json::from_slice(&printed).context(|| format!("the output of {name}"))?;
        let expected = folder.join(expected);
        let text = std::fs::read_to_string(&expected)
            .context(|| format!("could not read {}", expected.display()))?;
        let wanted: Value =
            serde_json::from_str(&text).context(|| expected.display().to_string())?;
        if printed != wanted {
            return Err(Error::failed(format!(
                "{name} printed\n{printed:#}\nand not what is in {}",
                expected.display()
            )));
        }
        println!("   {name} prints what is expected");
    }
    Ok(())
}
