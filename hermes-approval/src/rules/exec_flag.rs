//! Options and variables that make a harmless tool run another program.

mod commands;
mod git;
mod options;
mod variables;

use crate::rule::Pack;

pub(crate) use options::option_script;
pub(crate) use variables::variable_script;

pub(super) static PACK: Pack = Pack {
    name: "exec-flag",
    about: "options, settings and variables that make a tool run another program",
    rules: &[
        options::KNOWN,
        options::OPTION,
        commands::EDITOR,
        git::SETTING,
        commands::SEARCH,
        commands::PLUGIN,
        commands::CALLBACK,
        commands::EVAL,
        variables::PRELOAD,
        variables::PROGRAM,
    ],
};

/// Programs that such options are made for: compressors, pagers, editors, shells of the remote side.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "bat", "bzip2", "cat", "code", "col", "colordiff", "delta", "diff", "diff-so-fancy", "emacs", "gzip", "head",
    "less", "lz4", "lzma", "lzop", "more", "most", "nano", "nl", "nvim", "pbzip2", "pigz", "pixz", "plzip", "rsh",
    "ssh", "subl", "true", "vi", "vim", "wc", "xz", "zstd", "zstdmt", "lbzip2", "brotli", "md5sum", "sha256sum",
    "remsh", "moar", "ov", "lesspipe", "jq", "sed", "tail", "hx", "micro", "kak", "meld", "vimdiff", "nvimdiff",
];

/// True for a command line that starts one of the programs such an option is made for.
fn is_ordinary(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or("");
    let (folder, name) = first.rsplit_once('/').unwrap_or(("", first));
    let usual = matches!(
        folder,
        "" | "/bin" | "/usr/bin" | "/usr/local/bin" | "/opt/homebrew/bin"
    );
    usual && ORDINARY.contains(&name)
}
