//! Tools of database servers, and stores that speak no SQL.

use super::SQL;
use super::clients::inputs;
use crate::grammar::{self, Grammar, Order, Style};
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

pub(super) const DROP_TOOL: Rule = Rule {
    id: "sql.drop-tool",
    severity: Severity::Critical,
    keys: &[Key::ours("drop a database with a tool of its server")],
    reason: "This drops a database, a cluster or an account of a database.",
    alternative: Some("Take a copy first: `pg_dump -Fc app -f app.dump`."),
    help: Help::Anywhere,
    test: Test::Program(DROPPERS, |look| {
        let operands = look.operands();
        let drops = match look.name {
            "mysqladmin" | "mariadb-admin" => operands
                .iter()
                .any(|w| w.candidates().any(|c| matches!(c, "drop" | "shutdown"))),
            "pg_restore" => look.has('c', "clean"),
            "pg_resetwal" | "pg_resetxlog" => !look.has('n', "dry-run"),
            "pg_ctl" => ["stop", "restart", "kill", "promote"]
                .iter()
                .any(|v| look.verbs(&[v])),
            "mongorestore" | "mongoimport" => look.has_word("--drop"),
            "gbak" => look
                .words()
                .iter()
                .any(|w| w.known_prefix().starts_with("-rep")),
            "patronictl" => {
                let words = || look.words().iter().filter_map(|w| w.known());
                words().any(|w| {
                    matches!(
                        w,
                        "failover" | "switchover" | "reinit" | "remove" | "restart" | "pause"
                    )
                })
            }
            "repmgr" => ["promote", "switchover", "unregister", "clone"]
                .iter()
                .any(|w| look.has_word(w)),
            "pg_rewind" | "db2stop" => !look.has_word("-n") && !look.has_word("--dry-run"),
            "xtrabackup" | "innobackupex" | "mariabackup" => {
                look.has_word("--copy-back") || look.has_word("--move-back")
            }
            "impdp" => look.words().iter().any(|w| {
                let text = w.text().to_ascii_lowercase();
                text == "table_exists_action=replace" || text == "table_exists_action=truncate"
            }),
            "monetdb" => look.verbs(&["destroy"]) || look.verbs(&["stop"]),
            "edgedb" | "gel" => {
                let second = look.operand(1);
                matches!(
                    look.operand(0),
                    Some("database" | "branch" | "instance" | "project")
                ) && matches!(
                    second,
                    Some("drop" | "wipe" | "destroy" | "unlink" | "revert")
                )
            }
            "sqlite-utils" => ["drop-table", "drop-view"].iter().any(|v| look.verbs(&[v])),
            "neo4j-admin" => {
                look.has_word("--overwrite-destination")
                    || look.has_word("--force")
                    || look.has_word("--overwrite-destination=true")
            }
            "arangorestore" => look.has_word("--overwrite"),
            "initdb" => false,
            _ => !operands.is_empty(),
        };
        drops.then(|| look.hit())
    }),
    matches: &[
        "dropdb app",
        "sudo -u postgres dropdb --if-exists app",
        "dropuser bob",
        "pg_dropcluster --stop 15 main",
        "mysqladmin -u root drop app",
        "mysqladmin shutdown",
        "pg_restore --clean -d app app.dump",
        "pg_resetwal -f data",
        "pg_ctl -D data stop",
        "mongorestore --drop dump/",
        "patronictl failover --force",
        "xtrabackup --copy-back",
        "gel database drop x",
        "sqlite-utils drop-table a.db t",
    ],
    near_misses: &[
        "dropdb --help",
        "mysqladmin status",
        "pg_restore -l app.dump",
    ],
    safe: &[
        "createdb app",
        "pg_dump app",
        "pg_ctl status",
        "mysqladmin ping",
        "pg_restore -d app a.dump",
        "mongorestore dump/",
        "patronictl list",
    ],
    ..SQL
};

#[rustfmt::skip]
const DROPPERS: &[&str] = &[
    "arangorestore", "db2stop", "dropdb", "dropuser", "edgedb", "gbak", "gel", "impdp", "innobackupex",
    "mariabackup", "mariadb-admin", "monetdb", "mongoimport", "mongorestore", "mysqladmin", "neo4j-admin",
    "patronictl", "pg_ctl", "pg_dropcluster", "pg_resetwal", "pg_resetxlog", "pg_restore", "pg_rewind",
    "repmgr", "sqlite-utils", "xtrabackup",
];

/// Options of `redis-cli` that take a value.
const REDIS_GRAMMAR: Grammar = Grammar {
    tool: "redis-cli",
    short_values: "hpsanurditDX",
    short_attached: "",
    long_values: &["user", "pass", "sni", "cacert", "cert", "key", "pattern"],
    style: Style::Gnu,
};

