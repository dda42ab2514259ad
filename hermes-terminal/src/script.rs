//! What surrounds a command in its shell: take over the state of the task, run, leave the state
//! behind. All of it goes through files, which no output can be mistaken for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A shell that commands are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// Any other. It can list neither its functions nor its aliases, so they are not kept.
    Posix,
}

impl Dialect {
    /// What keeps functions and aliases of the task from being run in place of the shell's own.
    fn builtin(self) -> &'static [u8] {
        match self {
            Self::Bash => b"\\builtin ",
            Self::Posix => b"command ",
        }
    }
}

/// What one command is started with.
#[derive(Debug)]
pub(crate) struct Beginning<'a> {
    /// The file that the command is in, for a shell that can read it whole.
    pub(crate) command_file: &'a Path,
    pub(crate) command: &'a str,
    pub(crate) directory: &'a Path,
    /// Where the state of the task is.
    pub(crate) state: Option<StatePaths>,
    /// Variables that hold whatever the state says.
    pub(crate) fixed: &'a [(&'a str, &'a OsStr)],
    /// Whether a password for `sudo` is the first line of the input.
    pub(crate) sudo: bool,
    /// The script for the end, if the state is wanted.
    pub(crate) end: Option<&'a Path>,
}

/// Where the state of a task is read from.
#[derive(Debug)]
pub(crate) struct StatePaths {
    pub(crate) definitions: PathBuf,
    pub(crate) options: PathBuf,
}

/// Where a shell leaves its state.
#[derive(Debug)]
pub(crate) struct EndPaths {
    /// The names of exported variables, where the shell can list them.
    pub(crate) names: PathBuf,
    /// Variables, functions and aliases, as commands.
    pub(crate) definitions: PathBuf,
    /// Options and the mask for new files, as commands.
    pub(crate) options: PathBuf,
    /// The directory and a new line. Written last, and only if all else was.
    pub(crate) directory: PathBuf,
}

impl EndPaths {
    pub(crate) const NAMES: &str = "names";
    pub(crate) const DEFINITIONS: &str = "definitions";
    pub(crate) const OPTIONS: &str = "options";
    pub(crate) const DIRECTORY: &str = "directory";
}

/// What the shell is called with: one line, so that the lines it counts are those of the command.
pub(crate) fn one_line(dialect: Dialect, call: &Path, end: Option<&Path>) -> Vec<u8> {
    let builtin = dialect.builtin();
    let call = quoted(call.as_os_str());
    let mut line = [
        builtin,
        b". ",
        &call,
        b"; ",
        builtin,
        b"eval \"$_hermes_command\"",
    ]
    .concat();
    if let Some(end) = end {
        line.extend(b"; ");
        line.extend(unseen(dialect, end));
    }
    line
}

/// Runs the script for the end. What is traced in it would be in the output.
fn unseen(dialect: Dialect, end: &Path) -> Vec<u8> {
    let end = quoted(end.as_os_str());
    [b"{ ", dialect.builtin(), b". ", &end, b"; } 2>/dev/null"].concat()
}

/// The file that is run before the command.
pub(crate) fn begin(dialect: Dialect, beginning: &Beginning<'_>) -> Vec<u8> {
    let builtin = dialect.builtin();
    let mut script = Script { text: Vec::new() };
    if beginning.sudo {
        script.line(&[b"IFS= ", builtin, b"read -r _hermes_password"]);
    }
    let directory = quoted(beginning.directory.as_os_str());
    script.line(&[builtin, b"cd ", &directory, b" || ", builtin, b"exit 126"]);
    script.line(&[builtin, b"unset -v OLDPWD; ", builtin, b"export OLDPWD"]);
    if let Some(state) = &beginning.state {
        let file = quoted(state.definitions.as_os_str());
        script.line(&[b"{ ", builtin, b". ", &file, b"; } >/dev/null 2>&1"]);
    }
    for (name, value) in beginning.fixed {
        script.line(&[builtin, b"export ", name.as_bytes(), b"=", &quoted(value)]);
    }
    script.line(&[b"PWD=", &directory]);
    match dialect {
        // What it takes to read a long quoted word grows with the square of its quotes.
        Dialect::Bash => {
            let file = quoted(beginning.command_file.as_os_str());
            script.line(&[b"IFS= ", builtin, b"read -r -d '' _hermes_command <", &file]);
        }
        Dialect::Posix => {
            let command = quoted(OsStr::new(beginning.command));
            script.line(&[b"_hermes_command=", &command]);
        }
    }
    if beginning.sudo {
        script.sudo(dialect);
    }
    if let Some(end) = beginning.end {
        let on_exit = quoted_bytes(&unseen(dialect, end));
        script.line(&[builtin, b"trap ", &on_exit, b" EXIT"]);
    }
    // Last: with some of them nothing more would work. What is traced would be in the output.
    match (&beginning.state, dialect) {
        (Some(state), _) => {
            let file = quoted(state.options.as_os_str());
            script.line(&[
                b"{ ",
                builtin,
                b". ",
                &file,
                b"; ",
                builtin,
                b"set +xv; } >/dev/null 2>&1",
            ]);
        }
        (None, Dialect::Bash) => script.line(&[builtin, b"shopt -s expand_aliases"]),
        (None, Dialect::Posix) => {}
    }
    script.text
}

