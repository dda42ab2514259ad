//! Prune: which sessions a filter means, looking at them first, and deleting them.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use serde::Serialize;

use crate::delete::{
    Delegates, DeleteOptions, DeleteProgress, Deleted, delegates_of, loose_delegates,
};
use crate::error::{Error, Result};
use crate::record::column;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::{SessionId, check_time, like_escaped};
use crate::store::Store;
use crate::write::Tx;

pub(crate) const DAY: f64 = 86_400.0;

/// Bytes on disk for a byte of a message's text: three copies and two indexes. Measured on 202,000
/// messages: three copies are 52 % of the file.
const DISK_PER_TEXT: f64 = 5.8;

/// What the age of a session is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Age {
    /// From its start, as Hermes does.
    #[default]
    Start,
    /// From the last thing that happened in it: its start, its end, or its newest message.
    Activity,
}

/// Whether archived sessions are meant (versions before 14 have none).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Archived {
    /// No.
    #[default]
    Leave,
    /// These and the others.
    Include,
    /// Only these.
    Only,
}

/// Which sessions to prune or to archive: ended ones that meet all conditions. Archived sessions
/// and delegates are left alone unless asked for; delegates go along with the session that started
/// them.
///
/// ```
/// use hermes_state::{Age, PruneFilter};
/// let filter = PruneFilter::new().older_than_days(90.0).age_by(Age::Activity).source("cron");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PruneFilter {
    older_than_days: Option<f64>,
    age: Age,
    started_before: Option<f64>,
    started_after: Option<f64>,
    sources: Vec<String>,
    exclude_sources: Vec<String>,
    texts: Vec<(TextField, String)>,
    minima: Vec<(NumberField, f64)>,
    maxima: Vec<(NumberField, f64)>,
    archived: Archived,
    delegates: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextField {
    TitleLike,
    ModelLike,
    BranchLike,
    CwdPrefix,
    EndReason,
    Provider,
    User,
    Chat,
    ChatType,
}

