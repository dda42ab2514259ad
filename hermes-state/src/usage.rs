//! Accounting of tokens and cost: what calls used, added to the session they were made for.

mod account;

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use crate::error::{Error, Result};
use crate::new_session::{NewSession, insert};
use crate::record::column;
use crate::schema::NATIVE_VERSION;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::{Patience, Tx};

use account::Account;

/// What one or several calls to a model used.
///
/// A counter that is not set is not known: it neither adds nor clears anything.
///
/// ```
/// use hermes_state::TokenUsage;
/// let usage = TokenUsage::new("20260101_120000_abc123")
///     .input_tokens(1200)
///     .output_tokens(300)
///     .api_call_count(1)
///     .model("hermes-4")
///     .billing_provider("openrouter")
///     .estimated_cost_usd(0.004);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TokenUsage {
    pub(crate) session_id: SessionId,
    pub(crate) absolute: bool,
    pub(crate) input_tokens: Option<i64>,
    pub(crate) output_tokens: Option<i64>,
    pub(crate) cache_read_tokens: Option<i64>,
    pub(crate) cache_write_tokens: Option<i64>,
    pub(crate) reasoning_tokens: Option<i64>,
    pub(crate) api_call_count: Option<i64>,
    pub(crate) estimated_cost_usd: Option<f64>,
    pub(crate) actual_cost_usd: Option<f64>,
    pub(crate) cost_status: Option<String>,
    pub(crate) cost_source: Option<String>,
    pub(crate) pricing_version: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) billing_provider: Option<String>,
    pub(crate) billing_base_url: Option<String>,
    pub(crate) billing_mode: Option<String>,
}

macro_rules! setters {
    ($( $(#[$meta:meta])* $name:ident: $type:ty, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<$type>) -> TokenUsage {
                self.$name = Some($name.into());
                self
            }
        )*
    };
}

impl TokenUsage {
    /// Nothing used yet, for this session.
    pub fn new(session_id: impl Into<SessionId>) -> TokenUsage {
        TokenUsage {
            session_id: session_id.into(),
            absolute: false,
            input_tokens: None,
            output_tokens: None,
            cache_read_tokens: None,
            cache_write_tokens: None,
            reasoning_tokens: None,
            api_call_count: None,
            estimated_cost_usd: None,
            actual_cost_usd: None,
            cost_status: None,
            cost_source: None,
            pricing_version: None,
            model: None,
            billing_provider: None,
            billing_base_url: None,
            billing_mode: None,
        }
    }

    setters! {
        /// Sets the input tokens.
        input_tokens: i64,
        /// Sets the output tokens.
        output_tokens: i64,
        /// Sets the tokens read from the provider's cache.
        cache_read_tokens: i64,
        /// Sets the tokens written to the provider's cache.
        cache_write_tokens: i64,
        /// Sets the reasoning tokens.
        reasoning_tokens: i64,
        /// Sets the calls made.
        api_call_count: i64,
        /// Sets the estimated cost, US dollars.
        estimated_cost_usd: f64,
        /// Sets the actual cost, US dollars.
        actual_cost_usd: f64,
        /// Sets the state of the cost figures (`estimated`, `actual`, `included`, `unknown`, …).
        cost_status: String,
        /// Sets where the cost figures come from.
        cost_source: String,
        /// Sets the price list used.
        pricing_version: String,
        /// Sets the model called.
        model: String,
        /// Sets who bills.
        billing_provider: String,
        /// Sets the endpoint that bills.
        billing_base_url: String,
        /// Sets how it is billed.
        billing_mode: String,
    }

    /// The figures are the session's totals, not what is added to them. The last call decides,
    /// also when its figures are smaller than those before.
    #[must_use]
    pub fn absolute(mut self) -> TokenUsage {
        self.absolute = true;
        self
    }

