//! Statements in the code of a script.

use super::statements::Dangers;
use super::{DELETE_KEY, DROP_KEY, SQL, TRUNCATE_KEY};
use crate::effect::EffectKind;
use crate::rule::{Key, Rule, Test};

pub(super) const CODE: Rule = Rule {
    id: "sql.in-code",
    keys: &[Key::ours("script that destroys data in a database")],
    reason: "The script drops, empties or overwrites data in a database.",
    alternative: Some("Put the statements into a file that can be read, and take a copy first."),
    test: Test::Code(|look| {
        let queries = look.invocation.effects.iter();
        queries
            .filter(|e| e.kind == EffectKind::Query)
            .find_map(|effect| {
                let sql = effect.target.as_deref()?;
                let found = Dangers::of(sql);
                let hit = look
                    .hit_at(effect.span)
                    .resolved(format!("{}({sql})", effect.call));
                Some(match found {
                    Dangers { drop: true, .. } => hit.keys(&[DROP_KEY]),
                    Dangers { delete: true, .. } => hit.keys(&[DELETE_KEY]),
                    Dangers { truncate: true, .. } => hit.keys(&[TRUNCATE_KEY]),
                    Dangers {
                        drop_object: true, ..
                    }
                    | Dangers { update: true, .. } => hit,
                    _ => return None,
                })
            })
    }),
    matches: &[
        "python3 -c 'import sqlite3; sqlite3.connect(\"a.db\").execute(\"DROP TABLE t\")'",
        "python3 -c 'cur.execute(\"delete from users\"); db.commit()'",
        "python3 -c 'c.executescript(\"select 1; TRUNCATE TABLE t\")'",
        "python3 -c 'conn.execute(text(\"DROP DATABASE prod\"))'",
        "python3 - <<'E'\nimport psycopg2\ncur.execute(\"\"\"\n  UPDATE users SET admin = true\n\"\"\")\nE",
        "node -e 'pool.query(\"DROP TABLE users\")'",
        "node -e 'new Database(\"a.db\").exec(\"DROP TABLE t\")'",
        "node -e 'await prisma.$executeRawUnsafe(\"TRUNCATE users\")'",
        "ruby -e 'ActiveRecord::Base.connection.execute(\"DROP TABLE t\")'",
        "ruby -e 'db.execute \"DROP TABLE t\"'",
        "perl -MDBI -e '$dbh->do(\"DROP TABLE t\")'",
        "php -r '$pdo->exec(\"DROP TABLE t\");'",
        "php -r 'mysqli_query($c, \"x\"); pg_query(\"DROP TABLE t\");'",
    ],
    near_misses: &[
        "python3 -c 'cur.execute(\"delete from users where id = 1\")'",
        "python3 -c 'print(\"DROP TABLE t\")'",
    ],
    safe: &[
        "python3 -c 'import sqlite3; print(sqlite3.connect(\"a.db\").execute(\"select * from t\").fetchall())'",
        "python3 -c 'cur.execute(\"create table t (id int)\")'",
        "node -e 'pool.query(\"insert into t values (1)\")'",
        "node -e 'console.log(\"update done\")'",
        "python3 -c 'd.update(\"delete\")'",
    ],
    ..SQL
};
