//! How long `hermesctl` takes from start to end, and how large it is.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::Times;
use crate::error::{Context, Result};
use crate::process::Program;
use crate::workspace::Workspace;

const WARM_UP: usize = 10;
const RUNS: usize = 300;

pub(crate) fn run(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["build", "--quiet", "--release", "--package", "hermesctl"])
        .run()?;
    let binary = ws.binary("release", "hermesctl");
    let store = testdata::fixture("v11.db");
    let list = [
        "--db".as_ref(),
        store.path().as_os_str(),
        "sessions".as_ref(),
        "list".as_ref(),
    ];
    let size = fs::metadata(&binary).context(|| format!("looking at {}", binary.display()))?;
    println!(
        "   sessions list on v11.db   {}",
        timed(ws, &binary, &list)?.shown()
    );
    println!(
        "   --help                    {}",
        timed(ws, &binary, &["--help".as_ref()])?.shown()
    );
    println!(
        "   binary                    {:.2} MB, stripped (profile release)",
        bytes_to_mb(size.len())
    );
    Ok(())
}

fn timed(ws: &Workspace, binary: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Times> {
    let once = || Program::new(binary, &ws.root).args(arguments).output();
    for _ in 0..WARM_UP {
        once()?;
    }
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        once()?;
        times.push(start.elapsed());
    }
    Ok(Times::new(times))
}

fn bytes_to_mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
