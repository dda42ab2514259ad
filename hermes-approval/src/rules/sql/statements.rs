//! What statements of SQL destroy.

use super::tokens::{Token, Tokens};

/// What was found in a text of SQL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Dangers {
    /// A table, a schema or a database is dropped.
    pub(super) drop: bool,
    /// Something smaller is dropped.
    pub(super) drop_object: bool,
    /// Rows are deleted without a condition.
    pub(super) delete: bool,
    pub(super) truncate: bool,
    /// Rows are changed without a condition.
    pub(super) update: bool,
    pub(super) grant: bool,
    /// A program is run, or a file is written.
    pub(super) program: bool,
    /// The server is stopped or set in another way.
    pub(super) server: bool,
}

/// What holds data of its own.
const WHOLE: &[&str] = &[
    "catalog",
    "database",
    "dataset",
    "dictionary",
    "keyspace",
    "measurement",
    "schema",
    "stage",
    "table",
    "warehouse",
];

/// What else can be dropped.
const OBJECTS: &[&str] = &[
    "aggregate",
    "column",
    "constraint",
    "domain",
    "event",
    "extension",
    "foreign",
    "function",
    "index",
    "login",
    "materialized",
    "owned",
    "partition",
    "policy",
    "primary",
    "procedure",
    "publication",
    "role",
    "routine",
    "rule",
    "sequence",
    "server",
    "subscription",
    "tablespace",
    "trigger",
    "type",
    "user",
    "view",
];

/// Statements that only describe something, or store it for later.
const HARMLESS: &[&str] = &["comment", "create", "desc", "describe", "help", "show"];

/// Functions and procedures that end what others do, or change the server.
#[rustfmt::skip]
const SERVER_CALLS: &[&str] = &[
    "pg_drop_replication_slot", "pg_promote", "pg_switch_wal", "pg_terminate_backend", "reconfigure", "sp_configure",
];

/// Functions that run programs or write files.
const PROGRAMS: &[&str] = &[
    "dumpfile",
    "lo_export",
    "lo_unlink",
    "load_extension",
    "outfile",
    "sys_eval",
    "sys_exec",
    "xp_cmdshell",
];

impl Dangers {
    /// Reads a text; in one pass.
    pub(super) fn of(sql: &str) -> Self {
        let mut found = Self::default();
        for block in found.read(sql) {
            // A block in a block is not followed: nobody writes it, and depth must have a bound.
            found.read(block);
        }
        found
    }

    /// Notes what a text does; gives the blocks of code in it (`do $$ … $$`).
    fn read<'s>(&mut self, sql: &'s str) -> Vec<&'s str> {
        let mut blocks = Vec::new();
        let mut statement = Statement::default();
        for token in Tokens::of(sql) {
            if token == Token::End {
                statement.settle(self);
                statement = Statement::default();
                continue;
            }
            if let Token::Text(block) = token
                && statement.heads(&["do", "execute", "exec"])
            {
                blocks.push(block);
            }
            statement.take(token, self);
        }
        statement.settle(self);
        blocks
    }
}

/// A statement as far as it was read.
#[derive(Debug, Default)]
struct Statement<'s> {
    head: Option<Token<'s>>,
    second: Option<Token<'s>>,
    last: Option<Token<'s>>,
    depth: usize,
    /// A `delete` or an `update` whose condition is awaited.
    open: Option<Open<'s>>,
    grants_all: bool,
}

/// Changes rows.
#[derive(Debug)]
struct Open<'s> {
    deletes: bool,
    depth: usize,
    set: bool,
    condition: bool,
    /// Some part of the condition, between `or`s, holds for every row.
    trivial: bool,
    /// The first words of the part that is being read, and how many it has.
    part: [Option<Token<'s>>; 3],
    length: usize,
}

impl<'s> Statement<'s> {
    fn take(&mut self, token: Token<'s>, found: &mut Dangers) {
        match token {
            Token::Sign('(') => self.depth += 1,
            Token::Sign(')') => {
                self.depth = self.depth.saturating_sub(1);
                if self.open.as_ref().is_some_and(|o| o.depth > self.depth) {
                    self.settle(found);
                }
            }
            _ => {}
        }
        if self.head.is_none() {
            self.head = Some(token);
        } else if self.second.is_none() {
            self.second = Some(token);
        }
        if !self.is_harmless() {
            self.changes(token, found);
            self.drops(token, found);
        }
        self.rights(token, found);
        self.last = Some(token);
    }

    fn heads(&self, words: &[&str]) -> bool {
        self.head.is_some_and(|head| head.is_any(words))
    }

    /// `explain` runs a statement only to analyse it.
    fn is_harmless(&self) -> bool {
        let explains = self.heads(&["explain"])
            && !self
                .second
                .is_some_and(|t| t.is("analyze") || t == Token::Sign('('));
        explains || self.heads(HARMLESS)
    }

    /// Rows that are deleted or changed.
    fn changes(&mut self, token: Token<'s>, found: &mut Dangers) {
        let first = self.last.is_none();
        let starts = match self.last {
            None | Some(Token::Sign('(' | ')')) => true,
            Some(last) => last.is_any(&["analyze", "begin", "as", "detach"]),
        };
        if token.is("from") && self.last.is_some_and(|t| t.is("delete")) && self.open.is_none() {
            self.open = Some(Open::new(true, self.depth));
            return;
        }
        // ClickHouse has them behind `alter table t`.
        let alters = self.heads(&["alter"]) && self.second_is("table");
        if (starts || alters && token.is("delete")) && token.is_any(&["delete", "update"]) {
            self.settle(found);
            self.open = Some(Open::new(token.is("delete"), self.depth));
            return;
        }
        if first && token.is("truncate") || token.is("table") && self.last_is("truncate") {
            found.truncate = true;
        }
        // `truncate(1.5, 1)` is a function.
        if token == Token::Sign('(') && self.last_is("truncate") {
            found.truncate = false;
        }
        let Some(open) = &mut self.open else {
            return;
        };
        if token.is("set") {
            open.set = true;
        } else if token.is("where") {
            open.condition = true;
        } else if open.condition {
            open.part(token);
        }
    }

