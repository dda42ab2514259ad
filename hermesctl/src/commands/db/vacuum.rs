//! `db vacuum`.

use serde_json::json;

use super::{in_use, size};
use crate::cli::{Global, Vacuum};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Vacuum, output: &mut Output) -> Result<(), Failure> {
    let refused = |error| in_use("a vacuum", error);
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        let info = store.info()?;
        store.check_vacuum().map_err(refused)?;
        if output.json() {
            let object =
                json!({"bytes": info.bytes, "free_bytes": info.free_bytes, "dry_run": true});
            return json::object(output, &object);
        }
        output.line(format_args!(
            "would write {} anew; at least {} of it are free; nothing was done",
            size(info.bytes),
            size(info.free_bytes)
        ))?;
        return Ok(());
    }
    let (store, _) = home::store_to_change(global, output)?;
    let progress = Progress::spinner("writing the file anew");
    let done = store.vacuum().map_err(refused);
    drop(progress);
    let done = done?;
    if output.json() {
        return json::object(output, &done);
    }
    output.line(format_args!(
        "{} before, {} after",
        size(done.bytes_before),
        size(done.bytes_after)
    ))?;
    Ok(())
}
