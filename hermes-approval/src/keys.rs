//! Approval keys: what an approval is stored under, in this release and in others.
//!
//! A *canonical* key is the description of a rule. Releases before canonical keys stored a piece of
//! the rule's pattern instead, a *legacy* key, and several rules can share one. Some canonical keys
//! were *renamed* in 0.19. The table says all that, so that what a person approved once stays
//! approved, whichever release asks.

mod table;

pub use table::{KEYS, PROGRAM_EXECUTION};

/// A release of Hermes Agent whose keys differ from those of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[non_exhaustive]
pub enum Release {
    /// 0.13.
    #[serde(rename = "0.13")]
    V0_13,
    /// 0.19.
    #[serde(rename = "0.19")]
    V0_19,
}

/// One canonical key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Key {
    /// The key itself: the description of the rule.
    pub canonical: &'static str,
    /// The release from which on it is used.
    pub since: Release,
    /// The last release that uses it; `None` for one that is in use.
    pub until: Option<Release>,
    /// What it is called now, if it was renamed.
    pub renamed_to: Option<&'static str>,
    /// What it was stored as before there were canonical keys, as far as such a release had it: by
    /// [`fingerprint`], since the keys themselves are pieces of patterns that are not ours.
    #[serde(skip)]
    pub legacy: &'static [u64],
}

impl Key {
    /// Whether this release stores it.
    pub fn is_in(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|until| release <= until)
    }
}

/// FNV-1a of a text, by which legacy keys are known.
pub const fn fingerprint(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut rest = text.as_bytes();
    while let [byte, behind @ ..] = rest {
        // The cast widens.
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        rest = behind;
    }
    hash
}

/// The entry of the table for a canonical key.
pub fn find(canonical: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.canonical == canonical)
}

/// The names that `key` has in the releases: `key` itself first, then what it was or is called in
/// another one. A key that is not in the table, such as one of our own rules or of a scanner, has
/// its own name only.
pub fn names(key: &str) -> Vec<&str> {
    let mut found = vec![key];
    let others = family(key).into_iter().map(|one| one.canonical);
    found.extend(others.filter(|name| *name != key));
    found
}

/// Whether an approval that was stored as `stored`, by whatever release, is one of `key`.
pub fn approves(stored: &str, key: &str) -> bool {
    if stored == key {
        return true;
    }
    let fingerprint = fingerprint(stored);
    family(key)
        .iter()
        .any(|one| one.canonical == stored || one.legacy.contains(&fingerprint))
}

/// What "always" writes for `key`: the canonical key, and for one that was renamed both names, the
/// newer first, so that every release knows it.
pub fn stored_as(key: &str) -> Vec<&str> {
    let mut family = family(key);
    if family.is_empty() {
        return vec![key];
    }
    family.sort_by_key(|one| std::cmp::Reverse(one.since));
    family.iter().map(|one| one.canonical).collect()
}

/// The canonical keys that a stored key stands for: itself, or all that share a legacy key.
pub fn canonicals(stored: &str) -> Vec<&str> {
    if find(stored).is_some() {
        return vec![stored];
    }
    let fingerprint = fingerprint(stored);
    let mut shared: Vec<&str> = Vec::new();
    for key in KEYS.iter().filter(|key| key.legacy.contains(&fingerprint)) {
        for name in [Some(key.canonical), key.renamed_to].into_iter().flatten() {
            if !shared.contains(&name) {
                shared.push(name);
            }
        }
    }
    if shared.is_empty() {
        shared.push(stored);
    }
    shared
}

/// Whether an approval of this key may be kept for good. Findings of a scanner and questions of MCP
/// servers are about one case, not about a kind.
pub fn may_be_permanent(key: &str) -> bool {
    !key.starts_with("tirith:") && key != "mcp_elicitation"
}

/// The keys that are the same rule under its names.
fn family(key: &str) -> Vec<&'static Key> {
    let Some(own) = find(key) else {
        return Vec::new();
    };
    let now = own.renamed_to.unwrap_or(own.canonical);
    let mut family = vec![own];
    family.extend(KEYS.iter().filter(|other| {
        other.canonical != own.canonical
            && (other.canonical == now || other.renamed_to == Some(now))
    }));
    family
}
