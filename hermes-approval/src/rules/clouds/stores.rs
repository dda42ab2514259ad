//! Object stores, backups and stores of secrets.

use super::super::subcommands::Call;
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const OBJECTS: Rule = Rule {
    id: "clouds.object-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("delete objects in a remote store")],
    reason: "This deletes objects in a remote store, or makes it lose what the source lacks.",
    alternative: Some("Rehearse it: `rclone delete remote:b --dry-run`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "rclone",
            "gsutil",
            "mc",
            "s3cmd",
            "b2",
            "azcopy",
            "ossutil",
            "swift",
            "rados",
            "rbd",
            "ceph",
            "gdrive",
            "gluster",
            "hadoop",
            "hdfs",
            "ipfs",
            "radosgw-admin",
            "s4cmd",
            "yarn",
        ],
        |look| {
            let call = Call::of(look);
            if call.is_rehearsal() || call.has('n', "") {
                return None;
            }
            let found = match look.name {
                "rclone" => call.verbs(
                    "delete|deletefile|purge|rmdir|rmdirs|sync|move|moveto|cleanup|bisync|dedupe",
                ),
                "gsutil" => {
                    call.verbs("rm|rb")
                        || call.verbs("rsync") && call.has('d', "")
                        || call.verbs("mv")
                }
                "mc" => {
                    call.verbs("rm|rb|mv")
                        || call.any(&["admin service stop|restart", "anonymous|policy set public"])
                        || call.verbs("mirror") && call.has('\0', "remove")
                        || call.verbs("admin * remove|rm")
                }
                "s3cmd" => {
                    call.verbs("del|rm|rb|multipart|expire")
                        || call.verbs("sync") && (call.has('\0', "delete-removed"))
                        || call.verbs("setacl") && call.has('P', "acl-public")
                }
                "b2" => {
                    call.operand(0)
                        .is_some_and(|v| v.starts_with("delete") || v == "rm")
                        || call.verbs("bucket delete")
                }
                "azcopy" => {
                    call.verbs("remove|rm")
                        || call.verbs("sync") && call.has('\0', "delete-destination")
                }
                "s4cmd" => call.verbs("del|rm"),
                "gluster" => call.any(&["volume delete|stop|reset|remove-brick", "peer detach"]),
                "radosgw-admin" => call.verbs("user|bucket|object|key|subuser rm|suspend|unlink"),
                "ipfs" => call.any(&["pin rm", "repo gc", "files rm", "key rm"]),
                // Their verbs are options.
                "hadoop" | "hdfs" | "yarn" => {
                    let fs = call.verbs("fs|dfs");
                    look.words()
                        .iter()
                        .filter_map(|w| w.known())
                        .any(|w| match w {
                            "-rm" | "-rmr" | "-rmdir" | "-expunge" | "-truncate" => fs,
                            "-format" => call.verbs("namenode"),
                            "-safemode" | "-decommission" => call.verbs("dfsadmin"),
                            "-kill" => call.verbs("application|job"),
                            _ => false,
                        })
                        && !look.has_word("get")
                }
                "ossutil" => call.verbs("rm|rb"),
                "swift" => {
                    call.verbs("delete")
                        || call.verbs("post")
                            && look.words().iter().any(|w| w.text().starts_with(".r:*"))
                }
                "rados" => call.any(&["rm|purge|rmpool|cleanup", "* rm"]),
                "rbd" => call.any(&["rm|remove|trash", "snap rm|purge|rollback"]),
                "ceph" => call.any(&[
                    "osd pool delete|rm",
                    "osd out|purge|destroy|down|rm",
                    "fs rm|fail",
                    "mon remove|rm",
                ]),
                _ => call.any(&["delete", "files delete"]),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "rclone purge remote:b",
        "rclone sync src remote:b",
        "gsutil -m rm -r gs://b",
        "gsutil rsync -d -r . gs://b",
        "mc rb --force m/b",
        "s3cmd del --recursive s3://b",
        "azcopy remove https://x.blob.core.windows.net/c --recursive",
        "ceph osd pool delete p p --yes-i-really-really-mean-it",
        "hdfs dfs -rm -r -skipTrash /x",
        "hdfs namenode -format",
        "gluster volume delete x",
        "radosgw-admin user rm --uid x --purge-data",
        "mc anonymous set public m/b",
    ],
    near_misses: &[
        "rclone copy src remote:b",
        "rclone sync src remote:b --dry-run",
        "gsutil rsync -r . gs://b",
    ],
    safe: &[
        "rclone ls remote:b",
        "rclone copy a remote:b",
        "gsutil ls gs://b",
        "gsutil cp a gs://b/",
        "mc ls m/b",
        "ceph status",
        "hdfs dfs -ls /",
        "yarn install",
        "s3cmd ls",
    ],
    ..Rule::ASK
};

pub(super) const BACKUPS: Rule = Rule {
    id: "clouds.backup-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("delete backups")],
    reason: "This deletes backups.",
    alternative: Some("Rehearse it: `restic forget --keep-daily 7 --dry-run`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "restic",
            "borg",
            "borgmatic",
            "kopia",
            "duplicity",
            "duplicati-cli",
            "tmutil",
            "rdiff-backup",
            "rsnapshot",
            "timeshift",
            "snapper",
            "wal-g",
            "pgbackrest",
            "barman",
            "zrepl",
            "bup",
            "tarsnap",
        ],
        |look| {
            let call = Call::of(look);
            // `-n` is a rehearsal in most of them, but a value in some.
            if call.is_rehearsal()
                || call.has('n', "") && matches!(look.name, "restic" | "borg" | "borgmatic")
            {
                return None;
            }
            let first = call.operand(0).unwrap_or("");
            let found = match look.name {
                "restic" => {
                    call.verbs("forget|prune|unlock|rewrite")
                        || call.verbs("key remove")
                        || call.verbs("repair *")
                }
                "borg" => {
                    call.verbs("delete|prune|recreate|break-lock|compact") && !call.verbs("compact")
                }
                "borgmatic" => call.verbs("prune|delete|repo-delete|break-lock"),
                "kopia" => call.any(&[
                    "snapshot|snap|repository|repo|policy delete|expire|disconnect|throttle",
                    "blob delete|gc",
                ]),
                "duplicity" => {
                    first.starts_with("remove-") || first == "cleanup" && call.has('\0', "force")
                }
                "duplicati-cli" => call.verbs("delete|purge"),
                "tmutil" => call.verbs("delete|deletelocalsnapshots|disable|thinlocalsnapshots"),
                "rdiff-backup" => call.has('\0', "remove-older-than") || call.verbs("remove"),
                "timeshift" => {
                    call.has('\0', "delete")
                        || call.has('\0', "delete-all")
                        || call.has('\0', "restore")
                }
                "snapper" => call.operands.iter().any(|w| {
                    matches!(
                        w.known(),
                        Some("delete" | "rollback" | "undochange" | "delete-config")
                    )
                }),
                "wal-g" => call.verbs("delete"),
                "pgbackrest" => call
                    .operands
                    .iter()
                    .any(|w| matches!(w.known(), Some("expire" | "stanza-delete" | "restore"))),
                "barman" => call.verbs("delete"),
                "tarsnap" => call.has('d', "") || call.has('\0', "nuke"),
                "bup" => call.verbs("rm|gc|prune-older"),
                _ => false,
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "restic forget --prune --keep-last 1",
        "restic -r /b prune",
        "borg delete repo",
        "borg prune --keep-daily 7 repo",
        "kopia snapshot delete abc --delete",
        "tmutil delete /Volumes/b/x",
        "duplicity remove-older-than 1M file:///b",
        "snapper -c root delete 5",
    ],
    near_misses: &[
        "restic forget --keep-last 1 --dry-run",
        "borg prune -n --keep-daily 7 repo",
    ],
    safe: &[
        "restic snapshots",
        "restic backup ~/src",
        "borg list repo",
        "borg create repo::a src",
        "tmutil listbackups",
        "snapper list",
    ],
    ..Rule::ASK
};

pub(super) const VAULT: Rule = Rule {
    id: "clouds.vault-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("delete in a store of secrets or settings")],
    reason: "This deletes secrets or settings that other services need.",
    alternative: Some("See what is there: `vault kv list secret/`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "vault",
            "bao",
            "consul",
            "nomad",
            "doppler",
            "op",
            "bw",
            "pass",
            "infisical",
        ],
        |look| {
            let call = Call::of(look);
            let found = match look.name {
                "vault" | "bao" => call.any(&[
                    "kv delete|destroy",
                    "kv metadata delete",
                    "delete",
                    "lease revoke",
                    "token revoke",
                    "secrets|auth disable",
                    "policy|namespace delete",
                    "operator seal|rekey|step-down|generate-root|rotate",
                ]),
                "consul" => call.any(&[
                    "kv delete",
                    "leave",
                    "force-leave",
                    "acl token|policy|role delete",
                    "services deregister",
                ]),
                "nomad" => call.any(&[
                    "stop",
                    "job stop",
                    "node drain",
                    "system gc",
                    "alloc stop",
                    "namespace|volume|var|quota delete|purge",
                ]),
                "doppler" => call.any(&["projects|configs|environments|secrets delete"]),
                "op" => call.any(&["item|vault|user|document|group delete"]),
                "bw" => call.verbs("delete"),
                "pass" => call.verbs("rm|remove|delete"),
                _ => call.verbs("secrets delete"),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "vault kv metadata delete secret/x",
        "vault kv destroy -versions=1 secret/x",
        "vault secrets disable kv/",
        "vault operator seal",
        "consul kv delete -recurse app/",
        "nomad job stop -purge api",
        "pass rm -r work",
    ],
    near_misses: &["vault kv list secret/", "consul kv get x"],
    safe: &[
        "vault status",
        "vault login",
        "consul members",
        "nomad job status",
        "pass ls",
    ],
    ..Rule::ASK
};
