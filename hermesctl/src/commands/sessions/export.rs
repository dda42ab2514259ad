//! `sessions export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use hermes_kit::state::{ExportOptions, Exported, SessionId, Store};

use crate::cli::{Export, Global};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;
use crate::progress::Progress;

pub(crate) fn run(global: &Global, args: &Export, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_export(global, output)? else {
        return match args.ids.first() {
            Some(id) => Err(Failure::no_session(id)),
            None => Ok(()),
        };
    };
    let ids = args
        .ids
        .iter()
        .map(|id| super::resolve(&store, id))
        .collect::<Result<Vec<_>, Failure>>()?;
    match &args.output {
        None => {
            export(&store, args, &ids, output)?;
        }
        Some(path) => {
            let done = to_file(path, args.force, |out| export(&store, args, &ids, out))?;
            output.remark(format_args!(
                "{} sessions, {} messages written to {}",
                done.sessions,
                done.messages,
                path.display()
            ));
        }
    }
    Ok(())
}

fn export(
    store: &Store,
    args: &Export,
    ids: &[SessionId],
    out: &mut dyn Write,
) -> Result<Exported, Failure> {
    let progress = Progress::spinner("exporting");
    let mut say = |done: Exported| {
        progress.say(format!(
            "exporting: {} sessions, {} messages",
            done.sessions, done.messages
        ));
    };
    let mut options = ExportOptions::default();
    if ids.is_empty() {
        options.sources.clone_from(&args.sources);
    } else {
        options.ids = Some(ids.to_vec());
    }
    Ok(store.export(&options, out, &mut say)?)
}

/// Writes a file as a whole: it appears under its name when it is complete, or not at all.
fn to_file<T>(
    path: &Path,
    replace: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let failed = |problem: String| {
        Failure::new(
            "output",
            problem,
            "check the folder, its permissions and its free space",
        )
    };
    if path.exists() && !replace {
        return Err(Failure::new(
            "output_exists",
            format!("{} exists already", path.display()),
            "choose another name, or replace it with --force",
        ));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let shown = path.display();
    let mut file = tempfile::NamedTempFile::new_in(folder)
        .map_err(|e| failed(format!("{shown} cannot be created: {e}")))?;
    let done = {
        let mut out = BufWriter::new(file.as_file_mut());
        let done = write(&mut out)?;
        out.flush()?;
        done
    };
    file.as_file().sync_all()?;
    let placed: Result<File, _> = if replace {
        file.persist(path)
    } else {
        file.persist_noclobber(path)
    };
    placed.map_err(|e| failed(format!("{shown} cannot be written: {}", e.error)))?;
    Ok(done)
}
