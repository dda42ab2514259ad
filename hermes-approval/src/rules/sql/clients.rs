//! Programs that run SQL, and where they take it from.

use std::borrow::Cow;

use super::statements::Dangers;
use crate::grammar::{self, Grammar, Opt, OptValue, Options, Order, Style};
use crate::invocation::{InvocationId, Stdin};
use crate::look::Look;
use crate::word::{PartKind, Word};

/// Where a client takes its SQL from, besides its input.
struct Client {
    names: &'static [&'static str],
    /// Words in front of which there is no SQL: `query` of `bq query`.
    verb: &'static str,
    /// Letters and names of options whose value is SQL.
    letters: &'static str,
    longs: &'static [&'static str],
    /// Operands from this one on are SQL.
    from: Option<usize>,
    /// Letters and names of all options with a value, where the table of grammars lacks the tool.
    values: &'static str,
    long_values: &'static [&'static str],
    style: Style,
}

const fn client(
    names: &'static [&'static str],
    letters: &'static str,
    longs: &'static [&'static str],
) -> Client {
    Client {
        names,
        verb: "",
        letters,
        longs,
        from: None,
        values: letters,
        long_values: longs,
        style: Style::Gnu,
    }
}

/// All names in the table.
#[rustfmt::skip]
pub(super) const CLIENTS: &[&str] = &[
    "aws", "beeline", "bq", "clickhouse", "clickhouse-client", "clickhouse-local", "cockroach", "cqlsh",
    "cypher-shell", "db2", "dolt", "duckdb", "edgedb", "gcloud", "gel", "heroku", "hive", "impala-shell",
    "influx", "isql", "litecli", "mariadb", "mclient", "mssql-cli", "mycli", "mysql", "nzsql", "pgcli",
    "presto", "pscale", "psql", "snow", "snowsql", "spark-sql", "sqlcmd", "sqlite-utils", "sqlite3",
    "sqlplus", "surreal", "trino", "tsql", "turso", "usql", "vsql", "wrangler", "ycqlsh", "ysqlsh",
];

static TABLE: &[Client] = &[
    client(&["psql"], "c", &["command"]),
    Client {
        values: "chpUdf",
        ..client(&["pgcli", "usql", "vsql", "ysqlsh"], "c", &["command"])
    },
    client(&["mysql", "mariadb"], "e", &["execute"]),
    Client {
        values: "ehPuSDp",
        ..client(&["mycli", "litecli"], "e", &["execute"])
    },
    Client {
        from: Some(1),
        style: Style::Single,
        long_values: &[
            "c",
            "s",
            "cmd",
            "init",
            "separator",
            "newline",
            "nullvalue",
            "f",
        ],
        ..client(&["sqlite3", "duckdb"], "", &["c", "s", "cmd"])
    },
    Client {
        values: "qhudc",
        long_values: &[
            "query", "host", "port", "user", "password", "database", "format",
        ],
        ..client(
            &["clickhouse", "clickhouse-client", "clickhouse-local"],
            "q",
            &["query"],
        )
    },
    Client {
        values: "eupkf",
        ..client(&["cqlsh"], "e", &["execute"])
    },
    Client {
        values: "QqSdUPiol",
        ..client(&["sqlcmd", "mssql-cli"], "Qq", &["query"])
    },
    Client {
        values: "qfacdrsuwo",
        ..client(&["snowsql", "snow"], "q", &["query"])
    },
    Client {
        long_values: &["execute", "server", "catalog", "schema", "user", "file"],
        ..client(&["trino", "presto"], "", &["execute"])
    },
    Client {
        values: "equnpifd",
        ..client(
            &["beeline", "hive", "spark-sql", "impala-shell"],
            "eq",
            &["query"],
        )
    },
    Client {
        values: "eudhp",
        long_values: &[
            "execute",
            "url",
            "host",
            "database",
            "user",
            "certs-dir",
            "query",
        ],
        ..client(&["cockroach", "dolt"], "eq", &["execute", "query"])
    },
    Client {
        verb: "query",
        from: Some(1),
        long_values: &["project_id", "location", "format", "dataset_id", "max_rows"],
        ..client(&["bq"], "", &[])
    },
    Client {
        verb: "db",
        from: Some(3),
        ..client(&["turso"], "", &[])
    },
    Client {
        from: Some(0),
        values: "upad",
        long_values: &["username", "password", "address", "database", "format"],
        ..client(&["cypher-shell"], "", &[])
    },
    Client {
        from: Some(0),
        ..client(&["db2"], "", &[])
    },
    Client {
        values: "cae",
        ..client(&["wrangler", "heroku"], "c", &["command"])
    },
    client(&["gcloud", "aws"], "", &["sql", "ddl", "query-string"]),
    client(&["isql", "tsql", "sqlplus", "surreal"], "", &[]),
    Client {
        values: "cdhpu",
        ..client(&["nzsql"], "c", &["command"])
    },
    Client {
        values: "eupkf",
        ..client(&["ycqlsh"], "e", &["execute"])
    },
    Client {
        values: "sdhpu",
        ..client(&["mclient"], "s", &["statement"])
    },
    Client {
        style: Style::Single,
        long_values: &[
            "execute",
            "database",
            "host",
            "port",
            "username",
            "password",
            "format",
            "precision",
        ],
        ..client(&["influx"], "", &["execute"])
    },
    Client {
        verb: "query",
        from: Some(1),
        ..client(&["edgedb", "gel"], "", &[])
    },
    Client {
        from: Some(1),
        ..client(&["sqlite-utils"], "", &[])
    },
    client(&["pscale"], "", &[]),
];

