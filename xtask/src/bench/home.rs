//! What resolving a home costs: hermes-home's own benchmark, which knows its limits.

use crate::error::Result;
use crate::process::Program;
use crate::workspace::Workspace;

pub(super) fn run(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args([
            "bench",
            "--quiet",
            "--package",
            "hermes-home",
            "--bench",
            "resolve",
        ])
        .run()
}