impl TextField {
    /// The column, and the first version that has it.
    fn column(self) -> (&'static str, i64) {
        match self {
            TextField::TitleLike => ("title", NATIVE_VERSION),
            TextField::ModelLike => ("model", NATIVE_VERSION),
            TextField::BranchLike => ("git_branch", 17),
            TextField::CwdPrefix => ("cwd", 14),
            TextField::EndReason => ("end_reason", NATIVE_VERSION),
            TextField::Provider => ("billing_provider", NATIVE_VERSION),
            TextField::User => ("user_id", NATIVE_VERSION),
            TextField::Chat => ("chat_id", 17),
            TextField::ChatType => ("chat_type", 17),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberField {
    Messages,
    Tokens,
    Cost,
    ToolCalls,
}

impl NumberField {
    /// A counter that was never kept (NULL) is counted, or is zero where there is nothing to count.
    fn expression(self) -> &'static str {
        match self {
            NumberField::Messages => {
                "COALESCE(s.message_count, (SELECT COUNT(*) FROM messages m WHERE m.session_id = s.id))"
            }
            NumberField::Tokens => "(COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0))",
            NumberField::Cost => "COALESCE(s.actual_cost_usd, s.estimated_cost_usd, 0)",
            NumberField::ToolCalls => "COALESCE(s.tool_call_count, 0)",
        }
    }
}

macro_rules! text_setters {
    ($( $(#[$meta:meta])* $name:ident: $field:ident, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, text: impl Into<String>) -> PruneFilter {
                self.texts.retain(|(field, _)| *field != TextField::$field);
                self.texts.push((TextField::$field, text.into()));
                self
            }
        )*
    };
}

macro_rules! number_setters {
    ($( $(#[$meta:meta])* $name:ident: $list:ident $field:ident, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, number: f64) -> PruneFilter {
                self.$list.retain(|(field, _)| *field != NumberField::$field);
                self.$list.push((NumberField::$field, number));
                self
            }
        )*
    };
}

impl PruneFilter {
    /// Every ended session that is neither archived nor a delegate.
    pub fn new() -> PruneFilter {
        PruneFilter::default()
    }

    /// Sessions older than this many days; see [`age_by`](Self::age_by).
    #[must_use]
    pub fn older_than_days(mut self, days: f64) -> PruneFilter {
        self.older_than_days = Some(days);
        self
    }

    /// Sets what `older_than_days` counts from.
    #[must_use]
    pub fn age_by(mut self, age: Age) -> PruneFilter {
        self.age = age;
        self
    }

    /// Sessions that began before this time, in seconds since the epoch.
    #[must_use]
    pub fn started_before(mut self, seconds: f64) -> PruneFilter {
        self.started_before = Some(seconds);
        self
    }

    /// Sessions that began at this time, in seconds since the epoch, or later.
    #[must_use]
    pub fn started_after(mut self, seconds: f64) -> PruneFilter {
        self.started_after = Some(seconds);
        self
    }

    /// Sessions of this source. Called again: of this one, too.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> PruneFilter {
        self.sources.push(source.into());
        self
    }

    /// No sessions of this source. Called again: nor of this one.
    #[must_use]
    pub fn exclude_source(mut self, source: impl Into<String>) -> PruneFilter {
        self.exclude_sources.push(source.into());
        self
    }

    text_setters! {
        /// Sessions with this text in their title (ASCII capitals and small letters are the same;
        /// `%` and `_` stand for themselves).
        title_like: TitleLike,
        /// Sessions with this text in their model's name, likewise.
        model_like: ModelLike,
        /// Sessions with this text in the name of their git branch, likewise. Versions 17 and newer.
        branch_like: BranchLike,
        /// Sessions whose working directory is this folder or below it. Versions 14 and newer.
        cwd_prefix: CwdPrefix,
        /// Sessions that ended for this reason.
        end_reason: EndReason,
        /// Sessions billed by this provider.
        provider: Provider,
        /// Sessions of this user.
        user_id: User,
        /// Sessions of this chat. Versions 17 and newer.
        chat_id: Chat,
        /// Sessions of chats of this type. Versions 17 and newer.
        chat_type: ChatType,
    }

    number_setters! {
        /// Sessions with at least this many messages.
        min_messages: minima Messages,
        /// Sessions with at most this many messages.
        max_messages: maxima Messages,
        /// Sessions with at least this many input and output tokens.
        min_tokens: minima Tokens,
        /// Sessions with at most this many input and output tokens.
        max_tokens: maxima Tokens,
        /// Sessions that cost at least this much, US dollars (the actual cost, else the estimate).
        min_cost: minima Cost,
        /// Sessions that cost at most this much, US dollars.
        max_cost: maxima Cost,
        /// Sessions with at least this many tool calls.
        min_tool_calls: minima ToolCalls,
        /// Sessions with at most this many tool calls.
        max_tool_calls: maxima ToolCalls,
    }

    /// Sets what happens to archived sessions.
    #[must_use]
    pub fn archived(mut self, archived: Archived) -> PruneFilter {
        self.archived = archived;
        self
    }

    /// Delegates are meant as well, as if they were sessions of their own.
    #[must_use]
    pub fn with_delegates(mut self) -> PruneFilter {
        self.delegates = true;
        self
    }

    /// The filter as SQL on `sessions s`.
    pub(crate) fn condition(&self, layout: &Layout, now: f64) -> Result<Condition> {
        let mut sql = Condition::plain("s.ended_at IS NOT NULL");
        if let Some(days) = self.older_than_days {
            check_time("older_than_days", days)?;
            if days < 0.0 {
                return Err(Error::Invalid {
                    what: "older_than_days",
                    problem: format!("is negative: {days}"),
                });
            }
            let cutoff = Sql::Real(now - days * DAY);
            sql.and("s.started_at < ?", [cutoff.clone()]);
            if self.age == Age::Activity {
                sql.and("s.ended_at < ?", [cutoff.clone()]);
                // Text, which is no time, sorts above all times and keeps the session.
                sql.and(
                    "NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= ?)",
                    [cutoff],
                );
            }
        }
        for (what, time, comparison) in [
            ("started_before", self.started_before, "s.started_at < ?"),
            ("started_after", self.started_after, "s.started_at >= ?"),
        ] {
            if let Some(time) = time {
                check_time(what, time)?;
                sql.and(comparison, [Sql::Real(time)]);
            }
        }
        for (names, word) in [(&self.sources, "IN"), (&self.exclude_sources, "NOT IN")] {
            if !names.is_empty() {
                let list = serde_json::Value::from(names.clone()).to_string();
                sql.and(
                    &format!("s.source {word} (SELECT value FROM json_each(?))"),
                    [Sql::Text(list)],
                );
            }
        }
        for (field, text) in &self.texts {
            sql.and_text(*field, text, layout)?;
        }
        for (list, sign) in [(&self.minima, ">="), (&self.maxima, "<=")] {
            for (field, number) in list {
                check_time("a minimum or maximum", *number)?;
                sql.and(
                    &format!("{} {sign} ?", field.expression()),
                    [Sql::Real(*number)],
                );
            }
        }
        match self.archived {
            Archived::Include => {}
            Archived::Leave => sql.leave_archived(layout),
            Archived::Only if layout.sessions.has("archived") => {
                sql.and("COALESCE(s.archived, 0) != 0", []);
            }
            Archived::Only => return Err(unsupported("archived sessions", 14, layout)),
        }
        if !self.delegates {
            sql.leave_delegates(layout);
        }
        Ok(sql)
    }
}

pub(crate) fn unsupported(what: &'static str, needs: i64, layout: &Layout) -> Error {
    Error::Unsupported {
        what,
        needs,
        found: layout.version,
    }
}

/// Whether a session is marked as a delegate. Settings that are no JSON carry no mark.
pub(crate) fn delegate_mark() -> &'static str {
    "(CASE WHEN json_valid(s.model_config)
        THEN json_extract(s.model_config, '$._delegate_from') END) IS NOT NULL"
}

