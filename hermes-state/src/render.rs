//! Sessions for people: Markdown, and HTML in one file.
//!
//! Both are written as they are read, page by page, from the same view of a message. What a message
//! holds is somebody else's text: it can neither break the document around it nor load anything
//! from elsewhere.

mod html;
mod markdown;
mod shown;
mod time;

use std::io::Write;

use crate::error::Result;
use crate::export::{ExportOptions, Exported, output};
use crate::message::{Message, MessagePage};
use crate::session::Session;
use crate::store::Store;
use shown::Shown;

/// A format that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown (CommonMark with tables, and `<details>` for what is folded).
    Markdown,
    /// HTML: one file, for light and dark, without scripts and anything from elsewhere. Images that
    /// the messages hold are in it; those that they only name are not.
    Html,
}

/// Writes one document.
trait Document {
    fn begin(&self, contents: &[Entry]) -> String;
    fn session(&self, session: &Session, number: u64) -> String;
    fn message(&self, message: &Shown) -> String;
    fn end_session(&self) -> String;
    fn end(&self) -> String;
}

/// One line of the table of contents.
struct Entry {
    title: String,
    source: String,
    started: String,
}

impl Entry {
    fn of(session: &Session) -> Entry {
        Entry {
            title: title(session).to_owned(),
            source: session.source.clone(),
            started: time::text(session.started_at),
        }
    }
}

fn title(session: &Session) -> &str {
    match session.title.as_deref() {
        Some(title) if !title.trim().is_empty() => title,
        _ => session.id.as_str(),
    }
}

impl Store {
    /// Writes sessions as one document for people: the transcript as it stands, without messages
    /// that were taken back. `progress` is told after each page of messages what is written.
    ///
    /// # Errors
    /// As [`export`](Self::export).
    pub fn export_document(
        &self,
        format: Format,
        options: &ExportOptions,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(Exported),
    ) -> Result<Exported> {
        let document: &dyn Document = match format {
            Format::Markdown => &markdown::Markdown,
            Format::Html => &html::Html,
        };
        let mut contents = Vec::new();
        self.each_session(options, &mut |session, _| {
            contents.push(Entry::of(session));
            Ok(())
        })?;
        let mut done = Exported::default();
        write(out, &document.begin(&contents))?;
        drop(contents);
        self.each_session(options, &mut |session, _| {
            write(out, &document.session(session, done.sessions + 1))?;
            let mut page = MessagePage::default();
            loop {
                let messages = self.messages(&session.id, page)?;
                let Some(last) = messages.last() else { break };
                page.after = Some(last.id);
                for message in messages.iter().filter(|message| !is_hidden(message)) {
                    write(out, &document.message(&Shown::of(message)))?;
                    done.messages += 1;
                }
                progress(done);
            }
            write(out, &document.end_session())?;
            done.sessions += 1;
            progress(done);
            Ok(())
        })?;
        write(out, &document.end())?;
        Ok(done)
    }
}

/// Newer versions hold messages that are for the model only.
fn is_hidden(message: &Message) -> bool {
    message
        .extra
        .get("display_kind")
        .is_some_and(|kind| kind == "hidden")
}

fn write(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(output)
}

#[cfg(test)]
mod tests;
