//! From names of toolsets to names of tools.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::near::nearest;
use crate::snapshot::Snapshot;
use crate::warning::{Role, Warning};

/// How many unknown names get suggestions: a list of garbage must not cost seconds.
const MAX_SUGGESTED: usize = 20;

/// What names of toolsets stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved {
    /// The tools, whether or not they are registered.
    pub tools: BTreeSet<String>,
    /// Names that stand for nothing.
    pub warnings: Vec<Warning>,
}

impl Snapshot {
    /// Whether the name is that of a toolset, an alias, `all` or `*`. Upper case and white space
    /// count. Legacy names are no toolsets.
    pub fn is_toolset(&self, name: &str) -> bool {
        is_every(name)
            || self.aliases.contains_key(name)
            || self.toolsets.contains(name)
            || self.tools.values().any(|tool| tool.toolset() == name)
    }

    /// All toolsets, by name: those that are defined, and those that a tool is registered in, by
    /// their aliases if they have any.
    pub fn toolset_names(&self) -> BTreeSet<&str> {
        let registered = self.registered_toolsets();
        let aliased: HashSet<&str> = self.aliases.values().map(|alias| &*alias.target).collect();
        let mut names: BTreeSet<&str> = self.toolsets.names().collect();
        names.extend(registered.iter().filter(|name| !aliased.contains(*name)));
        let aliases = self.aliases.iter();
        let live = aliases.filter(|(_, alias)| registered.contains(alias.target.as_str()));
        names.extend(live.map(|(alias, _)| alias.as_str()));
        names
    }

    /// The tools of a toolset and of all that it includes.
    ///
    /// ```
    /// use hermes_tools::Registry;
    ///
    /// let snapshot = Registry::hermes().snapshot();
    /// let web = snapshot.resolve_toolset("web");
    /// assert_eq!(Vec::from_iter(web.tools), ["web_extract", "web_search"]);
    /// let unknown = snapshot.resolve_toolset("WEB");
    /// assert!(unknown.tools.is_empty());
    /// assert_eq!(
    ///     unknown.warnings[0].to_string(),
    ///     r#"there is no toolset "WEB"; did you mean "web"?"#,
    /// );
    /// ```
    pub fn resolve_toolset(&self, name: &str) -> Resolved {
        self.resolve_toolsets([name])
    }

    /// The tools of several toolsets and of all that they include.
    pub fn resolve_toolsets<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Resolved {
        self.resolve_each(names, Resolver::collect)
    }

    /// The same as a [selection](crate::Selection) does it: names that toolsets had long ago stand
    /// for their tools.
    pub fn resolve_selected<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Resolved {
        self.resolve_each(names, Resolver::collect_with_legacy)
    }

    fn resolve_each<'a>(
        &'a self,
        names: impl IntoIterator<Item = &'a str>,
        collect: impl Fn(&mut Resolver<'a>, &'a str, &Role, &mut HashSet<&'a str>),
    ) -> Resolved {
        let mut resolver = Resolver::new(self);
        let mut tools = HashSet::new();
        for name in names {
            collect(&mut resolver, name, &Role::Enabled, &mut tools);
        }
        Resolved {
            tools: tools.into_iter().map(str::to_owned).collect(),
            warnings: resolver.warnings,
        }
    }
}

/// Whether the name stands for every toolset.
pub(crate) fn is_every(name: &str) -> bool {
    matches!(name, "all" | "*")
}

/// Looks names up in one snapshot, and keeps what to warn of.
pub(crate) struct Resolver<'a> {
    snapshot: &'a Snapshot,
    /// Toolset → the tools registered in it.
    registered: HashMap<&'a str, Vec<&'a str>>,
    pub(crate) warnings: Vec<Warning>,
    unknown: HashSet<(&'a str, Role)>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Resolver<'a> {
        let mut registered: HashMap<&str, Vec<&str>> = HashMap::new();
        for tool in snapshot.tools.values() {
            registered
                .entry(snapshot.canonical(tool.toolset()))
                .or_default()
                .push(tool.name());
        }
        Resolver {
            snapshot,
            registered,
            warnings: Vec::new(),
            unknown: HashSet::new(),
        }
    }

    /// As [`collect`](Resolver::collect), and legacy names stand for their tools.
    pub(crate) fn collect_with_legacy(
        &mut self,
        name: &'a str,
        role: &Role,
        tools: &mut HashSet<&'a str>,
    ) {
        match self.snapshot.toolsets.legacy(name) {
            Some(legacy) if !self.is_known(name) => tools.extend(legacy.iter().map(String::as_str)),
            _ => self.collect(name, role, tools),
        }
    }

    /// Adds the tools of the toolset and of all that it includes. Every set is visited once, from a
    /// list of our own rather than the call stack: cycles, diamonds and depth do no harm.
    pub(crate) fn collect(&mut self, name: &'a str, role: &Role, tools: &mut HashSet<&'a str>) {
        let mut visited = HashSet::new();
        let mut open: Vec<(&'a str, Option<&'a str>)> = vec![(name, None)];
        while let Some((name, included_by)) = open.pop() {
            let canonical = self.snapshot.canonical(name);
            if !visited.insert(canonical) {
                continue;
            }
            if is_every(canonical) {
                open.extend(self.snapshot.toolsets.names().map(|name| (name, None)));
                let registered = self.snapshot.registered_toolsets();
                open.extend(registered.into_iter().map(|name| (name, None)));
                continue;
            }
            let defined = self.snapshot.toolsets.get(canonical);
            let registered = self.registered.get(canonical);
            if defined.is_none() && registered.is_none() {
                let role = match included_by {
                    Some(set) => Role::IncludedBy(set.to_owned()),
                    None if canonical != name => Role::AliasedBy(name.to_owned()),
                    None => role.clone(),
                };
                self.warn_unknown(canonical, role);
                continue;
            }
            tools.extend(registered.into_iter().flatten());
            if let Some(set) = defined {
                tools.extend(set.tools.iter().map(String::as_str));
                let includes = set.includes.iter().rev();
                open.extend(includes.map(|name| (name.as_str(), Some(canonical))));
            }
        }
    }

    fn is_known(&self, name: &str) -> bool {
        let name = self.snapshot.canonical(name);
        is_every(name)
            || self.snapshot.toolsets.contains(name)
            || self.registered.contains_key(name)
    }

    fn warn_unknown(&mut self, name: &'a str, role: Role) {
        if !self.unknown.insert((name, role.clone())) {
            return;
        }
        self.warnings.push(if self.snapshot.is_discovering() {
            Warning::NotYetKnown {
                name: name.to_owned(),
                role,
            }
        } else {
            let near = if self.unknown.len() > MAX_SUGGESTED {
                Vec::new()
            } else {
                self.near(name)
            };
            Warning::UnknownToolset {
                name: name.to_owned(),
                role,
                near,
            }
        });
    }

    fn near(&self, name: &str) -> Vec<String> {
        let names = self.snapshot.toolset_names();
        let near = nearest(name, names.into_iter());
        near.into_iter().map(str::to_owned).collect()
    }
}