    /// Decides on what changes rows.
    fn settle(&mut self, found: &mut Dangers) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        open.end_part();
        if open.condition && !open.trivial {
            return;
        }
        if open.deletes {
            found.delete = true;
        } else if open.set {
            found.update = true;
        }
    }

    fn second_is(&self, word: &str) -> bool {
        self.second.is_some_and(|t| t.is(word))
    }

    fn last_is(&self, word: &str) -> bool {
        self.last.is_some_and(|t| t.is(word))
    }

    fn drops(&mut self, token: Token<'s>, found: &mut Dangers) {
        if self.last_is("drop") {
            let alters = self.heads(&["alter"]);
            if token.is_any(WHOLE) {
                found.drop = true;
            } else if token.is_any(OBJECTS) {
                found.drop_object = true;
            } else if alters && self.second_is("table") {
                let kept = ["not", "default", "identity", "expression", "if"];
                found.drop_object |= !token.is_any(&kept);
            }
        }
        if token.is_any(PROGRAMS) || (self.heads(&["copy"]) && token.is("program")) {
            found.program = true;
        }
        let after = |first: &str, second: &[&str]| self.last_is(first) && token.is_any(second);
        if after("alter", &["system"])
            || after("reset", &["master", "replica", "slave"])
            || after("purge", &["binary", "master"])
            || (self.last.is_none() && token.is("shutdown"))
            || token.is_any(SERVER_CALLS)
            || self.heads(&["system"]) && token.is_any(&["shutdown", "kill"])
            || self.heads(&["stop"]) && after("stop", &["slave", "replica", "group_replication"])
            || self.heads(&["kill"]) && self.last_is("kill")
            || self.heads(&["detach"]) && token.is("permanently")
            || self.heads(&["restore"]) && after("with", &["replace"])
            || self.heads(&["alter"]) && after("with", &["rollback"])
            || self.heads(&["alter"])
                && self.second_is("table")
                && (after("disable", &["trigger", "row"]))
            || self.heads(&["dbcc"])
                && token.is_any(&["shrinkdatabase", "shrinkfile", "checkdb_repair"])
            || self.heads(&["set"])
                && after(
                    "global",
                    &[
                        "read_only",
                        "super_read_only",
                        "offline_mode",
                        "general_log_file",
                    ],
                )
            || token.is("session_replication_role")
            || token.is("truncate_only")
            || token.is("writable_schema")
        {
            found.server = true;
        }
    }

    fn rights(&mut self, token: Token<'s>, found: &mut Dangers) {
        if self.heads(&["grant"]) {
            self.grants_all |= token.is_any(&["all", "super", "superuser", "db_owner", "sysadmin"]);
            found.grant |= self.grants_all
                || (token.is("public") && self.last_is("to"))
                || (token.is("option") && self.last_is("grant"));
        }
        found.grant |= self.heads(&["revoke"]) && token.is("all")
            || self.heads(&["set"]) && self.last_is("set") && token.is("password");
        let user = self
            .second
            .is_some_and(|t| t.is_any(&["user", "role", "login"]));
        if user && self.heads(&["create", "alter"]) {
            let alters = self.heads(&["alter"]);
            found.grant |= token.is_any(&["superuser", "bypassrls", "accountadmin"])
                || (alters && token.is_any(&["password", "identified"]));
        }
    }
}

impl<'s> Open<'s> {
    fn new(deletes: bool, depth: usize) -> Self {
        Self {
            deletes,
            depth,
            set: false,
            condition: false,
            trivial: false,
            part: [None; 3],
            length: 0,
        }
    }

    fn part(&mut self, token: Token<'s>) {
        if token.is_any(&["or", "returning", "limit", "order"]) {
            self.end_part();
            return;
        }
        if let Some(slot) = self.part.get_mut(self.length) {
            *slot = Some(token);
        }
        self.length = self.length.saturating_add(1);
    }

    /// `1`, `true`, `1 = 1`, `'a' = 'a'`
    fn end_part(&mut self) {
        let always = |t: Token<'_>| {
            t.is("true")
                || matches!(t, Token::Word(w) if w != "0" && w.bytes().all(|b| b.is_ascii_digit()))
        };
        self.trivial |= match (self.length, self.part) {
            (1, [Some(one), ..]) => always(one),
            (3, [Some(left), Some(Token::Sign('=')), Some(right)]) => {
                left == right && !matches!(left, Token::Name(_))
            }
            _ => false,
        };
        self.part = [None; 3];
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_always_holds_is_none() {
        for (sql, delete) in [
            ("delete from t", true),
            ("delete from t where 1=1", true),
            ("delete from t where 'a' = 'a'", true),
            ("delete from t where 1", true),
            ("delete from t where 0", false),
            ("delete from t where id = 1", false),
            ("delete from t where id = 1 or true", true),
            ("delete from t where id = 1 returning *", false),
            ("delete from t where id in (select 1)", false),
            ("insert into t select 1", false),
            ("delete from a where x = 1; delete from b", true),
        ] {
            assert_eq!(Dangers::of(sql).delete, delete, "{sql}");
        }
    }

    #[test]
    fn any_length_of_hostile_text_is_read_once() {
        let hostile = "delete from ( ".repeat(20_000);
        assert!(Dangers::of(&hostile).delete);
    }
}
