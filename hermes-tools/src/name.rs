//! Names of tools: what every backend accepts, and the way from any text to such a name.

use crate::error::{Error, Result};
use crate::text::clip;

/// How long a tool's name may be, in characters: what the strictest backends take.
pub const MAX_NAME_CHARS: usize = 64;

/// Says whether a name can be that of a tool.
///
/// # Errors
/// [`Error::InvalidName`] unless it is 1 to 64 ASCII letters, digits, `_` and `-`.
pub fn check_tool_name(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if let Some(problem) = first_bad_char(name) {
        problem
    } else if name.len() > MAX_NAME_CHARS {
        "it is longer than 64 characters"
    } else {
        return Ok(());
    };
    Err(invalid("tool", name, problem))
}

/// Says whether a name can be that of a toolset: not empty, at most 200 characters, no control
/// characters, no white space around it, and neither `all` nor `*`, which mean every toolset.
///
/// # Errors
/// [`Error::InvalidName`] if it cannot.
pub fn check_toolset_name(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if name != name.trim() {
        "it begins or ends with white space"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else if name.chars().count() > 200 {
        "it is longer than 200 characters"
    } else if matches!(name, "all" | "*") {
        "it means every toolset"
    } else {
        return Ok(());
    };
    Err(invalid("toolset", name, problem))
}

fn invalid(kind: &'static str, name: &str, problem: &'static str) -> Error {
    Error::InvalidName {
        kind,
        name: clip(name, 100),
        problem,
        suggestion: safe_tool_name(name),
    }
}

fn first_bad_char(name: &str) -> Option<&'static str> {
    name.chars().find_map(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => None,
        c if c.is_whitespace() => Some("it has white space"),
        '/' | '\\' => Some("it has a slash"),
        c if c.is_control() => Some("it has control characters"),
        c if !c.is_ascii() => Some("it has letters outside ASCII"),
        _ => Some("it has characters besides letters, digits, `_` and `-`"),
    })
}

/// The nearest name that [`check_tool_name`] accepts.
///
/// Characters that cannot be become `_`. Two texts can give one name: see [`UniqueNames`].
///
/// ```
/// assert_eq!(hermes_tools::safe_tool_name("read file/2"), "read_file_2");
/// ```
pub fn safe_tool_name(text: &str) -> String {
    let name: String = text
        .chars()
        .take(MAX_NAME_CHARS)
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c,
            _ => '_',
        })
        .collect();
    if name.is_empty() {
        "tool".to_owned()
    } else {
        name
    }
}

/// Gives every member of a family of foreign tools a name of its own.
///
/// Servers call their tools as they like: two of them may become the same name once it is made
/// safe, or be too long. The same pair always gets the same name, whatever was asked before, except
/// where two pairs clash: there the first keeps the plain name, and the later one gets a suffix
/// that depends on its own text alone.
///
/// ```
/// use hermes_tools::UniqueNames;
///
/// let mut names = UniqueNames::default();
/// assert_eq!(names.name("mcp", "foo-bar", "search"), "mcp_foo-bar_search");
/// assert_eq!(names.name("mcp", "foo bar", "search"), "mcp_foo_bar_search");
/// assert_ne!(names.name("mcp", "foo/bar", "search"), "mcp_foo_bar_search");
/// ```
#[derive(Debug, Default)]
pub struct UniqueNames {
    taken: std::collections::BTreeMap<String, (String, String, String)>,
}

impl UniqueNames {
    /// The name for a server's tool, as `<prefix>_<server>_<tool>`.
    pub fn name(&mut self, prefix: &str, server: &str, tool: &str) -> String {
        let owner = (prefix.to_owned(), server.to_owned(), tool.to_owned());
        let full = format!("{prefix}_{server}_{tool}");
        let plain = safe_tool_name(&full);
        if full.chars().count() <= MAX_NAME_CHARS && self.take(&plain, &owner) {
            return plain;
        }
        let mut seed = 0_u64;
        loop {
            let hash = fnv1a(&owner, seed);
            let kept: String = plain.chars().take(MAX_NAME_CHARS - 9).collect();
            let name = format!("{kept}_{:08x}", hash & 0xffff_ffff);
            if self.take(&name, &owner) {
                return name;
            }
            seed += 1;
        }
    }

    fn take(&mut self, name: &str, owner: &(String, String, String)) -> bool {
        self.taken
            .entry(name.to_owned())
            .or_insert_with(|| owner.clone())
            == owner
    }
}

/// FNV-1a: names must not change from one run or release of Rust to the next.
fn fnv1a(owner: &(String, String, String), seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed;
    for part in [&owner.0, &owner.1, &owner.2] {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