/// What a shell runs before it leaves the state that a session begins with: these files, after those
/// of a login. Such files often say anew what `PATH` is; what was in it before is still found, after
/// what they say. These variables have the last word. It comes to its end only with the exit code
/// [`READ`].
pub(crate) fn login(
    dialect: Dialect,
    path: Option<&OsStr>,
    files: &[&str],
    variables: &[(String, String)],
) -> String {
    let mut text = String::new();
    if dialect == Dialect::Bash {
        text.push_str("shopt -s expand_aliases\n");
    }
    for file in files {
        let file = quoted_text(file);
        text.push_str(&format!("if [ -r {file} ]; then . {file}; fi\n"));
    }
    if let Some(path) = path.and_then(OsStr::to_str) {
        text.push_str("_hermes_path=");
        text.push_str(&quoted_text(path));
        text.push_str(
            r#"
while [ -n "$_hermes_path" ]; do
_hermes_place=${_hermes_path%%:*}
case $_hermes_path in *:*) _hermes_path=${_hermes_path#*:};; *) _hermes_path=;; esac
case ":$PATH:" in *":$_hermes_place:"*) ;; *) PATH=$PATH:$_hermes_place;; esac
done
"#,
        );
    }
    for (name, value) in variables {
        text.push_str(&format!("export {name}={}\n", quoted_text(value)));
    }
    text.push_str(&format!("exit {READ}"));
    text
}

/// What a shell says that has read everything: none of the files has ended it.
pub(crate) const READ: i32 = 73;

/// Forgets variables; with the exit code [`READ`] when that is done.
pub(crate) fn unset(names: &[OsString]) -> String {
    let mut text = String::from("unset -v");
    let names = names.iter().filter(|name| is_name(name));
    for name in names.filter_map(|name| name.to_str()) {
        text.push(' ');
        text.push_str(name);
    }
    text.push_str(&format!("\nexit {READ}"));
    text
}

/// Whether a shell can have a variable of this name; there are others.
pub(crate) fn is_name(name: &OsStr) -> bool {
    let mut bytes = name.as_encoded_bytes().iter();
    bytes.all(|&byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// The file that is run after the command. Errors in it are no matter of the command's output, and
/// its exit code is that of the command.
pub(crate) fn end(dialect: Dialect, paths: &EndPaths) -> Vec<u8> {
    let mut text: &str = match dialect {
        Dialect::Bash => {
            r#"_hermes_status=$?
if [ -z "${_hermes_ended-}" ]; then
_hermes_ended=1
[ -z "${_hermes_sudo-}" ] || \builtin unset -f sudo
{
{ \builtin compgen -e || :; } >|NAMES &&
{ \builtin export -p && \builtin declare -f && \builtin declare -Fx && \builtin alias -p; } >|DEFINITIONS &&
{ \builtin shopt -p; \builtin set +o && \builtin umask -p; } >|OPTIONS &&
\builtin pwd >|DIRECTORY
} 2>/dev/null || :
fi
\builtin return "$_hermes_status"
"#
        }
        Dialect::Posix => {
            r#"_hermes_status=$?
if [ -z "${_hermes_ended-}" ]; then
_hermes_ended=1
{
command export -p >|DEFINITIONS &&
{ command set +o && printf 'umask ' && command umask; } >|OPTIONS &&
command pwd >|DIRECTORY
} 2>/dev/null || :
fi
return "$_hermes_status"
"#
        }
    };
    let mut script = Vec::new();
    for (placeholder, path) in [
        ("NAMES", &paths.names),
        ("DEFINITIONS", &paths.definitions),
        ("OPTIONS", &paths.options),
        ("DIRECTORY", &paths.directory),
    ] {
        if let Some((before, after)) = text.split_once(placeholder) {
            script.extend(before.as_bytes());
            script.extend(quoted(path.as_os_str()));
            text = after;
        }
    }
    script.extend(text.as_bytes());
    script
}

/// A `sudo` that is handed its password apart from the input of what it runs, which may be a pipe.
/// Where the system gives no ticket for later, the password goes before that input.
const SUDO: &str = r#"_hermes_sudo=1
sudo() {
printf '%s\n' "$_hermes_password" | command sudo -S -p '' -v >/dev/null 2>&1
if command sudo -n -v >/dev/null 2>&1
then command sudo -n "$@"
else { printf '%s\n' "$_hermes_password"; command cat; } | command sudo -S -p '' "$@"
fi
}
"#;

struct Script {
    text: Vec<u8>,
}

impl Script {
    /// A function of the task's own is left as it is.
    fn sudo(&mut self, dialect: Dialect) {
        let builtin = dialect.builtin();
        if dialect == Dialect::Bash {
            self.line(&[b"if ! ", builtin, b"declare -F sudo >/dev/null &&"]);
        } else {
            self.line(&[b"if"]);
        }
        self.line(&[builtin, b"command -v sudo >/dev/null", b"; then"]);
        self.text.extend(SUDO.as_bytes());
        self.line(&[b"fi"]);
    }

    fn line(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.text.extend_from_slice(part);
        }
        self.text.push(b'\n');
    }
}

/// Text as one word of a shell.
pub(crate) fn quoted(text: &OsStr) -> Vec<u8> {
    quoted_bytes(text.as_encoded_bytes())
}

/// The same of text that stays text.
pub(crate) fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn quoted_bytes(text: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for &byte in text {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            byte => word.push(byte),
        }
    }
    word.push(b'\'');
    word
}
