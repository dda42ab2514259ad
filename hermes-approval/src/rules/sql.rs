//! Databases: statements that destroy, and tools that do.

mod clients;
mod code;
mod migrations;
mod statements;
mod stores;
mod tokens;

use crate::look::Look;
use crate::rule::{Help, Hit, Key, Pack, Rule, Severity, Test};
use clients::CLIENTS;
use statements::Dangers;

pub(super) static PACK: Pack = Pack {
    name: "sql",
    about: "dropping, emptying and overwriting data in databases",
    rules: &[
        DROP,
        DROP_OBJECT,
        DELETE,
        TRUNCATE,
        UPDATE,
        GRANT,
        PROGRAM,
        SERVER,
        code::CODE,
        migrations::MIGRATE,
        stores::DROP_TOOL,
        stores::REDIS,
        stores::MONGO,
        stores::SEARCH,
        stores::OTHER,
    ],
};

const SQL: Rule = Rule {
    class: "sql",
    severity: Severity::High,
    ..Rule::ASK
};

const DROP_KEY: Key = Key::both("SQL DROP");
const DELETE_KEY: Key = Key::both("SQL DELETE without WHERE");
const TRUNCATE_KEY: Key = Key::both("SQL TRUNCATE");

/// A hit if the SQL of a client does this.
fn does(look: &Look<'_>, what: fn(&Dangers) -> bool) -> Option<Hit> {
    let found = clients::dangers(look)?;
    what(&found).then(|| look.hit())
}

const DROP: Rule = Rule {
    id: "sql.drop",
    severity: Severity::Critical,
    keys: &[DROP_KEY],
    reason: "This drops a table or a whole database.",
    alternative: Some(
        "Take a copy first with `pg_dump` or `mysqldump`, and rename the table instead.",
    ),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.drop)),
    matches: &[
        "psql -c 'drop table t'",
        "psql -c \"drop database prod\"",
        "psql -h db -U me -d app --command='DROP TABLE users CASCADE'",
        "mysql -u root -psecret -e 'DROP TABLE users'",
        "mysql app -Bse \"drop/* */table users\"",
        "mysql -e '/*!50000 DROP TABLE users */'",
        "sqlite3 app.db \"drop   table users\"",
        "psql <<EOF\nDROP TABLE a;\nEOF",
        "psql <<< 'drop table a'",
        "echo 'DROP TABLE a' | psql app",
        "clickhouse-client -q \"DROP TABLE t\"",
        "docker exec -it db psql -c \"DROP TABLE a\"",
        "cqlsh -e \"DROP KEYSPACE k\"",
        "psql -c \"DROP TABLE $T\"",
        "psql -c 'select 1; drop schema public cascade'",
        "sqlcmd -S h -Q 'DROP DATABASE x'",
        "bq query --use_legacy_sql=false 'DROP TABLE ds.t'",
        "cockroach sql -e 'DROP TABLE t'",
        "duckdb x.db -c 'DROP TABLE t'",
        "wrangler d1 execute db --command 'DROP TABLE t'",
        "psql -c 'DO $$ BEGIN DROP TABLE t; END $$'",
        "psql -tAc \"select 'drop table '||tablename||';' from pg_tables\" | psql",
        "pg_dump --clean a | psql b",
        "snowsql -q 'DROP WAREHOUSE wh'",
        "influx -execute 'DROP DATABASE x'",
        "aws athena start-query-execution --query-string 'DROP TABLE t'",
    ],
    near_misses: &[
        "psql -c 'drop view v'",
        "psql -c \"select 'drop table t'\"",
        "psql -c 'select 1 -- drop table t'",
        "echo 'drop table t'",
        "psql -c 'drop temporary table t'",
    ],
    safe: &[
        "psql -c 'SELECT 1'",
        "psql -c '\\dt'",
        "mysql -e 'SHOW TABLES'",
        "git commit -m 'drop table users'",
        "rg -i 'drop table' docs",
        "cat drop_table.sql",
        "psql -f migrate.sql",
        "sqlite3 :memory: 'create table t(a); drop table t'",
        "sqlite3 a.db .tables",
        "psql -c 'CREATE TABLE t (a int)'",
        "psql -c \"ALTER TABLE t ALTER COLUMN c DROP NOT NULL\"",
        "bq query 'SELECT 1'",
        "bq query --dry_run 'DELETE FROM ds.t WHERE true'",
        "psql -tAc \"select 'analyze '||tablename||';' from pg_tables\" | psql",
        "pg_dump a | psql b",
    ],
    ..SQL
};

