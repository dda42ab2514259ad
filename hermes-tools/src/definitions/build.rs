//! Makes definitions from a snapshot, step by step.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::Definitions;
use crate::contain::contain;
use crate::entry::ToolEntry;
use crate::patch::Patch;
use crate::presence::{Absence, LeftOut, NO_REASON, missing_env};
use crate::registry::Registry;
use crate::resolve::{Resolver, is_every};
use crate::schema;
use crate::selection::Selection;
use crate::snapshot::Snapshot;
use crate::text::clip;
use crate::toolset::ToolsetNames;
use crate::warning::{Role, Warning};

/// How long what a dynamic schema gave is used.
const DYNAMIC_FRESH: Duration = Duration::from_secs(30);

/// How much of a panic's text a warning shows, in characters.
const MAX_MESSAGE: usize = 500;

/// The definitions, and until when they hold if nothing changes; `None` is for ever.
pub(super) fn build(
    registry: &Registry,
    snapshot: &Snapshot,
    selection: &Selection,
) -> (Definitions, Option<Instant>) {
    let mut resolver = Resolver::new(snapshot);
    let wanted = Wanted::of(&mut resolver, selection);
    let disabled = disabled(&mut resolver, snapshot, selection);
    let mut made = Made {
        warnings: resolver.warnings,
        ..Made::default()
    };
    let candidates = select(snapshot, &wanted, &disabled, &mut made);
    let available = filter_available(registry, snapshot, candidates, &mut made);
    let offered = define(registry, available, &mut made);
    let offered = patch(&snapshot.patches, offered, &mut made);
    let unregistered = unregistered(snapshot, &wanted, &disabled);
    let (names, list) = offered.into_iter().unzip();
    made.left_out.sort_by(|a, b| a.tool.cmp(&b.tool));
    let definitions = Definitions {
        generation: snapshot.generation,
        names,
        list,
        warnings: made.warnings,
        left_out: made.left_out,
        unregistered,
    };
    (definitions, made.fresh_until)
}

/// The definitions of tools by their names, filtered by availability alone.
pub(super) fn of_names<S: AsRef<str>>(
    registry: &Registry,
    names: impl IntoIterator<Item = S>,
) -> Vec<Arc<Value>> {
    let snapshot = registry.snapshot();
    let mut made = Made::default();
    let names: Vec<S> = names.into_iter().collect();
    let names: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
    let tools = names.into_iter().filter_map(|name| snapshot.get(name));
    let available = filter_available(registry, &snapshot, tools.collect(), &mut made);
    let offered = define(registry, available, &mut made).into_iter();
    offered.map(|(_, definition)| definition).collect()
}

/// What comes to light on the way.
#[derive(Default)]
struct Made {
    warnings: Vec<Warning>,
    left_out: Vec<LeftOut>,
    fresh_until: Option<Instant>,
}

impl Made {
    fn leave_out(&mut self, tool: &Arc<str>, why: Absence) {
        self.left_out.push(LeftOut {
            tool: Arc::clone(tool),
            why,
        });
    }

