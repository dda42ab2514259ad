//! Statistics of tokens and cost: in total, by day, model, source and task, and of single sessions.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};
use serde::Serialize;

use crate::calendar;
use crate::error::{Error, Result};
use crate::record::column;
use crate::schema::Layout;
use crate::session::{EXISTS, SessionId};
use crate::store::Store;

/// Which sessions to count.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct StatsOptions {
    /// Only sessions started at or after this time, seconds since the epoch.
    pub since: Option<f64>,
    /// Only sessions started before this time, seconds since the epoch.
    pub until: Option<f64>,
    /// Only sessions held there.
    pub source: Option<String>,
    /// How far the days are ahead of UTC, seconds.
    pub utc_offset_seconds: i32,
}

/// What sessions used. Tokens and calls include those made beside the conversation, where the
/// store keeps them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UsageTotals {
    /// Sessions counted.
    pub sessions: i64,
    /// Their messages, as counted by the writers.
    pub messages: i64,
    /// Their tool calls, as counted by the writers.
    pub tool_calls: i64,
    /// Calls made to models.
    pub api_calls: i64,
    /// Input tokens.
    pub input_tokens: i64,
    /// Output tokens.
    pub output_tokens: i64,
    /// Tokens read from caches.
    pub cache_read_tokens: i64,
    /// Tokens written to caches.
    pub cache_write_tokens: i64,
    /// Reasoning tokens.
    pub reasoning_tokens: i64,
    /// Estimated cost, US dollars.
    pub estimated_cost_usd: f64,
    /// Actual cost, US dollars, where it is known.
    pub actual_cost_usd: f64,
    /// The actual cost where it is known, otherwise the estimated one, US dollars.
    pub cost_usd: f64,
    /// Sessions with calls whose usage nobody told.
    pub incomplete_sessions: i64,
}

impl UsageTotals {
    /// Input and output tokens together.
    pub fn tokens(&self) -> i64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Whether more may have been used than is counted.
    pub fn is_lower_bound(&self) -> bool {
        self.incomplete_sessions > 0
    }

    fn figures(&mut self) -> [&mut i64; 10] {
        [
            &mut self.sessions,
            &mut self.messages,
            &mut self.tool_calls,
            &mut self.api_calls,
            &mut self.input_tokens,
            &mut self.output_tokens,
            &mut self.cache_read_tokens,
            &mut self.cache_write_tokens,
            &mut self.reasoning_tokens,
            &mut self.incomplete_sessions,
        ]
    }

    fn costs(&mut self) -> [&mut f64; 3] {
        [
            &mut self.estimated_cost_usd,
            &mut self.actual_cost_usd,
            &mut self.cost_usd,
        ]
    }

    fn add(&mut self, other: &UsageTotals) {
        let mut other = other.clone();
        for (total, more) in self.figures().into_iter().zip(other.figures()) {
            *total = total.saturating_add(*more);
        }
        for (total, more) in self.costs().into_iter().zip(other.costs()) {
            *total += *more;
        }
    }

    /// What is left without `part`; `None` if the part is greater anywhere.
    fn without(&self, part: &UsageTotals) -> Option<UsageTotals> {
        let (mut rest, mut part) = (self.clone(), part.clone());
        for (total, less) in rest.figures().into_iter().zip(part.figures()) {
            *total = total.checked_sub(*less).filter(|n| *n >= 0)?;
        }
        for (total, less) in rest.costs().into_iter().zip(part.costs()) {
            *total = (*total - *less).max(0.0);
        }
        Some(rest)
    }
}

/// The totals of one day, model, source or task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UsageGroup {
    /// `2026-01-31`, or the name of the model, source or task.
    pub key: String,
    /// What was used.
    #[serde(flatten)]
    pub totals: UsageTotals,
}