const DROP_OBJECT: Rule = Rule {
    id: "sql.drop-object",
    keys: &[Key::ours(
        "SQL DROP of a view, column, user or other object",
    )],
    accepts: &[DROP_KEY],
    reason: "This drops a part of a database.",
    alternative: Some("Look at it first: `psql -c '\\d+ name'`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.drop_object)),
    matches: &[
        "psql -c 'DROP VIEW v'",
        "psql -c 'ALTER TABLE t DROP COLUMN c'",
        "psql -c 'ALTER TABLE t DROP c'",
        "mysql -e 'DROP USER bob'",
        "psql -c 'DROP INDEX CONCURRENTLY i'",
    ],
    near_misses: &[
        "psql -c 'ALTER TABLE t ALTER c DROP DEFAULT'",
        "psql -c 'drop table t'",
    ],
    safe: &[
        "psql -c 'CREATE VIEW v AS SELECT 1'",
        "psql -c 'ALTER TABLE t ADD COLUMN c int'",
    ],
    ..SQL
};

const DELETE: Rule = Rule {
    id: "sql.delete-all",
    keys: &[DELETE_KEY],
    reason: "Without a condition that says which, this deletes every row.",
    alternative: Some(
        "Say which rows, and count them first: `psql -c 'select count(*) from t where id = 1'`.",
    ),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.delete)),
    matches: &[
        "mysql -e \"DELETE FROM users\"",
        "sqlite3 a.db \"DELETE FROM t;\"",
        "psql -c \"DELETE/**/FROM users\"",
        "psql -c \"DELETE FROM users WHERE 1=1\"",
        "psql -c 'DELETE FROM users WHERE true'",
        "psql -c 'DELETE FROM users WHERE id = 1 OR 1 = 1'",
        "psql -c 'with x as (delete from t returning *) select * from x where a = 1'",
        "psql -c \"DELETE FROM t -- WHERE id = 1\"",
        "mysql -e 'DELETE t FROM t JOIN u ON t.a = u.a'",
        "psql -c 'EXPLAIN ANALYZE DELETE FROM t'",
        "clickhouse-client --query='ALTER TABLE t DELETE WHERE 1'",
    ],
    near_misses: &[
        "psql -c 'delete from t where i=1'",
        "sqlite3 a.db \"DELETE FROM t\n WHERE id=1\"",
        "psql -c 'EXPLAIN DELETE FROM t'",
    ],
    safe: &[
        "psql -c \"EXPLAIN DELETE FROM t WHERE id=1\"",
        "pytest -k delete_from",
        "git grep -e 'DELETE FROM users'",
        "psql -c \"select * from logs where msg = 'delete from t'\"",
        "psql -c 'create table t (a int references u on delete cascade)'",
        "psql -c 'with d as (delete from t where id = 1 returning *) select * from d'",
    ],
    ..SQL
};

