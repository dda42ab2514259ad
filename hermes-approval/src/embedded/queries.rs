//! Statements that code hands to a database.

use super::tokens::TokenKind;
use super::{Code, Token};
use crate::effect::EffectKind;
use crate::walk::Walker;

/// Calls that take a statement.
#[rustfmt::skip]
const QUERIES: &[&str] = &[
    "Exec", "ExecContext", "Query", "batch", "command", "do", "exec",
    "execDriverSql", "exec_driver_sql", "exec_params", "exec_query", "exec_update", "execute", "execute!",
    "executeBatch", "executeQuery", "executeUpdate", "execute_batch", "execute_immediate", "executemany",
    "executescript", "executeRaw", "executeRawUnsafe", "fetch", "fetchval", "multi_query", "mysql_query", "mysqli_query", "none",
    "pg_query", "prepare", "query", "query!", "queryRawUnsafe", "raw", "read_sql", "read_sql_query", "run", "run_sql",
    "select_all", "sql", "statement", "unprepared", "unsafe", "update",
];

/// Functions around a statement: `execute(text("…"))`.
const AROUND: &[&str] = &["SQL", "text", "sql"];

/// What a statement that destroys something starts with, or what follows another.
const VERBS: &[&str] = &["drop", "delete", "truncate", "update", "alter"];

impl Walker<'_> {
    /// Notes a string that is a statement for a database.
    pub(super) fn queries(&mut self, code: &Code<'_>, i: usize, string: &str) {
        if !destroys(string) {
            return;
        }
        let Some((name, first)) = caller(code, i) else {
            return;
        };
        let span = code.map.original(Token::stretch(&code.tokens, first, i));
        let call = name.trim_start_matches('.').to_owned();
        self.effect(
            code.id,
            EffectKind::Query,
            Some(string.to_owned()),
            call,
            span,
        );
    }
}

/// True if one of the statements in a text starts with a verb that destroys.
fn destroys(text: &str) -> bool {
    text.split(';').any(|statement| {
        let mut words = statement.split_whitespace();
        let verb = words.next().unwrap_or("");
        VERBS.iter().any(|v| verb.eq_ignore_ascii_case(v)) && words.next().is_some()
    })
}

/// The call that gets the string, and the number of its token.
fn caller<'c>(code: &'c Code<'_>, i: usize) -> Option<(&'c str, usize)> {
    let mut at = i;
    for _ in 0..2 {
        at = at.checked_sub(1)?;
        if code.is_sign(at, '(') {
            at = at.checked_sub(1)?;
        }
        let TokenKind::Name(name) = code.kind(at)? else {
            return None;
        };
        // `prisma.$executeRawUnsafe`
        let marked = matches!(code.before(at), Some(TokenKind::Sign('$')));
        let last = name.rsplit(['.', ':', '>']).next().unwrap_or(name);
        if QUERIES.contains(&last) && (marked || name.len() > last.len() || last.contains('_')) {
            return Some((name, at));
        }
        if !AROUND.contains(&last) {
            // `db->query("…")`: its name is by itself.
            let called = matches!(
                code.before(at),
                Some(TokenKind::Sign('>' | '.' | ':' | ')'))
            );
            return (called && QUERIES.contains(&last)).then_some((name, at));
        }
    }
    None
}