/// Statistics of many sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TokenStats {
    /// All together.
    pub total: UsageTotals,
    /// By the day a session began, the first day first.
    pub by_day: Vec<UsageGroup>,
    /// By model, the one with most tokens first; `unknown` where none is named. A session counts
    /// for the model it is kept under, what it used for each of its models.
    pub by_model: Vec<UsageGroup>,
    /// By source, the one with most tokens first.
    pub by_source: Vec<UsageGroup>,
    /// What was used beside conversations, by task, where the store keeps it: part of the totals.
    pub by_task: Vec<UsageGroup>,
}

/// One session and what it used.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionUsage {
    /// The session.
    pub id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// Where it was held.
    pub source: String,
    /// The model it is kept under.
    pub model: Option<String>,
    /// When it began, seconds since the epoch.
    pub started_at: f64,
    /// What it used.
    #[serde(flatten)]
    pub totals: UsageTotals,
}

impl Store {
    /// What sessions used, in total and by day, model, source and task. One pass over the
    /// sessions; messages are not looked at.
    ///
    /// # Errors
    /// Those of every read.
    pub fn token_stats(&self, options: &StatsOptions) -> Result<TokenStats> {
        self.read(|conn, layout| {
            let mut groups = Groups::default();
            for_each(conn, layout, options, |session, parts| {
                groups.add(&session, parts, options.utc_offset_seconds);
            })?;
            Ok(groups.finish())
        })
    }

    /// The sessions with most input and output tokens, at most `limit`.
    ///
    /// # Errors
    /// Those of every read.
    pub fn top_sessions_by_tokens(&self, limit: usize) -> Result<Vec<SessionUsage>> {
        self.top_sessions(&StatsOptions::default(), limit)
    }

    /// [`top_sessions_by_tokens`](Self::top_sessions_by_tokens) of those that are asked for.
    ///
    /// # Errors
    /// Those of every read.
    pub fn top_sessions(&self, options: &StatsOptions, limit: usize) -> Result<Vec<SessionUsage>> {
        self.read(|conn, layout| {
            let mut top: Vec<SessionUsage> = Vec::new();
            for_each(conn, layout, options, |session, _| {
                let at =
                    top.partition_point(|other| other.totals.tokens() >= session.totals.tokens());
                if at < limit {
                    top.truncate(limit.saturating_sub(1));
                    top.insert(at, session);
                }
            })?;
            Ok(top)
        })
    }

    /// What a session used, and with `descendants` what all sessions used that come from it.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every read.
    pub fn usage_of(&self, id: impl AsRef<str>, descendants: bool) -> Result<UsageTotals> {
        let id = id.as_ref();
        let mut ids = vec![SessionId::new(id)];
        if descendants {
            ids.extend(self.descendants(id)?);
        }
        let found = self.read(|conn, layout| {
            if !conn.prepare_cached(EXISTS)?.exists([id])? {
                return Ok(None);
            }
            let mut total = UsageTotals::default();
            let with_parts = has_parts(conn)?;
            let mut statement = conn.prepare_cached(&session_sql(layout, "s.id = :id"))?;
            for id in &ids {
                let rows =
                    statement.query_map(named_params! {":id": id.as_str()}, session_usage)?;
                for session in rows {
                    let mut session = session?;
                    if with_parts {
                        session.add_tasks(&parts(conn, id)?);
                    }
                    total.add(&session.totals);
                }
            }
            Ok(Some(total))
        })?;
        found.ok_or_else(|| Error::UnknownSession { id: id.to_owned() })
    }
}

/// What a session used for one model, for the conversation (no task) or beside it.
struct Part {
    model: String,
    task: String,
    totals: UsageTotals,
}

impl SessionUsage {
    /// Adds what was used beside the conversation, which is not in the session's own columns.
    fn add_tasks(&mut self, parts: &[Part]) {
        for part in parts.iter().filter(|part| !part.task.is_empty()) {
            self.totals.add(&part.totals);
        }
    }
}