pub(super) const REDIS: Rule = Rule {
    id: "sql.redis",
    keys: &[Key::ours(
        "redis command that loses data or changes the server",
    )],
    reason: "This empties a Redis, stops it, or changes how it runs.",
    alternative: Some("Look first: `redis-cli dbsize`."),
    test: Test::Program(&["redis-cli", "valkey-cli", "keydb-cli", "iredis"], redis),
    matches: &[
        "redis-cli FLUSHALL",
        "redis-cli -n 1 flushdb",
        "redis-cli -h r -p 6379 flushall async",
        "redis-cli <<E\nflushall\nE",
        "echo flushall | redis-cli",
        "redis-cli shutdown nosave",
        "redis-cli config set dir /var/spool/cron",
        "redis-cli --scan --pattern 'x*' | xargs redis-cli del",
        "redis-cli module load /tmp/x.so",
        "redis-cli EVAL \"return redis.call('flushall')\" 0",
        "redis-cli DEL $(redis-cli keys '*')",
        "redis-cli --cluster del-node h:6379 x",
        "redis-cli SCRIPT FLUSH",
    ],
    near_misses: &[
        "redis-cli GET flushall",
        "redis-cli config get dir",
        "redis-cli del a",
    ],
    safe: &[
        "redis-cli GET a",
        "redis-cli ping",
        "redis-cli -n 1 keys 'a*'",
        "redis-cli info",
    ],
    ..SQL
};

/// Commands of Redis; some only with a second word.
const REDIS_COMMANDS: &[(&str, &str)] = &[
    ("flushall", ""),
    ("flushdb", ""),
    ("shutdown", ""),
    ("slaveof", ""),
    ("replicaof", ""),
    ("swapdb", ""),
    ("debug", ""),
    ("failover", ""),
    ("config", "set"),
    ("config", "rewrite"),
    ("module", "load"),
    ("client", "kill"),
    ("cluster", "failover"),
    ("cluster", "forget"),
    ("cluster", "reset"),
    ("cluster", "flushslots"),
    ("function", "flush"),
    ("script", "flush"),
    ("acl", "setuser"),
    ("acl", "deluser"),
];

fn redis(look: &Look<'_>) -> Option<Hit> {
    let read = grammar::read(look.words(), &REDIS_GRAMMAR, Order::First);
    let mut operands = read.operands.iter().map(|w| w.known().unwrap_or(""));
    let (first, second) = (operands.next().unwrap_or(""), operands.next().unwrap_or(""));
    let computed = || {
        let mut unknowns = read.operands.iter().skip(1).flat_map(|w| w.unknowns());
        unknowns.any(|u| matches!(u, Unknown::Command(_)))
    };
    // `--cluster del-node host:port id`
    let mut words = look.words().iter().filter_map(|w| w.known());
    let member = words.any(|w| w == "--cluster")
        && words
            .next()
            .is_some_and(|w| matches!(w, "call" | "del-node" | "fix" | "reshard" | "rebalance"));
    let sweeps = (look.repeated_by().is_some() || computed())
        && ["del", "unlink"]
            .iter()
            .any(|v| first.eq_ignore_ascii_case(v));
    let fed = inputs(look).iter().any(|text| {
        text.lines().any(|line| {
            let mut words = line.split_whitespace();
            loses(words.next().unwrap_or(""), words.next().unwrap_or(""))
        })
    });
    // A script that the server runs.
    let script = first.eq_ignore_ascii_case("eval") && is_sweep(&second.to_ascii_lowercase());
    (loses(first, second) || script || sweeps || fed || member).then(|| look.hit())
}

/// A script that empties the store, or deletes whatever a pattern finds.
fn is_sweep(script: &str) -> bool {
    script.contains("flush")
        || script.contains("keys") && (script.contains("'del'") || script.contains("'unlink'"))
}

fn loses(first: &str, second: &str) -> bool {
    REDIS_COMMANDS.iter().any(|(command, part)| {
        first.eq_ignore_ascii_case(command)
            && (part.is_empty() || second.eq_ignore_ascii_case(part))
    })
}