/// What the SQL does that a client gets; none if it gets none.
pub(super) fn dangers(look: &Look<'_>) -> Option<Dangers> {
    let client = TABLE.iter().find(|c| c.names.contains(&look.name))?;
    let options = read(look, client);
    if !client.verb.is_empty() && options.operands.first()?.known() != Some(client.verb) {
        return None;
    }
    // `bq query --dry_run` only says what it would cost.
    if look.name == "bq"
        && options
            .options
            .iter()
            .any(|o| matches!(o.name, "dry_run" | "dry-run"))
    {
        return None;
    }
    let mut all = Dangers::default();
    let mut note = |sql: &str| {
        let found = Dangers::of(sql);
        all = Dangers {
            drop: all.drop | found.drop,
            drop_object: all.drop_object | found.drop_object,
            delete: all.delete | found.delete,
            truncate: all.truncate | found.truncate,
            update: all.update | found.update,
            grant: all.grant | found.grant,
            program: all.program | found.program,
            server: all.server | found.server,
        };
    };
    for option in options.options.iter().filter(|o| carries(client, o)) {
        match option.value {
            Some(OptValue::Word(word)) => note(&text(word)),
            Some(OptValue::Attached(attached)) => {
                let whole = look.words().get(option.word).map(text);
                // Of `-c"drop $x"` the whole word, so that nothing behind the variable is lost.
                match whole
                    .as_deref()
                    .and_then(|w| w.find(attached).and_then(|at| w.get(at..)))
                {
                    Some(all) => note(all),
                    None => note(attached),
                }
            }
            None => {}
        }
    }
    if let Some(from) = client.from {
        // A database in memory is gone afterwards anyhow.
        if options.operands.first().and_then(|w| w.known()) == Some(":memory:") {
            return None;
        }
        for word in options.operands.iter().skip(from) {
            note(&text(word));
        }
    }
    for input in inputs(look) {
        note(&input);
    }
    (all != Dangers::default()).then_some(all)
}

/// The texts that a client is fed with, as far as they are known.
pub(super) fn inputs<'a>(look: &Look<'a>) -> Vec<Cow<'a, str>> {
    match &look.invocation.stdin {
        Stdin::HereDocument { body, .. } => vec![text(body)],
        Stdin::HereString(word) => vec![text(word)],
        Stdin::Pipe(ids) if is_near(look, ids) => {
            ids.iter().filter_map(|id| printed(look, *id)).collect()
        }
        _ => Vec::new(),
    }
}

/// A long pipe into many clients isn't read anew for each of them.
const MAX_DISTANCE: usize = 64;

/// True for the first programs that a pipe leads to.
fn is_near(look: &Look<'_>, from: &[InvocationId]) -> bool {
    let last = from.iter().max().map_or(0, |id| id.0);
    look.invocation.id.0.saturating_sub(last) <= MAX_DISTANCE
}

/// What an invocation prints; of `echo` and `printf` at least their words.
fn printed<'a>(look: &Look<'a>, id: InvocationId) -> Option<Cow<'a, str>> {
    let analysis = look.scope.analysis;
    let invocation = analysis.invocation(id)?;
    let name = invocation.name()?;
    let words = invocation.arguments();
    if matches!(name, "pg_dump" | "pg_dumpall") {
        let cleans = words
            .iter()
            .any(|w| matches!(w.known(), Some("-c" | "--clean" | "-cC")));
        return cleans.then_some(Cow::Borrowed("drop table all_of_them"));
    }
    if CLIENTS.contains(&name) {
        return generated(words);
    }
    if !matches!(name, "echo" | "printf") {
        return None;
    }
    let words: Vec<_> = invocation.arguments().iter().map(text).collect();
    Some(Cow::Owned(words.join(" ")))
}

/// What a client prints that makes statements from rows: `select 'drop table ' || name || ';'`.
fn generated<'a>(words: &[Word]) -> Option<Cow<'a, str>> {
    let mut all = String::new();
    for word in words.iter().take(MAX_DISTANCE) {
        let sql = text(word);
        if !sql.contains("||") && !sql.to_ascii_lowercase().contains("concat") {
            continue;
        }
        // What stands between quotes, each a statement of its own.
        for literal in sql.split('\'').skip(1).step_by(2) {
            all.push_str(literal);
            all.push_str(" x;\n");
        }
    }
    (!all.is_empty()).then_some(Cow::Owned(all))
}

fn read<'a>(look: &Look<'a>, client: &Client) -> Options<'a> {
    let own = Grammar {
        tool: "sql",
        short_values: client.values,
        short_attached: "",
        long_values: client.long_values,
        style: client.style,
    };
    let grammar = match look.name {
        "psql" | "mysql" | "mariadb" => grammar::grammar(look.name).unwrap_or(&own),
        _ => &own,
    };
    grammar::read(look.words(), grammar, Order::Anywhere)
}

fn carries(client: &Client, option: &Opt<'_>) -> bool {
    if option.long {
        return client
            .longs
            .iter()
            .any(|name| option.is_long(name) || option.name == *name);
    }
    client.letters.chars().any(|letter| option.is_short(letter))
}

/// The value of a word as SQL; a piece that isn't known stands for some name.
fn text(word: &Word) -> Cow<'_, str> {
    if word.known().is_some() || word.parts().is_empty() {
        return Cow::Borrowed(word.text());
    }
    let pieces = word.parts().iter().map(|part| match part.kind {
        PartKind::Unknown(_) => "unknown",
        _ => word.part_text(part),
    });
    Cow::Owned(pieces.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_a_row() {
        let mut names: Vec<_> = TABLE.iter().flat_map(|c| c.names).copied().collect();
        names.sort_unstable();
        assert_eq!(names, CLIENTS);
    }
}
