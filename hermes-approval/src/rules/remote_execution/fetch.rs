//! Programs that bring something from another host.

use crate::invocation::{Invocation, Stdin};
use crate::name_index::NameIndex;
use crate::word::Word;

/// Programs that print what they fetch, or bring it in a file, in order.
#[rustfmt::skip]
const FETCHERS: &[&str] = &[
    "Invoke-RestMethod", "Invoke-WebRequest", "aria2c", "axel", "curl", "curlie", "elinks", "fetch", "ftp",
    "http", "httpie", "https", "irm", "iwr", "links", "lwp-download", "lwp-request", "lynx", "nc", "nc.openbsd",
    "nc.traditional", "ncat", "netcat", "sftp", "telnet", "tftp", "w3m", "wget", "wget2", "xh",
];

static FETCHER_NAMES: NameIndex<128> = NameIndex::of(FETCHERS);
static SENDER_NAMES: NameIndex<128> = NameIndex::of(SENDERS);

/// Programs with subcommands, and those that print something from elsewhere.
const PRINTERS: &[(&str, &[&str])] = &[
    ("aws", &["s3", "s3api"]),
    ("az", &["storage"]),
    ("gh", &["api", "gist", "release"]),
    ("glab", &["api"]),
    ("gsutil", &["cat", "cp"]),
    ("ipfs", &["cat", "get"]),
    ("mc", &["cat", "cp"]),
    ("openssl", &["s_client"]),
    ("rclone", &["cat", "copyto"]),
    ("skopeo", &["copy"]),
];

/// True if the invocation brings something from another host.
pub(in super::super) fn fetches(invocation: &Invocation) -> bool {
    let Some(name) = invocation.name() else {
        return false;
    };
    if FETCHER_NAMES.has(FETCHERS, name) {
        return !is_local(invocation);
    }
    if let Stdin::File(word) = &invocation.stdin
        && word.known_prefix().starts_with("/dev/tcp/")
    {
        return true;
    }
    if name == "socat" {
        return invocation.arguments().iter().any(|w| {
            let text = w.text().to_ascii_lowercase();
            ["tcp", "openssl", "udp", "ssl"]
                .iter()
                .any(|p| text.starts_with(p))
        });
    }
    let first = invocation.arguments().first().and_then(Word::known);
    let Some(first) = first else { return false };
    PRINTERS
        .iter()
        .any(|(tool, subs)| *tool == name && subs.contains(&first))
}

/// `curl file://…`, `curl --help`: nothing comes from elsewhere.
fn is_local(invocation: &Invocation) -> bool {
    let words = invocation.arguments();
    words.is_empty()
        || words
            .iter()
            .any(|w| matches!(w.known(), Some("--help" | "--version" | "-V")))
        || words.iter().any(|w| w.known_prefix().starts_with("file:"))
}

/// Programs that send what they are given to another host, in order.
const SENDERS: &[&str] = &[
    "curl",
    "curlie",
    "ftp",
    "http",
    "https",
    "mail",
    "mailx",
    "msmtp",
    "mutt",
    "nc",
    "nc.openbsd",
    "nc.traditional",
    "ncat",
    "netcat",
    "s-nail",
    "sendmail",
    "sftp",
    "socat",
    "ssh",
    "swaks",
    "telnet",
    "tftp",
    "wget",
    "xh",
];

/// True for a program that sends what it is given to another host.
pub(in super::super) fn is_sender(name: &str) -> bool {
    SENDER_NAMES.has(SENDERS, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        assert!(FETCHERS.is_sorted() && SENDERS.is_sorted() && PRINTERS.is_sorted());
    }
}
