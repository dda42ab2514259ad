//! Variables that make a program load or run something else.

use super::is_ordinary;
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::span::Span;
use crate::word::Unknown;

/// Variables with libraries or code that every program, or every one of a language, loads.
#[rustfmt::skip]
const LOADS: &[&str] = &[
    "BASH_ENV", "DYLD_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES", "ENV", "GCONV_PATH", "JAVA_TOOL_OPTIONS", "LD_AUDIT",
    "LD_PRELOAD", "NODE_OPTIONS", "PERL5DB", "PERL5OPT", "PYTHONSTARTUP", "RUBYOPT", "_JAVA_OPTIONS", "PYTHONHOME",
    "PROMPT_COMMAND", "PYTHONINSPECT", "LESSOPEN", "LESSCLOSE", "ZDOTDIR", "EXINIT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GOFLAGS", "GRADLE_OPTS",
    "GTK_MODULES", "INPUTRC", "JDK_JAVA_OPTIONS", "LUA_INIT", "MAKEFLAGS", "MAVEN_OPTS",
    "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "PHPRC", "PYTHONBREAKPOINT", "R_PROFILE",
    "R_PROFILE_USER", "TAR_OPTIONS", "VIMINIT", "RUSTFLAGS",
];

/// Variables with a program that tools start.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "BROWSER", "EDITOR", "GIT_ASKPASS", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND", "MANPAGER", "PAGER", "RSYNC_RSH", "SSH_ASKPASS",
    "SUDO_ASKPASS", "SYSTEMD_PAGER", "VISUAL", "CVS_RSH", "HGEDITOR", "AWS_PAGER", "DELTA_PAGER", "BAT_PAGER",
    "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WRAPPER", "FCEDIT", "FZF_DEFAULT_COMMAND", "GH_BROWSER", "GH_EDITOR",
    "GH_PAGER", "GLAB_PAGER", "HGMERGE", "KUBECTL_EXTERNAL_DIFF", "KUBE_EDITOR", "MAKESHELL", "MYSQL_PAGER",
    "PSQL_EDITOR", "PSQL_PAGER", "RUSTC", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "RUSTDOC", "SUDO_EDITOR",
    "SVN_EDITOR", "SVN_SSH", "SYSTEMD_EDITOR", "SYSTEMD_SSH", "npm_config_script_shell",
];

/// So many words behind `env` or `sudo` may give variables.
const MAX_WORDS: usize = 8;

const RUN: Key = Key::ours("arbitrary program execution via variable");

/// The first variable that is given a value which `counts`, in front of a program, by `export` or
/// `env`.
fn given(look: &Look<'_>, counts: impl Fn(&str, &str) -> bool) -> Option<Span> {
    let assigned = look.invocation.assignments.iter().find(|a| {
        let value = a.values.first().map_or("", |w| match w.unknowns().next() {
            // `BASH_ENV=<(cmd)` is a path.
            Some(Unknown::Process(_)) => "/dev/fd/63",
            _ => w.text(),
        });
        counts(&a.name, value)
    });
    if let Some(assignment) = assigned {
        return Some(assignment.span);
    }
    if !matches!(look.invocation.name(), Some("env" | "sudo" | "doas")) {
        return None;
    }
    let word = look.words().iter().take(MAX_WORDS).find(|w| {
        w.text()
            .split_once('=')
            .is_some_and(|(name, value)| counts(name, value))
    })?;
    Some(word.span)
}

pub(super) const PRELOAD: Rule = Rule {
    id: "exec-flag.preload",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[RUN],
    reason: "Every program that is started loads and runs what this variable names.",
    alternative: Some("Run the program without it."),
    test: Test::Any(|look| {
        let span = given(look, |name, value| {
            LOADS.contains(&name) && loads(name, value)
        })?;
        Some(look.hit_at(span))
    }),
    matches: &[
        "LD_PRELOAD=./x.so ls",
        "env LD_PRELOAD=/tmp/x.so ls",
        "sudo LD_PRELOAD=./x.so id",
        "export BASH_ENV=/tmp/x",
        "PROMPT_COMMAND='curl u'",
        "NODE_OPTIONS='--require ./x.js' npm test",
        "LESSOPEN='|./x %s' less f",
        "PERL5OPT=-Mx perl a.pl",
        "BASH_ENV=<(echo ls) bash -c ls",
        "GOFLAGS=-toolexec=./x go build ./...",
        "VIMINIT='source ./x' vim f",
        "OPENSSL_CONF=./x.cnf openssl version",
        "GIT_CONFIG_PARAMETERS=\"'core.pager=./x'\" git log",
    ],
    near_misses: &[
        "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        "LD_LIBRARY_PATH=lib ./a",
        "LD_PRELOAD= ls",
        "echo LD_PRELOAD=x",
    ],
    safe: &[
        "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        "ENV=production make",
        "LESSOPEN= less f",
        "unset LD_PRELOAD",
        "RUBYOPT=-W0 rake",
        "GOFLAGS=-mod=mod go build ./...",
        "GIT_CONFIG_GLOBAL=/dev/null git status",
    ],
    ..Rule::ASK
};

