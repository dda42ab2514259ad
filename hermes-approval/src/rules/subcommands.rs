//! Tools with subcommands, read level by level: `docker -H x compose -f y down -v`.
//!
//! A letter means one thing in `docker compose -f FILE` and another in `docker rm -f`, so each level
//! may have a grammar of its own.

use crate::grammar::{self, Grammar, Opt, Order, Style, UNKNOWN_TOOL};
use crate::look::Look;
use crate::name_index::{NameIndex, index_of};
use crate::word::Word;

/// So many words of a subcommand get a grammar of their own.
const MAX_LEVELS: usize = 4;

/// A call of such a tool.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The subcommand, and what it is applied to.
    pub(super) operands: Vec<&'a Word>,
    /// The options of all levels.
    pub(super) options: Vec<Opt<'a>>,
}

impl<'a> Call<'a> {
    /// Reads the arguments. `docker-compose` is read as `docker compose`.
    pub(super) fn of<'l>(look: &'l Look<'a>) -> &'l Self {
        (look.call.get_or_init(|| {
            let tool = canonical(look.name);
            Self::read(look.words(), tool)
        })) as _
    }

    /// Reads the words of a tool.
    pub(super) fn read(words: &'a [Word], tool: &str) -> Self {
        let mut path = tool.to_owned();
        let mut grammar = level(&path).unwrap_or_else(|| {
            let first = tool.split(' ').next().unwrap_or(tool);
            grammar::grammar(first).unwrap_or(&UNKNOWN_TOOL)
        });
        let mut call = Call {
            operands: Vec::new(),
            options: Vec::new(),
        };
        let mut words = words;
        for _ in 0..MAX_LEVELS {
            let read = grammar::read(words, grammar, Order::First);
            call.options.extend(read.options);
            let ended = read
                .rest
                .checked_sub(1)
                .and_then(|at| words.get(at))
                .is_some_and(|w| w.known() == Some("--"));
            if ended {
                call.operands.extend(read.operands);
                return call;
            }
            let Some(word) = words.get(read.rest) else {
                return call;
            };
            call.operands.push(word);
            words = words.get(read.rest + 1..).unwrap_or(&[]);
            if RUNS.contains(&path.as_str()) {
                call.operands.extend(words);
                return call;
            }
            let name = word.candidates().next().unwrap_or("");
            let children = if has_levels(&path) {
                level(&format!("{path} *"))
            } else {
                None
            };
            path.push(' ');
            path.push_str(name);
            grammar = level(&path).or(children).unwrap_or(grammar);
            if !has_levels(&path) && !RUNS.contains(&path.as_str()) {
                break;
            }
        }
        let read = grammar::read(words, grammar, Order::Anywhere);
        call.options.extend(read.options);
        call.operands.extend(read.operands);
        call
    }

    /// True if the operands start with these words; `|` stands between words of which one will do,
    /// `*` for any.
    pub(super) fn verbs(&self, expected: &str) -> bool {
        let mut operands = self.operands.iter();
        expected.split(' ').all(|text| {
            operands.next().is_some_and(|word| {
                text == "*"
                    || word
                        .candidates()
                        .any(|c| text.split('|').any(|choice| choice == c))
            })
        })
    }

    /// The first of these that fits.
    pub(super) fn any(&self, expected: &[&str]) -> bool {
        expected.iter().any(|verbs| self.verbs(verbs))
    }