#[derive(Default)]
struct Groups {
    total: UsageTotals,
    days: BTreeMap<i64, UsageTotals>,
    models: BTreeMap<String, UsageTotals>,
    sources: BTreeMap<String, UsageTotals>,
    tasks: BTreeMap<String, UsageTotals>,
}

impl Groups {
    fn add(&mut self, session: &SessionUsage, parts: &[Part], offset: i32) {
        let totals = &session.totals;
        self.total.add(totals);
        let day = day_number(session.started_at + f64::from(offset));
        self.days.entry(day).or_default().add(totals);
        let source = session.source.clone();
        self.sources.entry(source).or_default().add(totals);
        for part in parts.iter().filter(|part| !part.task.is_empty()) {
            let task = self.tasks.entry(part.task.clone()).or_default();
            task.add(&part.totals);
        }
        self.add_models(session, parts);
    }

    /// What the parts do not cover is the session's own model's; parts that cover more than the
    /// session counts (its totals were set to less) are not used.
    fn add_models(&mut self, session: &SessionUsage, parts: &[Part]) {
        let mut covered = UsageTotals::default();
        for part in parts {
            covered.add(&part.totals);
        }
        let rest = session.totals.without(&covered);
        let own = session.model.clone().filter(|model| !model.is_empty());
        let own = own.unwrap_or_else(|| "unknown".to_owned());
        match rest {
            Some(rest) => {
                self.models.entry(own).or_default().add(&rest);
                for part in parts {
                    let model = self.models.entry(part.model.clone()).or_default();
                    model.add(&part.totals);
                }
            }
            None => self.models.entry(own).or_default().add(&session.totals),
        }
    }

    fn finish(self) -> TokenStats {
        let by_day = self.days.into_iter().map(|(day, totals)| UsageGroup {
            key: date(day),
            totals,
        });
        TokenStats {
            total: self.total,
            by_day: by_day.collect(),
            by_model: most_tokens_first(self.models),
            by_source: most_tokens_first(self.sources),
            by_task: most_tokens_first(self.tasks),
        }
    }
}

fn most_tokens_first(groups: BTreeMap<String, UsageTotals>) -> Vec<UsageGroup> {
    let mut groups: Vec<UsageGroup> = groups
        .into_iter()
        .filter(|(_, totals)| *totals != UsageTotals::default())
        .map(|(key, totals)| UsageGroup { key, totals })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.totals.tokens()));
    groups
}

/// Columns of sessions that came after version 1, as they are or as NULL.
fn session_sql(layout: &Layout, condition: &str) -> String {
    let columns = [
        "title",
        "model",
        "message_count",
        "tool_call_count",
        "api_call_count",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "estimated_cost_usd",
        "actual_cost_usd",
        "cost_status",
    ]
    .map(|name| {
        if layout.sessions.has(name) {
            format!("s.{name}")
        } else {
            "NULL".to_owned()
        }
    });
    format!(
        "SELECT s.id, s.source, s.started_at, {} FROM sessions s WHERE {condition}",
        columns.join(", ")
    )
}

fn session_usage(row: &rusqlite::Row<'_>) -> rusqlite::Result<SessionUsage> {
    let number = |index| column::<Option<i64>>(row, index).map(Option::unwrap_or_default);
    let cost = |index| column::<Option<f64>>(row, index);
    let (estimated, actual) = (cost(13)?, cost(14)?);
    let mut totals = UsageTotals {
        sessions: 1,
        messages: number(5)?,
        tool_calls: number(6)?,
        api_calls: number(7)?,
        input_tokens: number(8)?,
        output_tokens: number(9)?,
        cache_read_tokens: number(10)?,
        cache_write_tokens: number(11)?,
        reasoning_tokens: number(12)?,
        estimated_cost_usd: estimated.unwrap_or(0.0),
        actual_cost_usd: actual.unwrap_or(0.0),
        cost_usd: actual.or(estimated).unwrap_or(0.0),
        incomplete_sessions: 0,
    };
    let status: Option<String> = column(row, 15)?;
    let untold = totals.api_calls > 0 && totals.tokens() == 0;
    if untold || (totals.api_calls > 0 && status.as_deref() == Some("unknown")) {
        totals.incomplete_sessions = 1;
    }
    Ok(SessionUsage {
        id: column(row, 0)?,
        source: column(row, 1)?,
        started_at: column(row, 2)?,
        title: column(row, 3)?,
        model: column(row, 4)?,
        totals,
    })
}

