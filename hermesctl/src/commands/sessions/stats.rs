//! `sessions stats`: tables and bar charts.

use hermes_kit::state::{SessionUsage, StatsOptions, TokenStats, UsageGroup, UsageTotals};
use serde_json::{Value, json};

use crate::cli::{Bars, By, Global, Stats};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::table::Table;
use crate::text::one_line;
use crate::when::When;
use crate::{home, json};

const DAY: f64 = 86_400.0;

/// Models and sources that are shown to a person.
const SHOWN: usize = 20;

/// Days that are shown to a person, the last ones.
const SHOWN_DAYS: usize = 31;

/// Columns of a bar, unless the terminal leaves less.
const BAR: usize = 30;
const LEAST_BAR: usize = 8;

pub(crate) fn run(global: &Global, args: &Stats, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_read(global, output)? else {
        if output.json() {
            let nothing: [Value; 0] = [];
            let object = json!({"total": UsageTotals::default(), "by_day": nothing,
                "by_model": nothing, "by_source": nothing, "by_task": nothing, "top": nothing});
            json::object(output, &object)?;
        }
        return Ok(());
    };
    let when = When::now();
    let mut options = StatsOptions::default();
    options.since = args.days.map(|days| when.seconds() - days * DAY);
    options.source.clone_from(&args.source);
    options.utc_offset_seconds = when.offset();
    let stats = store.token_stats(&options)?;
    let top = store.top_sessions(&options, args.top)?;
    if output.json() {
        let mut object = serde_json::to_value(&stats)?;
        if let Value::Object(object) = &mut object {
            object.insert("top".to_owned(), serde_json::to_value(&top)?);
        }
        return json::object(output, &object);
    }
    people(&stats, &top, args, output)
}

fn people(
    stats: &TokenStats,
    top: &[SessionUsage],
    args: &Stats,
    output: &mut Output,
) -> Result<(), Failure> {
    let (by, bars) = (args.by, args.bars);
    if stats.total.sessions == 0 {
        return Ok(output.line("no sessions")?);
    }
    total(&stats.total, output)?;
    let wanted = |what| by.is_none_or(|by| by == what);
    if wanted(By::Day) {
        let skipped = stats.by_day.len().saturating_sub(SHOWN_DAYS);
        let days = stats.by_day.get(skipped..).unwrap_or_default();
        groups("DAY", days, bars, (skipped, "earlier days"), output)?;
    }
    for (what, name, list, rest) in [
        (By::Model, "MODEL", &stats.by_model, "models"),
        (By::Source, "SOURCE", &stats.by_source, "sources"),
    ] {
        if wanted(what) {
            let shown = list.get(..SHOWN).unwrap_or(list);
            groups(name, shown, bars, (list.len() - shown.len(), rest), output)?;
        }
    }
    if by.is_none() && !stats.by_task.is_empty() {
        groups("TASK", &stats.by_task, bars, (0, "tasks"), output)?;
    }
    if by.is_none() && !top.is_empty() {
        sessions(top, output)?;
    }
    Ok(())
}

fn total(total: &UsageTotals, output: &mut Output) -> Result<(), Failure> {
    let lower = if total.is_lower_bound() {
        "at least "
    } else {
        ""
    };
    let mut facts = vec![
        ("sessions", total.sessions.to_string()),
        (
            "messages",
            format!(
                "{} ({} tool calls, {} calls of models)",
                total.messages, total.tool_calls, total.api_calls
            ),
        ),
        (
            "tokens",
            format!(
                "{lower}{} ({} in, {} out; cache {} read, {} written; reasoning {})",
                short(total.tokens()),
                short(total.input_tokens),
                short(total.output_tokens),
                short(total.cache_read_tokens),
                short(total.cache_write_tokens),
                short(total.reasoning_tokens)
            ),
        ),
        (
            "cost",
            format!(
                "{lower}{} ({} estimated, {} known)",
                dollars(total.cost_usd),
                dollars(total.estimated_cost_usd),
                dollars(total.actual_cost_usd)
            ),
        ),
    ];
    if total.is_lower_bound() {
        let n = total.incomplete_sessions;
        let text = format!("what {n} of them used is not known in full");
        facts.push(("", text));
    }
    for (name, value) in facts {
        output.fact(name, value)?;
    }
    Ok(())
}

