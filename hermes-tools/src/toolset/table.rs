//! All toolsets that are defined by name, and what else is known of such names.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{Presets, Toolset};

/// The catalogue and what was defined at run time, legacy names, and which sets are presets.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolsetTable {
    sets: BTreeMap<String, Toolset>,
    legacy: BTreeMap<String, Vec<String>>,
    presets: Presets,
    /// Tool → the sets that list it, kept so that an explanation costs a look-up.
    listed: HashMap<Arc<str>, ToolsetNames>,
}

impl ToolsetTable {
    pub(crate) fn get(&self, name: &str) -> Option<&Toolset> {
        self.sets.get(name)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.sets.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// The tools of a legacy name.
    pub(crate) fn legacy(&self, name: &str) -> Option<&[String]> {
        self.legacy.get(name).map(Vec::as_slice)
    }

    pub(crate) fn is_core(&self, tool: &str) -> bool {
        self.presets.core.contains(tool)
    }

    pub(crate) fn is_preset(&self, name: &str) -> bool {
        (!self.presets.prefix.is_empty() && name.starts_with(&self.presets.prefix))
            || self.sets.get(name).is_some_and(|set| set.posture)
    }

    /// The sets that list the tool, presets last.
    pub(crate) fn listing(&self, tool: &str) -> Option<&ToolsetNames> {
        self.listed.get(tool)
    }

    /// Every tool that a set lists, in no order.
    pub(crate) fn listed_tools(&self) -> impl Iterator<Item = &Arc<str>> {
        self.listed.keys()
    }

    /// Defines these. `false` if that changes nothing.
    pub(crate) fn define(&mut self, sets: impl IntoIterator<Item = (String, Toolset)>) -> bool {
        let mut changed = false;
        for (name, set) in sets {
            changed |= self.sets.get(&name) != Some(&set);
            self.sets.insert(name, set);
        }
        if changed {
            self.list();
        }
        changed
    }

    /// Defines these legacy names. `false` if that changes nothing.
    pub(crate) fn define_legacy(
        &mut self,
        names: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> bool {
        let mut changed = false;
        for (name, tools) in names {
            changed |= self.legacy.get(&name) != Some(&tools);
            self.legacy.insert(name, tools);
        }
        changed
    }

    /// Says which sets are presets. `false` if that changes nothing.
    pub(crate) fn set_presets(&mut self, presets: Presets) -> bool {
        let changed = self.presets != presets;
        if changed {
            self.presets = presets;
            self.list();
        }
        changed
    }

    fn list(&mut self) {
        let (presets, plain): (Vec<_>, Vec<_>) =
            self.sets.iter().partition(|(name, _)| self.is_preset(name));
        let mut listed: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::new();
        for (name, set) in plain.into_iter().chain(presets) {
            let name: Arc<str> = Arc::from(name.as_str());
            for tool in &set.tools {
                let sets = listed.entry(Arc::from(tool.as_str())).or_default();
                if sets.last() != Some(&name) {
                    sets.push(Arc::clone(&name));
                }
            }
        }
        self.listed = listed
            .into_iter()
            .map(|(tool, sets)| (tool, ToolsetNames(Arc::from(sets))))
            .collect();
    }
}

/// Names of toolsets, shared: a clone is cheap. Presets come last.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolsetNames(Arc<[Arc<str>]>);

impl ToolsetNames {
    /// The names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These, and before them this one unless it is among them.
    pub(crate) fn with(listed: Option<&ToolsetNames>, first: &Arc<str>) -> ToolsetNames {
        match listed {
            Some(names) if names.0.contains(first) => names.clone(),
            names => {
                let rest = names.into_iter().flat_map(|names| names.0.iter());
                ToolsetNames(std::iter::once(first).chain(rest).cloned().collect())
            }
        }
    }
}

impl fmt::Debug for ToolsetNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for ToolsetNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