/// Calls `each` with every session that is asked for, and what it used per model and task.
fn for_each(
    conn: &Connection,
    layout: &Layout,
    options: &StatsOptions,
    mut each: impl FnMut(SessionUsage, &[Part]),
) -> rusqlite::Result<()> {
    let condition = "(:since IS NULL OR s.started_at >= :since)
        AND (:until IS NULL OR s.started_at < :until)
        AND (:source IS NULL OR s.source = :source) ORDER BY s.rowid";
    let with_parts = has_parts(conn)?;
    let mut statement = conn.prepare_cached(&session_sql(layout, condition))?;
    let values = named_params! {
        ":since": options.since,
        ":until": options.until,
        ":source": options.source,
    };
    for session in statement.query_map(values, session_usage)? {
        let mut session = session?;
        let parts = if with_parts {
            parts(conn, &session.id)?
        } else {
            Vec::new()
        };
        session.add_tasks(&parts);
        each(session, &parts);
    }
    Ok(())
}

fn has_parts(conn: &Connection) -> rusqlite::Result<bool> {
    const TASK: &str = "SELECT 1 FROM pragma_table_info('session_model_usage') WHERE name = 'task'";
    conn.prepare_cached(TASK)?.exists([])
}

fn parts(conn: &Connection, id: &SessionId) -> rusqlite::Result<Vec<Part>> {
    const PARTS: &str = "SELECT model, task, api_call_count, input_tokens, output_tokens,
            cache_read_tokens, cache_write_tokens, reasoning_tokens, estimated_cost_usd,
            actual_cost_usd
        FROM session_model_usage WHERE session_id = ?1";
    let mut statement = conn.prepare_cached(PARTS)?;
    let rows = statement.query_map([id.as_str()], |row| {
        let number = |index| column::<Option<i64>>(row, index).map(Option::unwrap_or_default);
        let cost = |index| column::<Option<f64>>(row, index).map(Option::unwrap_or_default);
        let (estimated, actual) = (cost(8)?, cost(9)?);
        let totals = UsageTotals {
            api_calls: number(2)?,
            input_tokens: number(3)?,
            output_tokens: number(4)?,
            cache_read_tokens: number(5)?,
            cache_write_tokens: number(6)?,
            reasoning_tokens: number(7)?,
            estimated_cost_usd: estimated,
            actual_cost_usd: actual,
            // Here 0 stands for a cost that is not known.
            cost_usd: if actual > 0.0 { actual } else { estimated },
            ..UsageTotals::default()
        };
        Ok(Part {
            model: column(row, 0)?,
            task: column(row, 1)?,
            totals,
        })
    })?;
    rows.collect()
}

/// The day of a time, counted from the epoch.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a time that far away is clamped by the cast"
)]
fn day_number(seconds: f64) -> i64 {
    (seconds / 86_400.0).floor() as i64
}

/// `2026-01-31` of a day counted from the epoch (the civil calendar, also before 1970).
fn date(day: i64) -> String {
    // Days beyond what four digits of a year hold are no dates that anybody stored.
    let (year, month, day) = calendar::date(day.clamp(-719_468, 2_932_896));
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (day, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_484, "2026-01-31"),
            (i64::MAX, "9999-12-31"),
        ] {
            assert_eq!(date(day), text);
        }
    }
}