    fn holds_until(&mut self, until: Option<Instant>) {
        self.fresh_until = match (self.fresh_until, until) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

/// What is enabled. Every tool is in some toolset, so that for all of them none has to be resolved.
enum Wanted<'a> {
    Every,
    Tools(HashSet<&'a str>),
}

impl<'a> Wanted<'a> {
    fn of(resolver: &mut Resolver<'a>, selection: &'a Selection) -> Wanted<'a> {
        let Some(enabled) = &selection.enabled else {
            return Wanted::Every;
        };
        let mut every = false;
        let mut tools = HashSet::new();
        for name in enabled {
            if is_every(name) {
                every = true;
            } else {
                resolver.collect_with_legacy(name, &Role::Enabled, &mut tools);
            }
        }
        if every {
            Wanted::Every
        } else {
            Wanted::Tools(tools)
        }
    }

    fn has(&self, tool: &str) -> bool {
        match self {
            Wanted::Every => true,
            Wanted::Tools(tools) => tools.contains(tool),
        }
    }
}

/// Tool → the disabled toolsets that it is in.
fn disabled<'a>(
    resolver: &mut Resolver<'a>,
    snapshot: &Snapshot,
    selection: &'a Selection,
) -> HashMap<&'a str, Vec<&'a str>> {
    let mut disabled: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut seen = HashSet::new();
    for name in selection.disabled.iter().filter(|name| seen.insert(*name)) {
        let mut tools = HashSet::new();
        resolver.collect_with_legacy(name, &Role::Disabled, &mut tools);
        let is_preset = snapshot.toolsets.is_preset(snapshot.canonical(name));
        for tool in tools {
            if !(is_preset && snapshot.toolsets.is_core(tool)) {
                disabled.entry(tool).or_default().push(name);
            }
        }
    }
    disabled
}

/// Steps 1 to 3: what is enabled and not disabled, in the order of names.
fn select<'a>(
    snapshot: &'a Snapshot,
    wanted: &Wanted<'_>,
    disabled: &HashMap<&str, Vec<&str>>,
    made: &mut Made,
) -> Vec<&'a Arc<ToolEntry>> {
    let mut candidates = Vec::new();
    for (name, tool) in &snapshot.tools {
        if !wanted.has(name) {
            let listing = snapshot.toolsets.listing(name);
            let toolsets = ToolsetNames::with(listing, tool.shared_toolset());
            made.leave_out(name, Absence::NotEnabled { toolsets });
        } else if let Some(by) = disabled.get(name.as_ref()) {
            let by = by.iter().map(|name| (*name).to_owned()).collect();
            made.leave_out(name, Absence::Disabled { by });
        } else {
            candidates.push(tool);
        }
    }
    candidates
}

/// Step 4: what can be used now. Checks of tools that nobody wants are not asked.
fn filter_available<'a>(
    registry: &Registry,
    snapshot: &Snapshot,
    candidates: Vec<&'a Arc<ToolEntry>>,
    made: &mut Made,
) -> Vec<&'a Arc<ToolEntry>> {
    let checks = candidates.iter().filter_map(|tool| tool.check());
    let verdicts = registry.ask(snapshot, checks.cloned());
    made.holds_until(verdicts.fresh_until());
    let mut available = Vec::with_capacity(candidates.len());
    for tool in candidates {
        let Some(check) = tool.check() else {
            available.push(tool);
            continue;
        };
        let verdict = verdicts.get(check);
        let reason = verdict.reason.unwrap_or_else(|| NO_REASON.to_owned());
        if !verdict.available {
            let missing_env = missing_env(tool.requires_env());
            let why = Absence::Unavailable {
                reason,
                missing_env,
            };
            made.leave_out(tool.shared_name(), why);
            continue;
        }
        if verdict.flaky {
            made.warnings.push(Warning::CheckFlaked {
                tool: tool.name().to_owned(),
                reason,
            });
        }
        available.push(tool);
    }
    available
}

type Offered = Vec<(Arc<str>, Arc<Value>)>;

fn define(registry: &Registry, available: Vec<&Arc<ToolEntry>>, made: &mut Made) -> Offered {
    let mut offered = Vec::with_capacity(available.len());
    for tool in available {
        let definition = match tool.dynamic_schema() {
            None => Arc::clone(tool.definition()),
            Some(overrides) => {
                made.holds_until(registry.availability().now().checked_add(DYNAMIC_FRESH));
                adapted(tool, overrides).unwrap_or_else(|message| {
                    tracing::warn!(tool = tool.name(), message, "a dynamic schema failed");
                    made.warnings.push(Warning::DynamicSchemaFailed {
                        tool: tool.name().to_owned(),
                        message,
                    });
                    Arc::clone(tool.definition())
                })
            }
        };
        offered.push((Arc::clone(tool.shared_name()), definition));
    }
    offered
}

