//! Trees that are served to everybody in the network.

use super::super::named_paths;
use crate::look::Look;
use crate::paths::Tree;
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const SERVE: Rule = Rule {
    id: "exfil.serve-tree",
    class: "exfil",
    severity: Severity::High,
    keys: &[Key::ours("serve a private tree over the network")],
    reason: "Everybody in the network can read the whole tree.",
    alternative: Some(
        "Serve one folder to this machine: `python3 -m http.server -d public --bind 127.0.0.1`.",
    ),
    test: Test::Program(
        &[
            "python*",
            "php*",
            "ruby",
            "npx",
            "http-server",
            "serve",
            "busybox",
            "caddy",
            "webfsd",
            "miniserve",
            "darkhttpd",
            "sfz",
            "dufs",
        ],
        serve,
    ),
    matches: &[
        "python3 -m http.server --directory ~",
        "cd ~ && python3 -m http.server 8000",
        "cd / && python2 -m SimpleHTTPServer",
        "python3 -m http.server -d /etc",
        "php -S 0.0.0.0:80 -t /root",
        "npx http-server ~",
        "python3 -m http.server --directory ~/.ssh",
    ],
    near_misses: &[
        "python3 -m http.server --directory public",
        "python3 -m http.server --directory ~ --bind 127.0.0.1",
    ],
    safe: &[
        "python3 -m http.server 8000 --bind 127.0.0.1",
        "python3 -m http.server 8000",
        "npx serve dist",
        "php -S localhost:8000 -t public",
    ],
    ..Rule::ASK
};

fn serve(look: &Look<'_>) -> Option<Hit> {
    let serves = match look.name {
        "python" => {
            look.word(0) == Some("-m")
                && matches!(
                    look.word(1),
                    Some("http.server" | "SimpleHTTPServer" | "pyftpdlib" | "uploadserver")
                )
        }
        "php" => look.words().iter().any(|w| w.known() == Some("-S")),
        "ruby" => look.words().iter().any(|w| w.known() == Some("httpd")),
        "npx" => look
            .words()
            .iter()
            .any(|w| matches!(w.known(), Some("http-server" | "serve"))),
        "busybox" => look.word(0) == Some("httpd"),
        "caddy" => look.word(0) == Some("file-server"),
        _ => true,
    };
    let local = look.words().iter().any(|w| {
        let text = w.text();
        let host = text.split_once('=').map_or(text, |(_, v)| v);
        host.starts_with("127.") || host.starts_with("localhost") || host == "::1"
    });
    if !serves || local {
        return None;
    }
    let private = |path: &str| {
        named_paths::tree(look, path).is_some_and(|t| t >= Tree::HermesHome)
            || super::super::secret_files::is_secret(look, path)
    };
    let named = look
        .words()
        .iter()
        .filter_map(|w| w.known())
        .find_map(|text| {
            let path = text.split_once('=').map_or(text, |(_, v)| v);
            let is_path = path.starts_with(['/', '~', '.']) && !path.starts_with("./");
            is_path.then(|| private(path))
        });
    named.unwrap_or_else(|| private(".")).then(|| look.hit())
}
