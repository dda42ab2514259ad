//! Tools of database servers, and stores that speak no SQL.

use super::SQL;
use super::clients::inputs;
use crate::grammar::{self, Grammar, Order, Style};
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

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
            "pg_ctl" => ["stop", "restart", "kill"].iter().any(|v| look.verbs(&[v])),
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
    ],
    ..SQL
};

const DROPPERS: &[&str] = &[
    "dropdb",
    "dropuser",
    "mariadb-admin",
    "mysqladmin",
    "pg_ctl",
    "pg_dropcluster",
    "pg_resetwal",
    "pg_resetxlog",
    "pg_restore",
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
    ("cluster", "reset"),
    ("cluster", "flushslots"),
    ("function", "flush"),
    ("acl", "setuser"),
    ("acl", "deluser"),
];

fn redis(look: &Look<'_>) -> Option<Hit> {
    let read = grammar::read(look.words(), &REDIS_GRAMMAR, Order::First);
    let mut operands = read.operands.iter().map(|w| w.known().unwrap_or(""));
    let (first, second) = (operands.next().unwrap_or(""), operands.next().unwrap_or(""));
    let sweeps = look.repeated_by().is_some()
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
    let script =
        first.eq_ignore_ascii_case("eval") && second.to_ascii_lowercase().contains("flush");
    (loses(first, second) || script || sweeps || fed).then(|| look.hit())
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
    test: Test::Program(&["mongo", "mongosh", "legacy-mongo"], |look| {
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
        || (host.ends_with(":9200") && !path.is_empty() && !path.contains('/'))
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
    ],
    ..SQL
};

const STORES: &[&str] = &[
    "bq",
    "consul",
    "etcdctl",
    "influx",
    "kafka-topics",
    "kafka-topics.sh",
    "nats",
    "rabbitmqadmin",
    "rabbitmqctl",
    "rpk",
    "vault",
    "cbq",
    "couchbase-cli",
    "nodetool",
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
        ]),
        "rabbitmqadmin" => any(&[&["delete"], &["purge"]]),
        "bq" => any(&[&["rm"]]),
        "nats" => any(&[
            &["stream", "rm"],
            &["stream", "purge"],
            &["kv", "del"],
            &["kv", "rm"],
        ]),
        "rpk" => any(&[&["topic", "delete"]]),
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
        "nodetool" => any(&[&["decommission"], &["removenode"], &["clearsnapshot"]]),
        _ => false,
    };
    deletes.then(|| look.hit())
}