/// The definition with the keys that the function gives, or what went wrong.
fn adapted(
    tool: &ToolEntry,
    overrides: &(dyn Fn() -> Map<String, Value> + Send + Sync),
) -> Result<Arc<Value>, String> {
    let overrides = contain(overrides).map_err(shown)?;
    let mut schema = tool.schema().clone();
    schema.extend(overrides);
    let schema = schema::accept(Value::Object(schema))?;
    Ok(Arc::new(schema::definition(tool.name(), &schema)))
}

/// Step 5. Patches are asked in their order; when they leave a tool out, all are asked again, from
/// the plain definitions and with what is left. The set shrinks, so this ends.
fn patch(patches: &[Patch], mut plain: Offered, made: &mut Made) -> Offered {
    if patches.is_empty() {
        return plain;
    }
    loop {
        let names: BTreeSet<&str> = plain.iter().map(|(name, _)| name.as_ref()).collect();
        let round = patch_once(patches, &plain, &names);
        if round.gone.is_empty() {
            made.warnings.extend(round.warnings);
            return round.offered;
        }
        for name in &round.gone {
            made.leave_out(name, Absence::PatchedOut);
        }
        plain.retain(|(name, _)| !round.gone.contains(name));
    }
}

struct Round {
    offered: Offered,
    gone: BTreeSet<Arc<str>>,
    warnings: Vec<Warning>,
}

fn patch_once(patches: &[Patch], plain: &Offered, names: &BTreeSet<&str>) -> Round {
    let mut round = Round {
        offered: plain.clone(),
        gone: BTreeSet::new(),
        warnings: Vec::new(),
    };
    for patch in patches {
        let tool = patch.tool();
        let position = round
            .offered
            .binary_search_by(|(name, _)| name.as_ref().cmp(tool));
        let found = position.ok().and_then(|at| round.offered.get_mut(at));
        let Some((name, definition)) = found else {
            continue;
        };
        let patched = contain(|| patch.apply(definition, names));
        match patched.map_err(shown) {
            Ok(None) => {
                round.gone.insert(Arc::clone(name));
            }
            Ok(Some(patched)) if defines(&patched, tool) => {
                if patched != **definition {
                    *definition = Arc::new(patched);
                }
            }
            Ok(Some(_)) => round.warnings.push(patch_failed(
                tool,
                "it gave something that does not define the tool".to_owned(),
            )),
            Err(message) => round.warnings.push(patch_failed(tool, message)),
        }
    }
    round
}

/// Whether the value is a definition of this tool, not of another.
fn defines(definition: &Value, tool: &str) -> bool {
    let name = definition.pointer("/function/name");
    name.and_then(Value::as_str) == Some(tool)
}

fn patch_failed(tool: &str, message: String) -> Warning {
    tracing::warn!(tool, message, "a patch of a definition failed");
    Warning::PatchFailed {
        tool: tool.to_owned(),
        message,
    }
}

/// What a panic said, cut where it is long.
fn shown(text: String) -> String {
    clip(&text, MAX_MESSAGE)
}

fn unregistered(
    snapshot: &Snapshot,
    wanted: &Wanted<'_>,
    disabled: &HashMap<&str, Vec<&str>>,
) -> Vec<Arc<str>> {
    let missing = |tool: &str| !snapshot.tools.contains_key(tool) && !disabled.contains_key(tool);
    let mut names: Vec<Arc<str>> = match wanted {
        Wanted::Every => {
            let listed = snapshot.toolsets.listed_tools();
            listed.filter(|tool| missing(tool)).cloned().collect()
        }
        Wanted::Tools(tools) => {
            let tools = tools.iter().filter(|tool| missing(tool));
            tools.map(|tool| Arc::from(*tool)).collect()
        }
    };
    names.sort();
    names
}
