//! The first page of each table and index of a store is damaged, one after the other: what belongs to
//! the full-text index costs nothing, anything else stops writes with an error that says so.

use std::fs;
use std::path::Path;

use hermes_state::{IndexWork, NewMessage, Store};

use crate::index_faults::make_half;
use crate::support::{Home, ask, assert_index_whole, found, messages_of, raw, with_messages};

const PAGE: usize = 4096;
const MESSAGES: usize = 80;

/// What comes in the place of a page.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Zeros,
    Noise,
    /// A sound page of a table of another shape.
    Strange,
}

const DAMAGE: [Damage; 3] = [Damage::Zeros, Damage::Noise, Damage::Strange];

impl Damage {
    fn apply(self, path: &Path, root: usize, strange: usize) {
        let mut bytes = fs::read(path).unwrap();
        let mut noise = 0x2545_f491_4f6c_dd1d_u64;
        let other = bytes[(strange - 1) * PAGE..strange * PAGE].to_vec();
        let page = &mut bytes[(root - 1) * PAGE..root * PAGE];
        match self {
            Damage::Zeros => page.fill(0),
            Damage::Noise => page.fill_with(|| {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                noise as u8
            }),
            Damage::Strange => page.copy_from_slice(&other),
        }
        fs::write(path, bytes).unwrap();
    }
}

/// A closed store in one file, and the tables and indexes in it with their first pages.
struct Sound {
    home: Home,
    roots: Vec<(String, usize)>,
}

impl Sound {
    fn new(half_made: bool) -> Sound {
        let home = Home::new();
        let texts: Vec<String> = (0..MESSAGES)
            .map(|n| format!("wombat {n} 山水画册 {}", format!("word{n} ").repeat(40)))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        drop(with_messages(&home, &texts));
        if half_made {
            make_half(&home.path());
        }
        let conn = raw(&home.path());
        conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
            .unwrap();
        let roots = conn
            .prepare("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 1 ORDER BY name")
            .unwrap()
            .query_map([], |row| {
                Ok((row.get(0)?, usize::try_from(row.get::<_, i64>(1)?).unwrap()))
            })
            .unwrap()
            .collect::<Result<Vec<_>, _>>()
            .unwrap();
        drop(conn);
        Sound { home, roots }
    }

    fn root(&self, of: &str) -> usize {
        self.roots.iter().find(|(name, _)| name == of).unwrap().1
    }

    /// A copy of it with one page damaged.
    fn damaged(&self, root: usize, damage: Damage) -> Home {
        let home = Home::new();
        fs::copy(self.home.path(), home.path()).unwrap();
        damage.apply(&home.path(), root, self.root("state_meta"));
        home
    }
}

fn numbat() -> NewMessage {
    NewMessage::new("s", "user").content("numbat 河马")
}

fn assert_costs_nothing(home: &Home, what: &str) {
    let store = Store::open(home.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
    for n in 0..2 {
        if let Err(error) = store.append_message(&numbat()) {
            panic!("{what}: append {n}: {error}");
        }
    }
    assert_eq!(messages_of(&store, "s").len(), MESSAGES + 2, "{what}");
    assert_eq!(found(&store, "wombat").len(), MESSAGES, "{what}");
    for query in ["numbat", "河马"] {
        assert_eq!(found(&store, query).len(), 2, "{what} {query}");
    }
    store
        .replace_messages("s", &[numbat(), numbat(), numbat()])
        .unwrap_or_else(|e| panic!("{what}: replace: {e}"));
    drop(store);

    let store = Store::open(home.path()).unwrap();
    match store.complete_index(None, &|_| {}) {
        Ok(work) => assert_eq!(work, IndexWork::Done, "{what}"),
        Err(error) => panic!("{what}: complete: {error}"),
    }
    if !crate::health::check(&home.path()).is_clean() {
        // Nothing of what was done has touched the damaged page.
        store
            .rebuild_index(&|_| {})
            .unwrap_or_else(|e| panic!("{what}: rebuild: {e}"));
    }
    assert_eq!(store.index_trouble(), None, "{what}");
    assert_eq!(found(&store, "河马").len(), 3, "{what}");
    // The pages of what was damaged are used by nothing.
    store
        .vacuum()
        .unwrap_or_else(|e| panic!("{what}: vacuum: {e}"));
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn a_damaged_first_page_of_any_table_of_the_index_fails_no_write() {
    let sound = Sound::new(false);
    let mut tables = 0;
    for (name, root) in &sound.roots {
        if !name.starts_with("messages_fts") {
            continue;
        }
        tables += 1;
        for damage in DAMAGE {
            let home = sound.damaged(*root, damage);
            assert_costs_nothing(&home, &format!("{name} {damage:?}"));
        }
    }
    assert_eq!(tables, 10);
}

#[test]
fn a_damaged_first_page_of_any_table_of_a_half_made_index_fails_no_write() {
    let sound = Sound::new(true);
    let mut tables = 0;
    for (name, root) in &sound.roots {
        if !name.starts_with("hermes_reindex") {
            continue;
        }
        tables += 1;
        for damage in [Damage::Zeros, Damage::Strange] {
            let home = sound.damaged(*root, damage);
            assert_costs_nothing(&home, &format!("{name} {damage:?}"));
        }
    }
    assert_eq!(tables, 10);
}

#[test]
fn a_damaged_first_page_of_anything_else_stops_a_write_and_changes_nothing() {
    let definitions =
        "SELECT group_concat(name || rootpage || COALESCE(sql, '')) FROM sqlite_master";
    let sound = Sound::new(false);
    let mut rows = sound.roots.clone();
    rows.retain(|(name, _)| !name.starts_with("messages_fts"));
    rows.push(("sqlite_master".to_owned(), 1));
    for (name, root) in rows {
        for damage in [Damage::Zeros, Damage::Noise] {
            let what = format!("{name} {damage:?}");
            let home = sound.damaged(root, damage);
            let bytes = fs::read(home.path()).unwrap();
            let append = || {
                let store = Store::open(home.path())?;
                store.append_message(&numbat()).map(drop)
            };
            match append() {
                Ok(()) => {
                    // What an append does not touch.
                    assert!(
                        !["messages", "sessions", "sqlite_master"].contains(&name.as_str()),
                        "{what}"
                    );
                    assert_eq!(
                        ask::<i64>(&home.path(), "SELECT COUNT(*) FROM messages NOT INDEXED"),
                        MESSAGES as i64 + 1,
                        "{what}"
                    );
                }
                Err(error) => {
                    let code = error.code();
                    assert!(
                        ["corrupt", "not_a_database"].contains(&code),
                        "{what}: {error}"
                    );
                    assert!(error.to_string().contains("state.db"), "{what}: {error}");
                    assert_eq!(append().unwrap_err().code(), code, "{what}");
                    if root > 1 {
                        assert_eq!(
                            ask::<String>(&home.path(), definitions),
                            ask::<String>(&sound.home.path(), definitions),
                            "{what}"
                        );
                    } else {
                        assert!(fs::read(home.path()).unwrap() == bytes, "{what}");
                    }
                }
            }
        }
    }
}