pub(super) const MONGO: Rule = Rule {
    id: "sql.mongo",
    keys: &[Key::ours("MongoDB command that loses data")],
    reason: "This drops collections or databases of MongoDB, or deletes every document.",
    alternative: Some("Count first: `mongosh --eval 'db.users.countDocuments()'`."),
    test: Test::Program(&["arangosh", "legacy-mongo", "mongo", "mongosh"], |look| {
        let fed = inputs(look);
        let bodies = look.words().iter().map(Word::text);
        let mut scripts = bodies.chain(fed.iter().map(AsRef::as_ref)).map(|text| {
            let all = text.chars().filter(|c| !c.is_whitespace());
            all.collect::<String>().replace("\"", "'")
        });
        scripts
            .any(|script| MONGO_CALLS.iter().any(|call| script.contains(call)))
            .then(|| look.hit())
    }),
    matches: &[
        "mongosh --eval 'db.dropDatabase()'",
        "mongo app --eval \"db.users.drop()\"",
        "mongosh <<E\nuse app\ndb.users.deleteMany( {} )\nE",
        "echo 'db.users.remove({})' | mongosh app",
        "mongosh --eval 'db.users.updateMany({}, {$set: {a: 1}})'",
        "arangosh --javascript.execute-string 'db._dropDatabase(\"x\")'",
    ],
    near_misses: &[
        "mongosh --eval 'db.users.deleteMany({a: 1})'",
        "mongosh --eval 'db.users.find()'",
    ],
    safe: &[
        "mongosh --eval \"db.users.countDocuments()\"",
        "grep -r dropDatabase src",
        "mongodump --db app",
    ],
    ..SQL
};

/// Calls of MongoDB's shell, without blanks.
const MONGO_CALLS: &[&str] = &[
    ".dropDatabase(",
    ".drop()",
    ".drop({",
    ".dropUser(",
    ".dropAllUsers(",
    ".dropRole(",
    ".dropIndexes(",
    ".deleteMany({})",
    ".deleteMany()",
    ".remove({})",
    ".remove()",
    ".shutdownServer(",
    "{dropDatabase:",
    "{shutdown:",
    ".updateMany({},",
    ".findOneAndDelete({}",
    "deleteMany:{filter:{}}",
    "_dropDatabase(",
    "force:true})",
];

pub(super) const SEARCH: Rule = Rule {
    id: "sql.search-delete",
    keys: &[Key::ours("delete a search index over HTTP")],
    reason: "This deletes whole indices of a search server.",
    alternative: Some("List them first: `curl http://localhost:9200/_cat/indices`."),
    test: Test::Program(&["curl", "http", "https", "xh", "wget"], |look| {
        let mut method = false;
        let mut index = false;
        for word in look.words() {
            let text = word.known_prefix();
            let bare = text
                .strip_prefix("-X")
                .or_else(|| text.strip_prefix("--request="))
                .or_else(|| text.strip_prefix("--method="))
                .unwrap_or(text);
            method |= bare.eq_ignore_ascii_case("delete");
            index |= names_index(text);
            // A query may be sent with any method.
            method |= text.contains("/_delete_by_query");
        }
        (method && index).then(|| look.hit())
    }),
    matches: &[
        "curl -X DELETE http://localhost:9200/_all",
        "curl -XDELETE localhost:9200/logs",
        "curl --request DELETE 'https://es.example.net/*'",
        "curl -X POST localhost:9200/logs/_delete_by_query -d @q.json",
    ],
    near_misses: &[
        "curl http://localhost:9200/_all",
        "curl -X DELETE localhost:9200/logs/_doc/1",
    ],
    safe: &[
        "curl -X DELETE http://localhost:3000/users/1",
        "curl localhost:9200/_cat/indices",
    ],
    ..SQL
};

/// An index of Elasticsearch or OpenSearch as a whole.
fn names_index(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let Some((host, path)) = rest.split_once('/') else {
        return false;
    };
    let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or(path);
    matches!(path, "_all" | "*")
        || last == "_delete_by_query"
        || ([":9200", ":5984"].iter().any(|port| host.ends_with(port))
            && !path.is_empty()
            && !path.contains('/'))
        || path
            .strip_prefix("collections/")
            .is_some_and(|name| !name.contains('/'))
            && host.ends_with(":6333")
}

pub(super) const OTHER: Rule = Rule {
    id: "sql.store-delete",
    keys: &[Key::ours("delete data of a store")],
    reason: "This deletes what a store keeps: buckets, topics, keys, tables.",
    alternative: Some(
        "List what is there first, for instance with `etcdctl get --prefix x --keys-only`.",
    ),
    help: Help::Anywhere,
    test: Test::Program(STORES, other),
    matches: &[
        "influx delete --bucket b --start 1970-01-01T00:00:00Z --stop 2030-01-01T00:00:00Z",
        "influx bucket delete -n b",
        "etcdctl del \"\" --prefix",
        "etcdctl del --from-key ''",
        "kafka-topics --delete --topic t",
        "kafka-topics.sh --bootstrap-server h:9092 --delete --topic t",
        "rabbitmqctl reset",
        "rabbitmqadmin delete queue name=q",
        "bq rm -r -f ds",
        "nats stream rm s",
        "vault kv metadata delete secret/x",
        "consul kv delete -recurse x",
        "bq load --replace ds.t f.csv",
        "kafka-consumer-groups --reset-offsets --to-earliest --execute --group g --topic t",
        "echo flush_all | nc localhost 11211",
        "pulsar-admin topics delete t",
        "zkCli.sh deleteall /x",
    ],
    near_misses: &[
        "etcdctl get x",
        "etcdctl del x",
        "kafka-topics --list",
        "consul kv get x",
    ],
    safe: &[
        "influx query 'from(bucket: \"b\")'",
        "bq ls",
        "rabbitmqctl status",
        "kafka-consumer-groups --list",
        "echo stats | nc localhost 11211",
    ],
    ..SQL
};

