//! A session's totals and the rules by which usage changes them.

use rusqlite::named_params;

use crate::error::{Error, Result};
use crate::record::column;
use crate::write::Tx;

use super::{ModelKey, TokenUsage, told};

const READ: &str = "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        reasoning_tokens, api_call_count, estimated_cost_usd, actual_cost_usd, cost_status,
        cost_source, pricing_version, model, billing_provider, billing_base_url, billing_mode
    FROM sessions WHERE id = ?1";

const WRITE: &str = "UPDATE sessions SET input_tokens = :input, output_tokens = :output,
        cache_read_tokens = :cache_read, cache_write_tokens = :cache_write,
        reasoning_tokens = :reasoning, api_call_count = :calls, estimated_cost_usd = :estimated,
        actual_cost_usd = :actual, cost_status = :status, cost_source = :source,
        pricing_version = :pricing, model = :model, billing_provider = :provider,
        billing_base_url = :base_url, billing_mode = :mode
    WHERE id = :id";

/// The columns of a session that accounting changes.
pub(super) struct Account {
    /// In the order of [`TokenUsage::counters`]. NULL heals to 0.
    counters: [i64; 6],
    estimated: Option<f64>,
    actual: Option<f64>,
    cost_status: Option<String>,
    cost_source: Option<String>,
    pricing_version: Option<String>,
    billed: ModelKey,
}

impl Account {
    pub(super) fn read(tx: &Tx<'_>, id: &str) -> Result<Account> {
        tx.sqlite(|conn| {
            conn.prepare_cached(READ)?.query_row([id], |row| {
                let counter =
                    |index| column::<Option<i64>>(row, index).map(Option::unwrap_or_default);
                Ok(Account {
                    counters: [
                        counter(0)?,
                        counter(1)?,
                        counter(2)?,
                        counter(3)?,
                        counter(4)?,
                        counter(5)?,
                    ],
                    estimated: column(row, 6)?,
                    actual: column(row, 7)?,
                    cost_status: column(row, 8)?,
                    cost_source: column(row, 9)?,
                    pricing_version: column(row, 10)?,
                    billed: ModelKey {
                        model: column(row, 11)?,
                        provider: column(row, 12)?,
                        base_url: column(row, 13)?,
                        mode: column(row, 14)?,
                    },
                })
            })
        })
    }

    /// Adds what was used. `newer` chooses the rules of stores newer than version 11.
    pub(super) fn add(&mut self, usage: &TokenUsage, newer: bool) -> Result<()> {
        let first = self.calls() == 0;
        for (total, (what, given)) in self.counters.iter_mut().zip(usage.counters()) {
            *total = match given {
                None => *total,
                Some(given) if usage.absolute => given,
                Some(given) => total.checked_add(given).ok_or_else(|| Error::Invalid {
                    what,
                    problem: "exceeds 64 bits with what is stored".into(),
                })?,
            };
        }
        for (total, given) in [
            (&mut self.estimated, usage.estimated_cost_usd),
            (&mut self.actual, usage.actual_cost_usd),
        ] {
            if let Some(given) = given {
                let before = total.filter(|_| !usage.absolute).unwrap_or(0.0);
                *total = Some(before + given);
            }
        }
        self.tell_cost(usage);
        if !newer || usage.is_accounted() {
            self.bill(usage, newer && first);
        }
        Ok(())
    }

    fn tell_cost(&mut self, usage: &TokenUsage) {
        for (stored, given) in [
            (&mut self.cost_status, &usage.cost_status),
            (&mut self.cost_source, &usage.cost_source),
            (&mut self.pricing_version, &usage.pricing_version),
        ] {
            if given.is_some() {
                stored.clone_from(given);
            }
        }
        // Calls that say nothing of what they used leave totals that are too low.
        let [(_, input), (_, output), ..] = usage.counters();
        let silent = usage.api_call_count.is_some_and(|n| n > 0) && input.or(output).is_none();
        if silent && usage.cost_status.is_none() {
            self.cost_status = Some("unknown".to_owned());
        }
    }

    fn bill(&mut self, usage: &TokenUsage, first: bool) {
        let given = ModelKey::default().or(usage);
        let billed = &mut self.billed;
        let other = given.model != billed.model || given.provider != billed.provider;
        if first && other && given.model.is_some() && given.provider.is_some() {
            *billed = given;
            return;
        }
        for (stored, given) in [
            (&mut billed.model, given.model),
            (&mut billed.provider, given.provider),
            (&mut billed.base_url, given.base_url),
            (&mut billed.mode, given.mode),
        ] {
            if given.is_some() && told(stored.as_deref()).is_none() {
                *stored = given;
            }
        }
    }

    fn calls(&self) -> i64 {
        let [.., calls] = self.counters;
        calls
    }

    /// Whom a call counts for: what it says, otherwise what the session says.
    pub(super) fn key(&self, usage: &TokenUsage) -> ModelKey {
        self.billed.clone().or(usage)
    }

    pub(super) fn write(&self, tx: &Tx<'_>, id: &str) -> Result<()> {
        let [input, output, cache_read, cache_write, reasoning, calls] = self.counters;
        let values = named_params! {
            ":id": id,
            ":input": input,
            ":output": output,
            ":cache_read": cache_read,
            ":cache_write": cache_write,
            ":reasoning": reasoning,
            ":calls": calls,
            ":estimated": self.estimated,
            ":actual": self.actual,
            ":status": self.cost_status,
            ":source": self.cost_source,
            ":pricing": self.pricing_version,
            ":model": self.billed.model,
            ":provider": self.billed.provider,
            ":base_url": self.billed.base_url,
            ":mode": self.billed.mode,
        };
        tx.execute(WRITE, values).map(|_| ())
    }
}