/// A condition on `sessions s`, and the values of its question marks.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    sql: String,
    values: Vec<Sql>,
}

impl Condition {
    pub(crate) fn plain(sql: &str) -> Condition {
        Condition {
            sql: format!("({sql})"),
            values: Vec::new(),
        }
    }

    pub(crate) fn without_archived_and_delegates(mut self, layout: &Layout) -> Condition {
        self.leave_archived(layout);
        self.leave_delegates(layout);
        self
    }

    pub(crate) fn and<const N: usize>(&mut self, sql: &str, values: [Sql; N]) {
        self.sql.push_str(&format!(" AND ({sql})"));
        self.values.extend(values);
    }

    fn leave_archived(&mut self, layout: &Layout) {
        if layout.sessions.has("archived") {
            self.and("COALESCE(s.archived, 0) = 0", []);
        }
    }

    fn leave_delegates(&mut self, layout: &Layout) {
        if layout.version > NATIVE_VERSION {
            self.and(&format!("NOT {}", delegate_mark()), []);
        }
    }

    fn and_text(&mut self, field: TextField, text: &str, layout: &Layout) -> Result<()> {
        let (column, needs) = field.column();
        if !layout.sessions.has(column) {
            return Err(unsupported(column, needs, layout));
        }
        match field {
            TextField::TitleLike | TextField::ModelLike | TextField::BranchLike => {
                let pattern = format!("%{}%", like_escaped(text));
                self.and(
                    &format!("s.{column} LIKE ? ESCAPE '\\'"),
                    [Sql::Text(pattern)],
                );
            }
            TextField::CwdPrefix => {
                let folder = text.trim_end_matches(['/', '\\']);
                // Compared, not matched: LIKE takes capitals and small letters for the same. Of
                // what is below a folder, `0` is the character behind `/`, `]` that behind `\`.
                let [own, slash, zero, backslash, bracket] =
                    ["", "/", "0", "\\", "]"].map(|end| Sql::Text(format!("{folder}{end}")));
                self.and(
                    "s.cwd = ? OR (s.cwd >= ? AND s.cwd < ?) OR (s.cwd >= ? AND s.cwd < ?)",
                    [own, slash, zero, backslash, bracket],
                );
            }
            _ => self.and(&format!("s.{column} = ?"), [Sql::Text(text.to_owned())]),
        }
        Ok(())
    }