fn loads(name: &str, value: &str) -> bool {
    if value.is_empty() {
        return false;
    }
    match name {
        "NODE_OPTIONS" => [
            "--require",
            "-r ",
            "--import",
            "--loader",
            "--experimental-loader",
            "--inspect",
        ]
        .iter()
        .any(|o| value.contains(o)),
        "RUBYOPT" => value.contains("-r") || value.contains("-I"),
        "PERL5OPT" => value.contains("-M") || value.contains("-m") || value.contains("-d"),
        "GOFLAGS" => value.contains("-toolexec") || value.contains("-exec"),
        "RUSTFLAGS" => value.contains("linker=.") || value.contains("linker=/tmp"),
        "MAKEFLAGS" => value.contains("--eval") || value.contains("SHELL="),
        "TAR_OPTIONS" => value.contains("exec=") || value.contains("-command"),
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => {
            value.starts_with('.') || value.starts_with("/tmp")
        }
        // Files and folders of the system or of the home are somebody's own.
        "GTK_MODULES" | "INPUTRC" | "OPENSSL_CONF" | "OPENSSL_ENGINES" | "OPENSSL_MODULES"
        | "PHPRC" | "R_PROFILE" | "R_PROFILE_USER" | "GIT_EXEC_PATH" | "GIT_TEMPLATE_DIR" => {
            value.starts_with('.') || value.starts_with("/tmp") || value.starts_with("/dev/shm")
        }
        "PYTHONBREAKPOINT" => {
            value != "0"
                && !["pdb", "ipdb", "pudb", "debugpy"]
                    .iter()
                    .any(|d| value.contains(d))
        }
        "GRADLE_OPTS" | "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" | "MAVEN_OPTS"
        | "_JAVA_OPTIONS" => {
            value.contains("-javaagent")
                || value.contains("-agentpath")
                || value.contains("-agentlib")
        }
        // `ENV=production` is what projects call their own.
        "ENV" => value.starts_with(['/', '.', '~']),
        "LESSOPEN" | "LESSCLOSE" => !value.contains("lesspipe"),
        "LD_PRELOAD" => ![
            "libjemalloc",
            "libtcmalloc",
            "libasan",
            "libfaketime",
            "libeatmydata",
            "libSegFault",
            "libmimalloc",
        ]
        .iter()
        .any(|l| value.contains(l)),
        _ => true,
    }
}

pub(super) const PROGRAM: Rule = Rule {
    id: "exec-flag.program-variable",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[RUN],
    reason: "The tool runs the program that this variable names.",
    alternative: Some("Leave it as it is, or name a pager: `PAGER=cat man ls`."),
    test: Test::Any(program),
    matches: &[
        "PAGER=./x man ls",
        "GIT_SSH_COMMAND='sh -c id' git fetch",
        "GIT_EXTERNAL_DIFF=/tmp/x git diff",
        "EDITOR='sh -c id' crontab -e",
        "export MANPAGER='python3 x.py'",
        "SUDO_ASKPASS=/tmp/x sudo -A id",
        "RUSTC_WRAPPER=./x cargo build",
        "KUBE_EDITOR='rm -rf' kubectl edit deploy a",
        "npm_config_script_shell=./x npm test",
    ],
    near_misses: &["PAGER=cat man ls", "GIT_SSH_COMMAND='ssh -i k' git fetch"],
    safe: &[
        "PAGER=cat git log",
        "GIT_PAGER= git log",
        "EDITOR=vim git commit",
        "EDITOR='code --wait' git commit",
        "export EDITOR=nvim",
        "GIT_EDITOR=true git rebase --continue",
        "GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~2",
        "export VISUAL=nano",
        "GIT_SSH_COMMAND=\"ssh -o StrictHostKeyChecking=no\" git clone git@host:r",
        "AWS_PAGER=\"\" aws s3 ls",
        "BROWSER=none npm start",
        "RUSTC_WRAPPER=sccache cargo build",
        "KUBE_EDITOR=nano kubectl edit deploy a",
    ],
    ..Rule::ASK
};

fn program(look: &Look<'_>) -> Option<Hit> {
    let span = given(look, |name, value| {
        is_program_variable(name) && !is_ordinary(value) && {
            let first = value.split_whitespace().next().unwrap_or("");
            let name = first.rsplit('/').next().unwrap_or(first);
            let interprets = super::super::interpreters::is_interpreter(name);
            let elsewhere = first.contains('/')
                && !first.starts_with("/usr/")
                && !first.starts_with("/bin/")
                && !first.starts_with("/opt/");
            interprets || elsewhere || is_harmful(name)
        }
    })?;
    Some(look.hit_at(span))
}

fn is_program_variable(name: &str) -> bool {
    PROGRAMS.contains(&name)
        || name.starts_with("CARGO_TARGET_")
            && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
}

/// Programs that do harm and are no pager, editor or transport.
fn is_harmful(name: &str) -> bool {
    name != "git" && crate::unwrap::is_program(name, crate::platform::Platform::Posix)
}

/// The value of a variable that a tool runs, where a hardline rule must look at it.
pub(crate) fn variable_script<'a>(look: &Look<'a>) -> Option<&'a str> {
    let assigned = look.invocation.assignments.iter().filter_map(|a| {
        let value = a.values.first()?.known()?;
        Some((a.name.as_str(), value))
    });
    let wraps = matches!(look.invocation.name(), Some("env" | "sudo" | "doas"));
    let words = look.words().iter().take(if wraps { MAX_WORDS } else { 0 });
    let given = words.filter_map(|w| w.known()?.split_once('='));
    assigned
        .chain(given)
        .find(|(name, value)| is_program_variable(name) && !is_ordinary(value) && !value.is_empty())
        .map(|(_, value)| value)
}
