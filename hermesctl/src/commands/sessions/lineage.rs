//! `sessions lineage`.

use hermes_kit::state::{Lineage, LineageNode, Relation};

use super::resolve;
use crate::cli::{Global, Lineage as Args};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::text::{counted, fit, one_line, width};
use crate::when::When;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Args, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_export(global, output)? else {
        return Err(Failure::no_session(&args.id));
    };
    let id = resolve(&store, &args.id)?;
    let lineage = store.lineage(&id)?;
    if output.json() {
        return json::object(output, &lineage);
    }
    people(&lineage, output)
}

/// Deeper than this the tree goes on straight down.
const DEEPEST: usize = 12;

fn people(lineage: &Lineage, output: &mut Output) -> Result<(), Failure> {
    let when = When::now();
    for (at, node) in lineage.sessions.iter().enumerate() {
        let branch = branch(&lineage.sessions, at, node);
        let id = one_line(node.id.as_str());
        let mut about = vec![relation(node).to_owned(), one_line(&node.source)];
        about.push(counted(node.messages, "message"));
        about.push(when.minute(node.started_at));
        about.extend(
            node.end_reason
                .as_deref()
                .map(|reason| format!("ended: {}", one_line(reason))),
        );
        about.retain(|fact| !fact.is_empty());
        let mut about = about.join(" · ");
        let title = node.title.as_deref().filter(|title| !title.is_empty());
        if let Some(title) = title {
            about = format!("\"{}\" · {about}", one_line(title));
        }
        let mark = marks(lineage, node);
        if let Some(columns) = output.width() {
            let used = width(&branch) + width(&id) + width(&mark) + 2;
            about = fit(&about, columns.saturating_sub(used).max(12));
        }
        let tone = if node.id == lineage.id {
            Tone::Strong
        } else {
            Tone::Name
        };
        output.line(format_args!(
            "{}{}{}  {}",
            output.paint(Tone::Faint, branch),
            output.paint(tone, id),
            output.paint(Tone::Good, mark),
            output.paint(Tone::Faint, about)
        ))?;
    }
    Ok(())
}

/// The lines of the tree in front of a session.
fn branch(nodes: &[LineageNode], at: usize, node: &LineageNode) -> String {
    let rest = nodes.get(at + 1..).unwrap_or_default();
    // Whether a session of that depth follows under the same parent.
    let goes_on = |depth: usize| {
        rest.iter()
            .find(|later| later.depth <= depth)
            .is_some_and(|later| later.depth == depth)
    };
    let mut text = String::new();
    for depth in 1..=node.depth.min(DEEPEST) {
        text.push_str(match (depth == node.depth.min(DEEPEST), goes_on(depth)) {
            (true, true) => "├─ ",
            (true, false) => "└─ ",
            (false, true) => "│  ",
            (false, false) => "   ",
        });
    }
    text
}

fn relation(node: &LineageNode) -> &'static str {
    match node.relation {
        None => "",
        Some(Relation::Compression) => "continues it",
        Some(Relation::Branch) => "branch",
        Some(Relation::Delegate) => "helper",
        Some(_) => "child",
    }
}

/// `<- this one`, and what is resumed.
fn marks(lineage: &Lineage, node: &LineageNode) -> String {
    match (node.id == lineage.id, node.id == lineage.resume_target) {
        (true, true) => " ← this one, resumed here",
        (true, false) => " ← this one",
        (false, true) => " ← resumed here",
        (false, false) => "",
    }
    .to_owned()
}
