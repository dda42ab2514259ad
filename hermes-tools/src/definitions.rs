//! What a model is given: the definitions of the tools that it may call.

mod build;

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::availability::Verdicts;
use crate::check::Check;
use crate::memo::Version;
use crate::presence::{Absence, LeftOut};
use crate::registry::Registry;
use crate::selection::Selection;
use crate::snapshot::Snapshot;
use crate::warning::Warning;

/// The tools that a model is given, in the order of their names. It serialises as the list that
/// backends take.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Definitions {
    generation: u64,
    names: Vec<Arc<str>>,
    list: Vec<Arc<Value>>,
    warnings: Vec<Warning>,
    left_out: Vec<LeftOut>,
    unregistered: Vec<Arc<str>>,
}

impl Definitions {
    /// The definitions, each `{"type": "function", "function": {…}}`.
    pub fn as_slice(&self) -> &[Arc<Value>] {
        &self.list
    }

    /// The names, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The definition of this tool.
    pub fn get(&self, name: &str) -> Option<&Arc<Value>> {
        let at = self.names.binary_search_by(|own| own.as_ref().cmp(name));
        at.ok().and_then(|at| self.list.get(at))
    }

    /// Whether the tool is offered.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// How many tools are offered.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether none is offered.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The list that backends take.
    pub fn to_json(&self) -> Value {
        Value::Array(self.list.iter().map(|one| Value::clone(one)).collect())
    }

    /// What a person should hear of: unknown names, patches that failed.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Every tool that is registered and not offered, by name, with the reason.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Why the tool of this name is not offered; `None` if it is, or is not registered.
    pub fn absence(&self, name: &str) -> Option<&Absence> {
        let at = self
            .left_out
            .binary_search_by(|left| left.tool.as_ref().cmp(name));
        at.ok()
            .and_then(|at| self.left_out.get(at))
            .map(|left| &left.why)
    }

    /// The names that the selected toolsets list, but that nobody has registered, in order.
    pub fn unregistered(&self) -> impl ExactSizeIterator<Item = &str> {
        self.unregistered.iter().map(AsRef::as_ref)
    }

    /// The generation of the registry that these are of.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl Serialize for Definitions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list.iter().map(AsRef::as_ref))
    }
}

impl Registry {
    /// What a model is given under this selection: the tools of the enabled toolsets without those
    /// of the disabled ones, as far as they are available, patched to fit one another.
    ///
    /// The same selection gives the same list, shared, until the registry changes or 30 s after a
    /// check or a dynamic schema was asked. Checks run here, on other threads; a dynamic schema and
    /// patches run on this one.
    ///
    /// ```
    /// use hermes_tools::{Registry, Selection, Tool};
    ///
    /// let registry = Registry::hermes();
    /// for (name, toolset) in [("read_file", "file"), ("terminal", "terminal"), ("todo", "todo")] {
    ///     registry.register(Tool::new(name, toolset).handler(|_, _| Ok("")))?;
    /// }
    /// let selection = Selection::of(["debugging"]).without(["terminal"]);
    /// let definitions = registry.tool_definitions(&selection);
    /// assert_eq!(Vec::from_iter(definitions.names()), ["read_file"]);
    /// for left in definitions.left_out() {
    ///     println!("{left}");
    /// }
    /// # Ok::<(), hermes_tools::Error>(())
    /// ```
    pub fn tool_definitions(&self, selection: &Selection) -> Arc<Definitions> {
        self.definitions_and_snapshot(selection).1
    }

    /// The definitions of these tools as far as they are registered and available, in the order of
    /// their names. No toolsets are asked and nothing is patched; of names nobody knows nothing is
    /// said. For lists that were made by [`tool_definitions`](Registry::tool_definitions) before.
    pub fn definitions_of<S: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = S>,
    ) -> Vec<Arc<Value>> {
        build::of_names(self, names)
    }

    pub(crate) fn definitions_and_snapshot(
        &self,
        selection: &Selection,
    ) -> (Arc<Snapshot>, Arc<Definitions>) {
        let snapshot = self.snapshot();
        let version = Version {
            generation: snapshot.generation,
            // Before any check is asked: what is invalidated meanwhile is not remembered as valid.
            epoch: self.availability().epoch(),
        };
        if let Some(definitions) = self
            .memo()
            .get(selection, version, || self.availability().now())
        {
            return (snapshot, definitions);
        }
        let (definitions, fresh_until) = build::build(self, &snapshot, selection);
        let definitions = Arc::new(definitions);
        self.memo()
            .put(selection, version, fresh_until, &definitions);
        (snapshot, definitions)
    }

    /// Asks these checks, each once.
    pub(crate) fn ask(&self, snapshot: &Snapshot, checks: impl Iterator<Item = Check>) -> Verdicts {
        let mut checks: Vec<Check> = checks.collect();
        checks.sort_by_key(Check::id);
        checks.dedup_by_key(|check| check.id());
        self.availability()
            .pass(&checks, snapshot.carries.as_slice())
    }
}