    fn counters(&self) -> [(&'static str, Option<i64>); 6] {
        [
            ("input_tokens", self.input_tokens),
            ("output_tokens", self.output_tokens),
            ("cache_read_tokens", self.cache_read_tokens),
            ("cache_write_tokens", self.cache_write_tokens),
            ("reasoning_tokens", self.reasoning_tokens),
            ("api_call_count", self.api_call_count),
        ]
    }

    fn costs(&self) -> [(&'static str, Option<f64>); 2] {
        [
            ("estimated_cost_usd", self.estimated_cost_usd),
            ("actual_cost_usd", self.actual_cost_usd),
        ]
    }

    fn check(&self) -> Result<()> {
        let wrong = |what, problem| Err(Error::Invalid { what, problem });
        if self.session_id.as_str().is_empty() {
            return wrong("session id", "is empty".into());
        }
        for (what, counter) in self.counters() {
            if let Some(n) = counter.filter(|n| *n < 0) {
                return wrong(what, format!("is negative: {n}"));
            }
        }
        for (what, cost) in self.costs() {
            if let Some(x) = cost.filter(|x| !x.is_finite() || *x < 0.0) {
                return wrong(what, format!("is no cost: {x}"));
            }
        }
        Ok(())
    }

    /// Whether anything was used at all.
    fn is_accounted(&self) -> bool {
        self.counters()
            .iter()
            .any(|(_, n)| n.is_some_and(|n| n > 0))
            || self.costs().iter().any(|(_, x)| x.is_some_and(|x| x > 0.0))
    }
}

/// A value that says something.
fn told(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

impl Store {
    /// Adds what calls used to a session's totals, or sets them
    /// ([`absolute`](TokenUsage::absolute)). The session is created (source `unknown`) if it is
    /// not there.
    ///
    /// A cost that is not set stays as it is: NULL means that it is not known, 0 that it costs
    /// nothing. Model and billing fill what is empty; in stores newer than version 11 only when
    /// something was used, and the first call that names another model and a provider replaces
    /// them. Those stores also keep what was used per model, where they have the table.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a negative figure or a total beyond 64 bits, and the errors of every
    /// write.
    pub fn update_token_counts(&self, usage: &TokenUsage) -> Result<()> {
        usage.check()?;
        let now = self.now()?;
        self.write(Patience::Short, |tx| {
            ensure(tx, usage, now)?;
            let newer = tx.layout().version > NATIVE_VERSION;
            let mut account = Account::read(tx, usage.session_id.as_str())?;
            account.add(usage, newer)?;
            account.write(tx, usage.session_id.as_str())?;
            if newer && !usage.absolute && usage.is_accounted() {
                let columns = PerModel::read(tx)?;
                if columns == PerModel::Foreign {
                    tracing::warn!(
                        "table session_model_usage has an unknown key: usage per model is not kept"
                    );
                } else if columns != PerModel::Absent {
                    add_per_model(tx, columns, usage, &account.key(usage), "", now)?;
                }
            }
            Ok(())
        })
    }

    /// Keeps what one call beside the conversation used (a title, a compression, …): per model
    /// and task, without adding it to the session's own totals. It counts as one call if no number
    /// is set. The session is created if it is not there.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a store without such a table: add the figures to the session
    /// with [`update_token_counts`](Self::update_token_counts) there. [`Error::Invalid`] for an
    /// empty task, absolute or negative figures, and the errors of every write.
    pub fn record_auxiliary_usage(&self, task: &str, usage: &TokenUsage) -> Result<()> {
        usage.check()?;
        if task.is_empty() || usage.absolute {
            return Err(Error::Invalid {
                what: "auxiliary usage",
                problem: "needs a task and relative figures".into(),
            });
        }
        let now = self.now()?;
        let usage = TokenUsage {
            api_call_count: Some(usage.api_call_count.unwrap_or(1)),
            ..usage.clone()
        };
        self.write(Patience::Short, |tx| {
            let columns = PerModel::read(tx)?;
            if columns != PerModel::WithTask {
                return Err(columns.refusal(tx.layout().version));
            }
            ensure(
                tx,
                &TokenUsage {
                    model: None,
                    ..usage.clone()
                },
                now,
            )?;
            let key = ModelKey::default().or(&usage);
            add_per_model(tx, columns, &usage, &key, task, now)
        })
    }
}

fn ensure(tx: &Tx<'_>, usage: &TokenUsage, now: f64) -> Result<()> {
    let mut new = NewSession::new(usage.session_id.clone(), "unknown");
    if let Some(model) = told(usage.model.as_deref()) {
        new = new.model(model);
    }
    insert(tx, &new, now).map(|_| ())
}

/// What the file keeps per model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PerModel {
    Absent,
    WithoutTask,
    WithTask,
    /// A table whose key is neither: what would be added up there cannot be told apart.
    Foreign,
}

/// What the rows are told apart by, in the order of names.
const KEY: &str = "billing_base_url, billing_mode, billing_provider, model, session_id";
const KEY_WITH_TASK: &str =
    "billing_base_url, billing_mode, billing_provider, model, session_id, task";

impl PerModel {
    fn read(tx: &Tx<'_>) -> Result<PerModel> {
        // The columns of the key, not all: one may have been added without the key.
        const SHAPE: &str = "SELECT COUNT(*), group_concat(name, ', ')
            FROM (SELECT NULLIF(name, IIF(pk, '', name)) AS name
                FROM pragma_table_info('session_model_usage') ORDER BY name)";
        let (columns, key) = tx.sqlite(|conn| {
            conn.prepare_cached(SHAPE)?.query_row([], |row| {
                Ok((column::<i64>(row, 0)?, column::<Option<String>>(row, 1)?))
            })
        })?;
        Ok(match key.as_deref() {
            Some(KEY) => PerModel::WithoutTask,
            Some(KEY_WITH_TASK) => PerModel::WithTask,
            _ if columns == 0 => PerModel::Absent,
            _ => PerModel::Foreign,
        })
    }

    /// Why usage per task cannot be kept.
    fn refusal(self, version: i64) -> Error {
        const NEEDS: i64 = 22;
        if version < NEEDS || self == PerModel::Absent {
            return Error::Unsupported {
                what: "usage per task",
                needs: NEEDS,
                found: version,
            };
        }
        Error::Invalid {
            what: "table session_model_usage",
            problem: format!(
                "has another key than ({KEY_WITH_TASK}), so usage per task cannot be told apart in it"
            ),
        }
    }
}

/// Whom what was used is counted for.
#[derive(Debug, Clone, Default)]
struct ModelKey {
    model: Option<String>,
    provider: Option<String>,
    base_url: Option<String>,
    mode: Option<String>,
}

impl ModelKey {
    /// What a call says, and where it says nothing, this.
    fn or(self, usage: &TokenUsage) -> ModelKey {
        let pick = |said: &Option<String>, known: Option<String>| {
            told(said.as_deref()).map(str::to_owned).or(known)
        };
        ModelKey {
            model: pick(&usage.model, self.model),
            provider: pick(&usage.billing_provider, self.provider),
            base_url: pick(&usage.billing_base_url, self.base_url),
            mode: pick(&usage.billing_mode, self.mode),
        }
    }
}

fn add_per_model(
    tx: &Tx<'_>,
    columns: PerModel,
    usage: &TokenUsage,
    key: &ModelKey,
    task: &str,
    now: f64,
) -> Result<()> {
    let text = |value: &Option<String>| Sql::Text(value.clone().unwrap_or_default());
    let optional = |value: &Option<String>| value.clone().map_or(Sql::Null, Sql::Text);
    let mut key_columns = vec![
        ("session_id", Sql::Text(usage.session_id.to_string())),
        (
            "model",
            Sql::Text(key.model.clone().unwrap_or_else(|| "unknown".into())),
        ),
        ("billing_provider", text(&key.provider)),
        ("billing_base_url", text(&key.base_url)),
        ("billing_mode", text(&key.mode)),
    ];
    if columns == PerModel::WithTask {
        key_columns.push(("task", Sql::Text(task.to_owned())));
    }
    let counters = usage
        .counters()
        .map(|(name, n)| (name, Sql::Integer(n.unwrap_or(0))));
    let costs = usage
        .costs()
        .map(|(name, x)| (name, Sql::Real(x.unwrap_or(0.0))));
    let figures: Vec<_> = counters.into_iter().chain(costs).collect();
    let told = [
        ("cost_status", optional(&usage.cost_status)),
        ("cost_source", optional(&usage.cost_source)),
        ("first_seen", Sql::Real(now)),
        ("last_seen", Sql::Real(now)),
    ];
    let key_names: Vec<&str> = key_columns.iter().map(|(name, _)| *name).collect();
    let key_names = key_names.join(", ");
    let added: Vec<String> = figures
        .iter()
        .map(|(name, _)| format!("{name} = {name} + excluded.{name}"))
        .collect();
    let (names, values): (Vec<&str>, Vec<Sql>) =
        key_columns.into_iter().chain(figures).chain(told).unzip();
    let sql = format!(
        "INSERT INTO session_model_usage ({}) VALUES ({}) ON CONFLICT({key_names}) DO UPDATE SET {},
         cost_status = COALESCE(excluded.cost_status, cost_status),
         cost_source = COALESCE(excluded.cost_source, cost_source), last_seen = excluded.last_seen",
        names.join(", "),
        vec!["?"; names.len()].join(", "),
        added.join(", ")
    );
    tx.execute(&sql, params_from_iter(values)).map(|_| ())
}
