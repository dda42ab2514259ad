//! Paths as people read them. What comes out is text, and nothing takes it back in.

use std::ffi::OsStr;
use std::path::Path;

use crate::path_text::PathText;

/// A path in full, on one line: control characters are escaped.
pub(crate) fn readable(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

/// `~/…` for a path below the user's home, anything else in full.
pub(crate) fn shortened(path: &PathText, user_home: Option<&PathText>) -> String {
    match user_home.and_then(|user_home| path.below(user_home)) {
        Some(rest) if stays_below(rest) => {
            let mut text = String::from("~");
            for part in rest {
                text.push_str(path.platform().separator());
                text.push_str(&part.to_string_lossy());
            }
            one_line(&text)
        }
        _ => readable(&path.to_path()),
    }
}

/// `~/../bob` is not below `~`.
fn stays_below(rest: &[impl AsRef<OsStr>]) -> bool {
    let mut depth = 0_usize;
    for part in rest {
        if part.as_ref() != ".." {
            depth += 1;
        } else if depth == 0 {
            return false;
        } else {
            depth -= 1;
        }
    }
    true
}

pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}