fn groups(
    name: &'static str,
    groups: &[UsageGroup],
    bars: Bars,
    (left_out, rest): (usize, &str),
    output: &mut Output,
) -> Result<(), Failure> {
    if groups.is_empty() {
        return Ok(());
    }
    output.line("")?;
    let (measure, heading): (fn(&UsageTotals) -> f64, &'static str) = match bars {
        Bars::Tokens => (tokens, "SHARE OF TOKENS"),
        Bars::Cost => (|totals| totals.cost_usd, "SHARE OF COST"),
        Bars::Messages => (messages, "SHARE OF MESSAGES"),
    };
    let all = groups.iter().map(|group| measure(&group.totals));
    let greatest = all.fold(0.0, f64::max);
    let mut columns = vec![name, "SESSIONS", "MESSAGES", "TOKENS", "COST"];
    if is_narrow(output) {
        columns.retain(|column| *column != "SESSIONS" && *column != "MESSAGES");
    }
    let numbers = columns.len();
    columns.push(heading);
    let mut table = Table::new(&columns);
    for column in 1..numbers {
        table = table.number(column);
    }
    let bar = bar_columns(groups, numbers, output);
    for group in groups {
        let totals = &group.totals;
        table.row(columns.iter().map(|column| match *column {
            "SESSIONS" => totals.sessions.to_string(),
            "MESSAGES" => totals.messages.to_string(),
            "TOKENS" => short(totals.tokens()),
            "COST" => dollars(totals.cost_usd),
            column if column == name => key(&group.key),
            _ => self::bar(measure(totals), greatest, bar),
        }));
    }
    output.line(table.render(output))?;
    if left_out > 0 {
        let text = format!("and {left_out} {rest} more (--json lists all)");
        output.line(output.paint(Tone::Faint, text))?;
    }
    Ok(())
}

fn is_narrow(output: &Output) -> bool {
    output.width().is_some_and(|columns| columns < 80)
}

/// A name of a length that leaves room for the numbers.
fn key(key: &str) -> String {
    crate::text::fit(&one_line(key), 32)
}

/// What the numbers leave of the terminal.
fn bar_columns(groups: &[UsageGroup], numbers: usize, output: &Output) -> usize {
    let Some(columns) = output.width() else {
        return BAR;
    };
    let keys = groups
        .iter()
        .map(|group| crate::text::width(&key(&group.key)));
    let used = keys.max().unwrap_or(0).max(6) + numbers * 10;
    columns.saturating_sub(used).clamp(LEAST_BAR, BAR)
}

fn sessions(top: &[SessionUsage], output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    let when = When::now();
    let mut columns = vec!["MOST TOKENS", "TOKENS", "COST", "STARTED", "TITLE"];
    if is_narrow(output) {
        columns.retain(|column| *column != "STARTED");
    }
    let mut table = Table::new(&columns).number(1).number(2);
    for session in top {
        table.row(columns.iter().map(|column| match *column {
            "MOST TOKENS" => session.id.to_string(),
            "TOKENS" => short(session.totals.tokens()),
            "COST" => dollars(session.totals.cost_usd),
            "STARTED" => when.minute(session.started_at),
            _ => session.title.clone().unwrap_or_default(),
        }));
    }
    Ok(output.line(table.render(output))?)
}

#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn tokens(totals: &UsageTotals) -> f64 {
    totals.tokens() as f64
}

#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn messages(totals: &UsageTotals) -> f64 {
    totals.messages as f64
}

/// A bar in eighths of a column; what is not nothing shows.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small number of columns, and never negative"
)]
fn bar(value: f64, greatest: f64, columns: usize) -> String {
    if greatest.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) || value <= 0.0 {
        return String::new();
    }
    let eighths = ((value / greatest * columns as f64 * 8.0).round() as usize).max(1);
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let part = rest.get(eighths % 8).copied().unwrap_or_default();
    format!("{}{part}", "█".repeat(eighths / 8))
}

/// `999`, `1.5k`, `12.3M`.
#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn short(n: i64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let value = n as f64;
    match units.iter().find(|(unit, _)| value.abs() >= *unit) {
        Some((unit, name)) => format!("{:.1}{name}", value / unit),
        None => n.to_string(),
    }
}

fn dollars(cost: f64) -> String {
    if cost == 0.0 || cost.abs() >= 0.01 {
        format!("${cost:.2}")
    } else {
        format!("${cost:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share_and_never_vanish() {
        assert_eq!(bar(10.0, 10.0, 4), "████");
        assert_eq!(bar(5.0, 10.0, 4), "██");
        assert_eq!(bar(1.0, 10.0, 4), "▍");
        assert_eq!(bar(0.0001, 10.0, 4), "▏");
        assert_eq!(
            (bar(0.0, 10.0, 4), bar(0.0, 0.0, 4)),
            (String::new(), String::new())
        );
    }

    #[test]
    fn numbers_are_short_and_small_costs_stay() {
        let shown = [0, 999, 1_500, 12_345_678, -2_000].map(short);
        assert_eq!(shown, ["0", "999", "1.5k", "12.3M", "-2.0k"]);
        assert_eq!(
            [0.0, 0.0004, 1.5].map(dollars),
            ["$0.00", "$0.0004", "$1.50"]
        );
    }
}
