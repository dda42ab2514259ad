//! `deny.toml`, for those who have cargo-deny: written from the tables in `policy`, so that both
//! say the same. A test holds the file in the repository to it.

use std::fmt::Write;

use crate::policy::{CONFINED, DUPLICATES, LICENSES};

/// The file, in the workspace's root.
pub(crate) const FILE: &str = "deny.toml";

/// The whole file. Crates of ours that may have a confined dependency are its `wrappers`;
/// cargo-deny makes no difference between a crate and its tests there.
pub(crate) fn rendered() -> String {
    let mut text = String::from(
        "# Made by `cargo xtask deps --write` from xtask/src/policy.rs; change it there.\n\
         # `cargo xtask ci` checks the same without cargo-deny.\n\n\
         [graph]\nall-features = true\n\n\
         [licenses]\nunused-allowed-license = \"allow\"\nallow = [\n",
    );
    for license in LICENSES {
        push(&mut text, format_args!("    {license:?},\n"));
    }
    text.push_str(
        "]\n\n[bans]\nmultiple-versions = \"deny\"\nmultiple-versions-include-dev = true\nskip = [\n",
    );
    for entry in DUPLICATES {
        push(
            &mut text,
            format_args!(
                "    {{ name = {:?}, version = \"={}\", reason = {:?} }},\n",
                entry.name, entry.version, entry.reason
            ),
        );
    }
    text.push_str("]\ndeny = [\n");
    for rule in CONFINED {
        let wrappers: Vec<&str> = rule.to.iter().chain(rule.tests_of).copied().collect();
        push(
            &mut text,
            format_args!(
                "    {{ name = {:?}, wrappers = {:?}, reason = {:?} }},\n",
                rule.name, wrappers, rule.reason
            ),
        );
    }
    text.push_str("]\n\n[sources]\nunknown-registry = \"deny\"\nunknown-git = \"deny\"\n");
    text
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _infallible = text.write_fmt(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_file_in_the_repository_says_what_the_tables_say() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FILE);
        let found = std::fs::read_to_string(path).unwrap();
        assert_eq!(found, rendered(), "run `cargo xtask deps --write`");
    }

    #[test]
    fn every_accepted_licence_is_in_the_file() {
        let text = rendered();
        for license in LICENSES {
            assert!(text.contains(&format!("\"{license}\"")), "{license}");
        }
    }
}
