//! `sessions export`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use hermes_kit::state::{ExportOptions, Exported, Format as Document, SessionId, Store};
use serde_json::json;

use crate::cli::{Export, Format, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::text::counted;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Export, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_export(global, output)? else {
        return match args.ids.first() {
            Some(id) => Err(Failure::no_session(id)),
            None => Ok(()),
        };
    };
    let ids = super::each_once(&args.ids, |id| super::resolve(&store, id))?;
    let Some(path) = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    else {
        output.stream()?;
        export(&store, args, &ids, output)?;
        return Ok(());
    };
    let target = target(path, args.force, &store)?;
    let done = to_file(&target, args.force, |out| export(&store, args, &ids, out))?;
    if output.json() {
        let object = json!({
            "sessions": done.sessions,
            "messages": done.messages,
            "output": target.to_string_lossy(),
        });
        return json::object(output, &object);
    }
    output.remark(format_args!(
        "{}, {} written to {}",
        counted(done.sessions, "session"),
        counted(done.messages, "message"),
        path.display()
    ));
    Ok(())
}

/// The file to be written: where a link leads, and never what is no file or the store itself.
fn target(path: &Path, replace: bool, store: &Store) -> Result<PathBuf, Failure> {
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(path.to_path_buf());
    };
    let refuse = |problem: &str, hint: &str| {
        Err(Failure::new(
            "output_exists",
            format!("{} {problem}", path.display()),
            hint,
        ))
    };
    if !metadata.is_file() {
        return refuse(
            "is not a file",
            "write to standard output and redirect that",
        );
    }
    if !replace {
        return refuse(
            "exists already",
            "choose another name, or replace it with --force",
        );
    }
    let target = fs::canonicalize(path)?;
    if is_part_of(&target, store.path()) {
        return refuse(
            "is the store itself, or belongs to it",
            "choose another name",
        );
    }
    Ok(target)
}

/// The store, by whatever name, or one of the files that SQLite keeps beside it.
fn is_part_of(path: &Path, store: &Path) -> bool {
    let beside = ["-wal", "-shm", "-journal"].map(|suffix| {
        let mut name = store.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    });
    path == store || beside.iter().any(|file| path == file) || same_file(path, store)
}

#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
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
    } else if args.lineage && args.format != Format::Jsonl {
        options.ids = Some(super::families(store, ids)?);
    } else {
        options.ids = Some(ids.to_vec());
    }
    let format = match args.format {
        Format::Jsonl if args.lineage => return lines_of_lineages(store, ids, out, &mut say),
        Format::Jsonl => return Ok(store.export(&options, out, &mut say)?),
        Format::Markdown => Document::Markdown,
        Format::Html => Document::Html,
    };
    Ok(store.export_document(format, &options, out, &mut say)?)
}

/// A line for each lineage, as the store writes it.
fn lines_of_lineages(
    store: &Store,
    ids: &[SessionId],
    out: &mut dyn Write,
    say: &mut dyn FnMut(Exported),
) -> Result<Exported, Failure> {
    let mut done = Exported::default();
    let mut written: Vec<SessionId> = Vec::new();
    for id in ids.iter() {
        if written.contains(id) {
            continue;
        }
        let family = store.compression_family(id)?;
        done.sessions += store.export_session_lineage(id, out)?;
        for id in &family {
            done.messages += store.message_count(Some(id.as_str()))?;
        }
        written.extend(family);
        say(done);
    }
    Ok(done)
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
