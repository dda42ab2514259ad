//! Which toolsets are wanted, and which are not.

use serde::{Deserialize, Serialize};

/// Which toolsets are wanted, and which are not. Names are kept byte for byte, also those that
/// nobody knows.
///
/// ```
/// use hermes_tools::Selection;
///
/// let selection = Selection::of(["hermes-cli"]).without(["terminal"]);
/// assert_eq!(
///     serde_json::to_string(&selection)?,
///     r#"{"enabled":["hermes-cli"],"disabled":["terminal"]}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Selection {
    /// The toolsets that are wanted; `None` is every one, and an empty list is none.
    #[serde(default)]
    pub enabled: Option<Vec<String>>,
    /// The toolsets that are taken away from those.
    #[serde(default)]
    pub disabled: Vec<String>,
}

impl Selection {
    /// Every toolset.
    pub fn all() -> Selection {
        Selection::default()
    }

    /// These toolsets; none if there are none.
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Selection {
        Selection {
            enabled: Some(names.into_iter().map(Into::into).collect()),
            disabled: Vec::new(),
        }
    }

    /// Takes toolsets away.
    #[must_use]
    pub fn without<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Selection {
        self.disabled.extend(names.into_iter().map(Into::into));
        self
    }
}