    /// Whether a session meets it.
    pub(crate) fn holds(&self, tx: &Tx<'_>, id: &SessionId) -> Result<bool> {
        let sql = format!("SELECT 1 FROM sessions s WHERE {} AND s.id = ?", self.sql);
        let values = self
            .values
            .iter()
            .cloned()
            .chain([Sql::Text(id.to_string())]);
        tx.sqlite(|conn| conn.prepare_cached(&sql)?.exists(params_from_iter(values)))
    }

    fn ids(&self, conn: &Connection) -> rusqlite::Result<Vec<SessionId>> {
        let sql = format!(
            "SELECT s.id FROM sessions s WHERE {} ORDER BY s.started_at, s.rowid",
            self.sql
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&self.values), |row| {
            Ok(SessionId::new(column::<String>(row, 0)?))
        })?;
        rows.collect()
    }
}

/// A session that a prune would delete.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PruneCandidate {
    /// The session.
    pub id: SessionId,
    /// Where it was held.
    pub source: String,
    /// Its title.
    pub title: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// When it began, seconds since the epoch.
    pub started_at: f64,
    /// When it ended.
    pub ended_at: Option<f64>,
    /// The time of its newest message, or its end.
    pub last_active: f64,
    /// Whether it is archived; `None` where the version has no such thing.
    pub archived: Option<bool>,
    /// Its message rows.
    pub messages: u64,
    /// Bytes of text in them.
    pub text_bytes: u64,
    /// The delegates that would go along.
    pub delegates: Vec<SessionId>,
}

/// What a prune would delete.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct PruneCandidates {
    /// The sessions, the oldest first.
    pub sessions: Vec<PruneCandidate>,
    /// All their messages, those of the delegates that go along included.
    pub messages: u64,
    /// Bytes of text in them.
    pub text_bytes: u64,
    /// About how many bytes of the file that is, index included. They become free for reuse; only a
    /// vacuum gives them back to the disk.
    pub bytes: u64,
}

impl Store {
    /// What [`prune`](Self::prune) with this filter would delete. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a filter on a column that the file's version lacks,
    /// [`Error::Invalid`] for a number that is none, and those of every read.
    pub fn prune_candidates(&self, filter: &PruneFilter) -> Result<PruneCandidates> {
        let condition = filter.condition(&self.current_layout()?, self.now()?)?;
        self.read(|conn, layout| {
            let ids = condition.ids(conn)?;
            candidates(conn, layout, &ids, Delegates::Ended)
        })
    }

    /// What [`delete_sessions`](Self::delete_sessions) with these ids would delete; ids that are not
    /// there are left out. Changes nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn delete_candidates(&self, ids: &[SessionId]) -> Result<PruneCandidates> {
        self.read(|conn, layout| {
            let mut exists = conn.prepare_cached(crate::session::EXISTS)?;
            let mut there = Vec::new();
            for id in ids {
                if exists.exists([id.as_str()])? && !there.contains(id) {
                    there.push(id.clone());
                }
            }
            candidates(conn, layout, &there, Delegates::All)
        })
    }

    /// What these sessions, which are there, hold; their delegates stay.
    pub(crate) fn described(&self, ids: &[SessionId]) -> Result<PruneCandidates> {
        self.read(|conn, layout| candidates(conn, layout, ids, Delegates::Leave))
    }

    /// Deletes the sessions that a filter means, in batches; see
    /// [`delete_sessions`](Self::delete_sessions). Whether a session still meets the filter is asked
    /// once more in the transaction that deletes it.
    ///
    /// Their ended delegates go along; one that still runs, and every other child, loses its parent.
    ///
    /// # Errors
    /// As [`prune_candidates`](Self::prune_candidates), and those of every write.
    pub fn prune(
        &self,
        filter: &PruneFilter,
        options: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Deleted> {
        let condition = filter.condition(&self.current_layout()?, self.now()?)?;
        let ids = self.matching(&condition)?;
        self.delete_all(&ids, Some(&condition), Delegates::Ended, options, progress)
    }

    /// The layout of the file as it is now.
    pub(crate) fn current_layout(&self) -> Result<Layout> {
        self.read(|_, layout| Ok(layout.clone()))
    }

    pub(crate) fn matching(&self, condition: &Condition) -> Result<Vec<SessionId>> {
        self.read(|conn, _| condition.ids(conn))
    }
}