    /// The n-th operand, if it is known.
    pub(super) fn operand(&self, n: usize) -> Option<&'a str> {
        self.operands.get(n)?.known()
    }

    /// True if the option was given, as a letter (`'\0'`: none) or in full (`""`: none), and not
    /// turned off by `=false`.
    pub(super) fn has(&self, letter: char, name: &str) -> bool {
        self.options.iter().any(|o| {
            (o.is_short(letter) || (!name.is_empty() && o.long && o.name == name))
                && !matches!(
                    o.value.and_then(grammar::OptValue::known),
                    Some("false" | "none")
                )
        })
    }

    /// The known values of an option, as often as it was given.
    pub(super) fn values(&self, letter: char, name: &str) -> impl Iterator<Item = &'a str> {
        self.options
            .iter()
            .filter(move |o| o.is_short(letter) || (!name.is_empty() && o.long && o.name == name))
            .filter_map(|o| o.value?.known())
    }

    /// True if an option has one of these values.
    pub(super) fn is(&self, letter: char, name: &str, values: &[&str]) -> bool {
        self.values(letter, name).any(|v| values.contains(&v))
    }

    /// True if one of the options was given, each spelled with its dashes: `-C`, `--clean`.
    pub(super) fn has_any(&self, options: &[&str]) -> bool {
        options
            .iter()
            .any(|option| match option.strip_prefix("--") {
                Some(name) => self.has('\0', name),
                None => {
                    let mut letters = option.trim_start_matches('-').chars();
                    letters.next().is_some_and(|letter| self.has(letter, ""))
                }
            })
    }

    /// The first row that fits.
    pub(super) fn row<'t>(&self, tool: &str, table: &'t [Row]) -> Option<&'t Row> {
        table.iter().find(|(tools, verbs, options, _)| {
            tools.contains(&tool)
                && self.any(verbs)
                && (options.is_empty() || self.has_any(options))
        })
    }

    /// True for a rehearsal: `--dry-run`, `--dry-run=client`, but not `--dry-run=none`.
    pub(super) fn is_rehearsal(&self) -> bool {
        self.has('\0', "dry-run") || self.has('\0', "dryrun")
    }
}

/// Tools; what their operands start with; options of which one must be given, if any; what is lost.
pub(super) type Row = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

/// Behind the first operand of these stands a command with options of its own.
const RUNS: &[&str] = &[
    "docker compose exec",
    "docker compose run",
    "docker container create",
    "docker container exec",
    "docker container run",
    "docker create",
    "docker exec",
    "docker run",
    "kubectl exec",
];

/// Tools that are read like another one.
fn canonical(name: &str) -> &str {
    match name {
        "podman" | "nerdctl" => "docker",
        "docker-compose" | "podman-compose" => "docker compose",
        "oc" | "k" | "microk8s.kubectl" => "kubectl",
        "tofu" | "terragrunt" => "terraform",
        "flyctl" => "fly",
        name => name,
    }
}

const fn g(
    tool: &'static str,
    short_values: &'static str,
    long_values: &'static [&'static str],
) -> Grammar {
    Grammar {
        tool,
        short_values,
        short_attached: "",
        long_values,
        style: Style::Gnu,
    }
}

