//! What the facade costs: hermes-kit's own benchmark, which knows its limit.

use super::run_bench_of;
use crate::error::Result;
use crate::workspace::Workspace;

pub(super) fn run(ws: &Workspace) -> Result<()> {
    run_bench_of(ws, "hermes-kit", "facade")
}
