//! A search box over a table of notes: every query is safe to pass on, and what it means is told.

use hermes_fts::{Plan, sanitize};
use rusqlite::Connection;

const NOTES: [&str; 4] = [
    "docker: the build failed with an error in Dockerfile:12",
    "podman error, don't use --rootless",
    "how to read a kubernetes error",
    "user@host, .env and C:\\temp",
];

fn main() -> rusqlite::Result<()> {
    let db = Connection::open_in_memory()?;
    db.execute_batch("CREATE VIRTUAL TABLE notes USING fts5(text)")?;
    for note in NOTES {
        db.execute("INSERT INTO notes VALUES (?1)", [note])?;
    }
    for typed in [
        "(docker OR podman) error",
        "error AND NOT docker",
        "don't --rootless",
        "user@host .env",
        "text:docker",
        "\"an error",
        "😀 AND (",
    ] {
        let query = sanitize(typed);
        println!("{typed}\n  MATCH {query}");
        // There is no trigram index here, and nothing but words to find.
        if *query.plan() != Plan::Words {
            println!("  {}", query.explain());
            continue;
        }
        let mut found = db.prepare("SELECT text FROM notes WHERE notes MATCH ?1 ORDER BY rank")?;
        let mut rows = found.query([query.as_str()])?;
        while let Some(row) = rows.next()? {
            println!("  - {}", row.get::<_, String>(0)?);
        }
    }
    Ok(())
}