#[rustfmt::skip]
const STORES: &[&str] = &[
    "bq", "cbq", "consul", "couchbase-cli", "etcdctl", "influx", "kafka-acls", "kafka-acls.sh",
    "kafka-configs", "kafka-configs.sh", "kafka-consumer-groups", "kafka-consumer-groups.sh",
    "kafka-delete-records", "kafka-delete-records.sh", "kafka-topics", "kafka-topics.sh", "memcached-tool",
    "nats", "nc", "ncat", "nodetool", "pulsar-admin", "rabbitmqadmin", "rabbitmqctl", "rpk", "solr",
    "telnet", "vault", "zkCli.sh", "zkcli", "zookeeper-shell", "zookeepercli",
];

fn other(look: &Look<'_>) -> Option<Hit> {
    let any = |verbs: &[&[&str]]| verbs.iter().any(|v| look.verbs(v));
    let given = |name: &str| {
        let mut options = look.options().options.iter();
        options.any(|o| o.name == name) || look.has_word(&format!("-{name}"))
    };
    let deletes = match look.name {
        "influx" => any(&[&["delete"], &["bucket", "delete"], &["org", "delete"]]),
        "etcdctl" => any(&[&["del"]]) && (given("prefix") || given("from-key")),
        "kafka-topics" | "kafka-topics.sh" => given("delete"),
        "rabbitmqctl" => any(&[
            &["reset"],
            &["force_reset"],
            &["stop"],
            &["stop_app"],
            &["delete_queue"],
            &["delete_vhost"],
            &["delete_user"],
            &["purge_queue"],
            &["shutdown"],
            &["forget_cluster_node"],
        ]),
        "rabbitmqadmin" => any(&[&["delete"], &["purge"]]),
        "bq" => {
            any(&[&["rm"]])
                || (any(&[&["load"]]) || any(&[&["query"]]))
                    && given("replace")
                    && !given("dry_run")
                || any(&[&["cp"]]) && given("f")
        }
        "kafka-delete-records" | "kafka-delete-records.sh" => true,
        "kafka-consumer-groups" | "kafka-consumer-groups.sh" => {
            given("delete") || given("delete-offsets") || given("reset-offsets") && given("execute")
        }
        "kafka-configs" | "kafka-configs.sh" => given("alter"),
        "kafka-acls" | "kafka-acls.sh" => given("remove"),
        "memcached-tool" => look.has_word("flush"),
        "nc" | "ncat" | "telnet" => inputs(look).iter().any(|text| {
            text.lines().any(|line| {
                let first = line
                    .split(|c: char| c.is_whitespace() || c == '\\')
                    .next()
                    .unwrap_or("");
                ["flush_all", "flushall", "flushdb"]
                    .iter()
                    .any(|c| first.eq_ignore_ascii_case(c))
            })
        }),
        "pulsar-admin" => any(&[
            &["topics", "delete"],
            &["topics", "delete-partitioned-topic"],
            &["tenants", "delete"],
            &["namespaces", "delete"],
            &["clusters", "delete"],
        ]),
        "solr" => any(&[&["delete"]]),
        "zkCli.sh" | "zkcli" | "zookeepercli" | "zookeeper-shell" => {
            let mut words = look.words().iter().filter_map(|w| w.known());
            words.any(|w| matches!(w, "deleteall" | "rmr" | "delete"))
        }
        "nats" => any(&[
            &["stream", "rm"],
            &["stream", "purge"],
            &["kv", "del"],
            &["kv", "rm"],
            &["consumer", "rm"],
        ]),
        "rpk" => any(&[
            &["topic", "delete"],
            &["topic", "trim-prefix"],
            &["group", "delete"],
        ]),
        "vault" => any(&[
            &["delete"],
            &["kv", "delete"],
            &["kv", "destroy"],
            &["kv", "metadata", "delete"],
            &["secrets", "disable"],
            &["auth", "disable"],
            &["operator", "seal"],
        ]),
        "consul" => any(&[&["kv", "delete"], &["leave"], &["force-leave"]]),
        "couchbase-cli" => any(&[&["bucket-delete"], &["bucket-flush"]]),
        "nodetool" => any(&[
            &["drain"],
            &["truncatehints"],
            &["stopdaemon"],
            &["assassinate"],
            &["decommission"],
            &["removenode"],
            &["clearsnapshot"],
        ]),
        _ => false,
    };
    deletes.then(|| look.hit())
}