/// Long options have one dash.
const fn single(tool: &'static str, long_values: &'static [&'static str]) -> Grammar {
    Grammar {
        style: Style::Single,
        ..g(tool, "", long_values)
    }
}

const RUN: &[&str] = &[
    "add-host",
    "annotation",
    "attach",
    "cap-add",
    "cap-drop",
    "cgroup-parent",
    "cgroupns",
    "cidfile",
    "cpus",
    "cpuset-cpus",
    "device",
    "device-cgroup-rule",
    "dns",
    "entrypoint",
    "env",
    "env-file",
    "expose",
    "gpus",
    "group-add",
    "health-cmd",
    "hostname",
    "ip",
    "ipc",
    "label",
    "link",
    "log-driver",
    "log-opt",
    "memory",
    "memory-swap",
    "mount",
    "name",
    "net",
    "network",
    "network-alias",
    "pid",
    "pids-limit",
    "platform",
    "publish",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "stop-timeout",
    "sysctl",
    "tmpfs",
    "ulimit",
    "user",
    "userns",
    "uts",
    "volume",
    "volume-driver",
    "volumes-from",
    "workdir",
];

/// In the order of their bytes. `tool *` stands for each subcommand without a row of its own.
#[rustfmt::skip]
const LEVELS: &[Grammar] = &[
    g("aws", "", &[
        "profile", "region", "output", "query", "endpoint-url", "color", "cli-read-timeout",
        "cli-connect-timeout", "ca-bundle",
    ]),
    g("crictl", "rit", &["runtime-endpoint", "image-endpoint", "timeout", "config"]),
    g("crictl *", "", &[]),
    g("ctr", "an", &["address", "namespace", "timeout", "connect-timeout"]),
    g("ctr *", "", &[]),
    g("docker", "cHln", &[
        "config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey", "connection",
        "identity", "root", "runroot", "storage-driver", "storage-opt", "url", "namespace",
    ]),
    g("docker *", "", &["filter", "format", "time", "timeout", "signal"]),
    g("docker build", "tfo", &[
        "tag", "file", "build-arg", "target", "platform", "label", "cache-from", "cache-to", "output",
        "secret", "ssh", "network", "progress", "iidfile", "builder", "build-context", "add-host",
    ]),
    g("docker buildx", "", &["builder"]),
    g("docker buildx *", "", &["filter", "keep-storage", "driver", "name", "builder"]),
    g("docker compose", "fp", &[
        "file", "project-name", "project-directory", "profile", "env-file", "ansi", "parallel",
        "progress", "workdir", "host", "context",
    ]),
    g("docker compose *", "t", &["timeout", "signal", "rmi", "tail", "since", "scale", "index"]),
    g("docker compose exec", "euw", &["env", "user", "workdir", "index"]),
    g("docker compose kill", "s", &["signal"]),
    g("docker compose run", "evpuwl", &["env", "volume", "publish", "user", "workdir", "label", "name", "entrypoint"]),
    g("docker container", "", &[]),
    g("docker container *", "", &["filter", "format", "time", "timeout", "signal"]),
    g("docker container create", "aehlmpuvwc", RUN),
    g("docker container exec", "euw", &["env", "env-file", "user", "workdir", "detach-keys"]),
    g("docker container kill", "s", &["signal"]),
    g("docker container restart", "ts", &["time", "timeout", "signal"]),
    g("docker container run", "aehlmpuvwc", RUN),
    g("docker container stop", "ts", &["time", "timeout", "signal"]),
    g("docker create", "aehlmpuvwc", RUN),
    g("docker exec", "euw", &["env", "env-file", "user", "workdir", "detach-keys"]),
    g("docker kill", "s", &["signal"]),
    g("docker restart", "ts", &["time", "timeout", "signal"]),
    g("docker run", "aehlmpuvwc", RUN),
    g("docker stop", "ts", &["time", "timeout", "signal"]),
    g("fly", "ac", &["app", "config", "access-token"]),
    g("gcloud", "", &[
        "project", "zone", "region", "account", "configuration", "format", "filter", "verbosity",
        "impersonate-service-account", "billing-project", "location", "flags-file",
    ]),
    g("gsutil", "ohiu", &[]),
    g("hcloud", "", &["context", "config", "endpoint"]),
    g("helm", "nf", &[
        "namespace", "values", "set", "set-string", "set-file", "kube-context", "kubeconfig", "version",
        "timeout", "output", "kube-apiserver", "kube-token", "history-max", "repo", "description",
    ]),
    g("helmfile", "efnlb", &["environment", "file", "namespace", "selector", "helm-binary", "kube-context", "state-values-set", "log-level"]),
    g("hg", "R", &["config", "cwd", "repository", "color", "pager", "encoding", "encodingmode"]),
    g("hg *", "rmuldBbejst", &[
        "rev", "message", "user", "date", "base", "branch", "bookmark", "include", "exclude", "logfile",
        "name", "tool", "limit", "template", "dest", "source",
    ]),
    g("hg bookmark", "r", &["rev"]),
    g("hg revert", "rdIXt", &["rev", "date", "include", "exclude"]),
    g("hg shelve", "mntIX", &["message", "name", "date", "include", "exclude"]),
    g("jj", "R", &["repository", "at-operation", "color", "config", "config-file"]),
    g("jj *", "rmfts", &["revision", "revisions", "message", "from", "to", "into", "source", "destination"]),
    g("kubectl", "nsv", &[
        "namespace", "context", "cluster", "kubeconfig", "user", "server", "token", "as", "as-group",
        "request-timeout", "cache-dir", "certificate-authority", "client-key", "client-certificate",
        "v", "as-uid", "tls-server-name",
    ]),
    g("kubectl *", "nclfoskL", &[
        "namespace", "container", "context", "cluster", "kubeconfig", "user", "server", "token", "as",
        "as-group", "selector", "filename", "output", "timeout", "grace-period", "replicas",
        "current-replicas", "kustomize", "field-selector", "request-timeout", "type", "template",
        "patch", "patch-file", "subresource", "labels", "sort-by", "raw", "cascade-timeout",
        "to-revision", "pod-selector", "field-manager", "clusterrole", "serviceaccount", "group",
        "verb", "resource", "image", "overrides", "restart", "from-literal", "from-file",
    ]),
    g("kubectl patch", "nfopks", &[
        "namespace", "context", "kubeconfig", "filename", "output", "patch", "patch-file", "type",
        "subresource", "field-manager", "kustomize",
    ]),
    g("nomad", "", &["address", "region", "namespace", "token"]),
    g("openstack", "", &["os-cloud", "os-project-name", "os-region-name"]),
    g("pulumi", "Csv", &["cwd", "stack", "verbose", "color", "config-file", "message", "target", "parallel"]),
    g("rclone", "", &[
        "config", "transfers", "checkers", "bwlimit", "exclude", "include", "filter", "filter-from",
        "exclude-from", "include-from", "files-from", "log-file", "log-level", "max-age", "min-age",
        "max-size", "min-size", "backup-dir", "retries", "tpslimit",
    ]),
    g("restic", "rpo", &["repo", "password-file", "repository-file", "option", "cache-dir", "host", "tag", "path"]),
    g("s3cmd", "c", &["config", "access_key", "secret_key", "region", "host", "host-bucket"]),
    g("serverless", "sr", &["stage", "region", "config", "aws-profile"]),
    g("sls", "sr", &["stage", "region", "config", "aws-profile"]),
    g("svn", "", &["username", "password", "config-dir", "config-option"]),
    g("svn *", "rmcF", &["revision", "message", "change", "file", "accept", "depth", "changelist", "targets", "username", "password"]),
    single("terraform", &["chdir", "working-dir", "terragrunt-working-dir", "terragrunt-config"]),
    single("terraform *", &[
        "chdir", "var", "var-file", "target", "replace", "lock-timeout", "parallelism", "out", "state",
        "state-out", "backup", "backend-config", "lock", "refresh", "terragrunt-working-dir", "config",
        "working-dir", "queue-include-dir", "queue-exclude-dir",
    ]),
    single("vault", &["address", "namespace", "ca-cert", "format", "field", "mount", "versions"]),
];

fn level(path: &str) -> Option<&'static Grammar> {
    let at = NAMES.find(path, |at| Some(LEVELS.get(at)?.tool))?;
    LEVELS.get(at)
}

static NAMES: NameIndex<256> = index_of!(LEVELS, tool);

/// True if subcommands of this one have rows of their own.
fn has_levels(path: &str) -> bool {
    let first = LEVELS.partition_point(|g| g.tool <= path);
    LEVELS
        .get(first..)
        .unwrap_or(&[])
        .iter()
        .map_while(|g| g.tool.strip_prefix(path))
        .any(|rest| rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_are_in_order() {
        assert!(LEVELS.is_sorted_by_key(|g| g.tool));
    }
}