fn candidates(
    conn: &Connection,
    layout: &Layout,
    ids: &[SessionId],
    delegates: Delegates,
) -> rusqlite::Result<PruneCandidates> {
    let loose = loose_delegates(conn, layout)?;
    let mut found = PruneCandidates::default();
    let mut counted: HashSet<SessionId> = ids.iter().cloned().collect();
    for id in ids {
        let candidate = candidate(conn, layout, id, delegates, &loose)?;
        found.messages += candidate.messages;
        found.text_bytes += candidate.text_bytes;
        for delegate in &candidate.delegates {
            if counted.insert(delegate.clone()) {
                let (messages, text_bytes) = size(conn, delegate)?;
                found.messages += messages;
                found.text_bytes += text_bytes;
            }
        }
        found.sessions.push(candidate);
    }
    found.bytes = on_disk(found.text_bytes);
    Ok(found)
}

fn candidate(
    conn: &Connection,
    layout: &Layout,
    id: &SessionId,
    delegates: Delegates,
    loose: &HashMap<String, Vec<SessionId>>,
) -> rusqlite::Result<PruneCandidate> {
    let archived = if layout.sessions.has("archived") {
        "COALESCE(archived, 0)"
    } else {
        "NULL"
    };
    // Stores of the first versions can be looked at before they are migrated.
    let title = if layout.sessions.has("title") {
        "title"
    } else {
        "NULL"
    };
    let sql = format!(
        "SELECT source, {title}, model, started_at, ended_at, {archived},
            (SELECT MAX(timestamp) FROM messages
             WHERE session_id = sessions.id AND typeof(timestamp) IN ('real', 'integer'))
         FROM sessions WHERE id = ?1"
    );
    let (messages, text_bytes) = size(conn, id)?;
    let delegates = delegates_of(conn, layout, id, delegates, loose)?;
    conn.prepare_cached(&sql)?.query_row([id.as_str()], |row| {
        let started_at = column(row, 3)?;
        let ended_at: Option<f64> = column(row, 4)?;
        let newest: Option<f64> = column(row, 6)?;
        Ok(PruneCandidate {
            id: id.clone(),
            source: column(row, 0)?,
            title: column(row, 1)?,
            model: column(row, 2)?,
            started_at,
            ended_at,
            last_active: newest.or(ended_at).unwrap_or(started_at),
            archived: column::<Option<i64>>(row, 5)?.map(|archived| archived != 0),
            messages,
            text_bytes,
            delegates,
        })
    })
}

/// The messages of a session, and the bytes of text in them.
fn size(conn: &Connection, id: &SessionId) -> rusqlite::Result<(u64, u64)> {
    const SIZE: &str = "SELECT COUNT(*), COALESCE(SUM(COALESCE(octet_length(content), 0)
            + COALESCE(octet_length(tool_name), 0) + COALESCE(octet_length(tool_calls), 0)), 0)
        FROM messages WHERE session_id = ?1";
    conn.prepare_cached(SIZE)?.query_row([id.as_str()], |row| {
        let number = |index| row.get(index).map(|n: i64| u64::try_from(n).unwrap_or(0));
        Ok((number(0)?, number(1)?))
    })
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate, and never negative"
)]
fn on_disk(text_bytes: u64) -> u64 {
    (text_bytes as f64 * DISK_PER_TEXT) as u64
}