const TRUNCATE: Rule = Rule {
    id: "sql.truncate",
    keys: &[TRUNCATE_KEY],
    reason: "This empties a table.",
    alternative: Some("Count what is there first: `psql -c 'select count(*) from t'`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.truncate)),
    matches: &[
        "psql -c \"TRUNCATE users\"",
        "mysql -e \"TRUNCATE TABLE audit\"",
        "cqlsh -e 'truncate k.t'",
    ],
    near_misses: &[
        "mysql -e 'select truncate(1.5, 1)'",
        "psql -c \"select 'truncate t'\"",
    ],
    safe: &["rg -i 'truncate table' docs", "vim truncate_logs.md"],
    ..SQL
};

const UPDATE: Rule = Rule {
    id: "sql.update-all",
    keys: &[Key::ours("SQL UPDATE without WHERE")],
    reason: "Without a condition that says which, this changes every row.",
    alternative: Some("Say which rows: `psql -c 'update t set a = 1 where id = 1'`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.update)),
    matches: &[
        "psql -c \"UPDATE users SET active=false\"",
        "mysql -e 'update users set role = 1 where 1'",
        "sqlite3 a.db 'begin; update t set a = 1; commit'",
    ],
    near_misses: &["psql -c 'update t set a = 1 where id = 1'"],
    safe: &[
        "psql -c 'insert into t values (1) on conflict (a) do update set a = 2'",
        "psql -c 'select * from t for update'",
        "mysql -e 'insert into t values (1) on duplicate key update a = 2'",
    ],
    ..SQL
};

const GRANT: Rule = Rule {
    id: "sql.grant-all",
    keys: &[Key::ours("SQL GRANT ALL")],
    reason: "This gives an account full rights, or changes how it gets in.",
    alternative: Some("Grant what is needed: `psql -c 'grant select on t to bob'`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.grant)),
    matches: &[
        "mysql -e \"GRANT ALL PRIVILEGES ON *.* TO 'x'@'%'\"",
        "psql -c 'ALTER USER bob WITH SUPERUSER'",
        "psql -c 'grant select on t to public'",
        "psql -c \"ALTER USER postgres PASSWORD 'x'\"",
        "mysql -e 'grant select on a.b to x with grant option'",
        "psql -c 'REVOKE ALL ON t FROM bob'",
        "mysql -e \"SET PASSWORD FOR root = 'x'\"",
    ],
    near_misses: &["psql -c 'grant select on t to bob'"],
    safe: &["mysql -e 'SHOW GRANTS'", "psql -c '\\du'"],
    ..SQL
};

const PROGRAM: Rule = Rule {
    id: "sql.runs-program",
    keys: &[Key::ours("SQL that runs a program or writes a file")],
    reason: "This lets the database server run a program or write a file.",
    alternative: Some("Print the rows and write them here: `psql -c 'select * from t' -o t.txt`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.program)),
    matches: &[
        "psql -c \"COPY t FROM PROGRAM 'curl x'\"",
        "sqlcmd -Q \"EXEC xp_cmdshell 'dir'\"",
        "mysql -e \"select 1 into outfile '/tmp/x'\"",
        "sqlite3 a.db \"select load_extension('./x')\"",
    ],
    near_misses: &[
        "psql -c '\\copy t to t.csv'",
        "psql -c \"COPY t TO STDOUT\"",
    ],
    safe: &["psql -c \"select 'xp_cmdshell'\""],
    ..SQL
};

const SERVER: Rule = Rule {
    id: "sql.server",
    keys: &[Key::ours("SQL that changes the server")],
    reason: "This stops a database server, loses its logs or changes its settings.",
    alternative: Some("Look at what is set first: `psql -c 'show all'`."),
    test: Test::Program(CLIENTS, |look| does(look, |d| d.server)),
    matches: &[
        "psql -c \"ALTER SYSTEM SET fsync = off\"",
        "mysql -e 'RESET MASTER'",
        "mysql -e 'SHUTDOWN'",
        "mysql -e \"PURGE BINARY LOGS TO 'x'\"",
        "sqlite3 a.db 'pragma writable_schema = on'",
        "psql -c 'select pg_terminate_backend(pid) from pg_stat_activity'",
        "psql -c 'ALTER TABLE t DISABLE TRIGGER ALL'",
        "clickhouse-client -q 'SYSTEM SHUTDOWN'",
        "mysql -e 'STOP REPLICA'",
        "mysql -e 'KILL 17'",
        "mysql -e 'SET GLOBAL read_only = 1'",
        "sqlcmd -Q \"RESTORE DATABASE x FROM DISK='y' WITH REPLACE\"",
    ],
    near_misses: &["psql -c 'show all'", "mysql -e 'SHOW MASTER STATUS'"],
    safe: &[
        "sqlite3 a.db 'pragma integrity_check'",
        "mysql -e 'FLUSH PRIVILEGES'",
    ],
    help: Help::Leading,
    ..SQL
};
