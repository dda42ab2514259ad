//! What a command costs: hermes-terminal's own benchmark, which knows its limits.

use super::run_bench_of;
use crate::error::Result;
use crate::workspace::Workspace;

pub(super) fn run(ws: &Workspace) -> Result<()> {
    run_bench_of(ws, "hermes-terminal", "terminal")
}
