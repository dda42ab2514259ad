//! Programs that turn text that nobody can read into text that a shell can run.

use crate::invocation::Invocation;
use crate::look::{Look, Scope};
use crate::rule::Key;

const DECODE: Key = Key::from19("pipe decoded content to shell (possible command obfuscation)");
const XXD: Key = Key::from19("pipe xxd-decoded content to shell (possible command obfuscation)");
const TR: Key = Key::from19("pipe tr-transformed output to shell (possible command obfuscation)");
const OPENSSL: Key =
    Key::from19("pipe openssl-decoded content to shell (possible command obfuscation)");

/// The keys for what it decodes, if it does; the first is the one to store.
pub(crate) fn keys(scope: Scope<'_>, invocation: &Invocation) -> Option<&'static [Key]> {
    let name = invocation.name()?;
    let look = Look::new(scope, invocation, name);
    match name {
        "base64" | "base32" | "base16" | "basenc" | "gbase64" => {
            (look.has('d', "decode") || look.has('D', "")).then_some(&[DECODE])
        }
        "xxd" => {
            let mut words = look.words().iter().map(|w| w.text());
            words
                .any(|w| w.starts_with('-') && w.contains('r'))
                .then_some(&[XXD])
        }
        "tr" => Some(&[TR]),
        "openssl" => {
            let decodes = look.has_word("-d") || look.has_word("-decrypt");
            let base64 = look.word(0) == Some("base64") || look.has_word("-base64");
            match (decodes, base64) {
                (false, _) => None,
                (true, false) => Some(&[OPENSSL]),
                (true, true) => Some(&[OPENSSL, DECODE]),
            }
        }
        "uudecode" | "rev" | "ascii85" | "qprint" | "gpg" => Some(&[DECODE]),
        _ => None,
    }
}
