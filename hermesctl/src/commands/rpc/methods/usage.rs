//! Tokens and cost.

use hermes_kit::state::TokenUsage;

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;

pub(super) const METHODS: &[Method] = &[
    method(
        "update_token_counts",
        &[
            "session_id",
            "input_tokens",
            "output_tokens",
            "model",
            "cache_read_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
            "estimated_cost_usd",
            "actual_cost_usd",
            "cost_status",
            "cost_source",
            "pricing_version",
            "billing_provider",
            "billing_base_url",
            "billing_mode",
            "api_call_count",
            "absolute",
        ],
        update,
    ),
    method(
        "record_auxiliary_usage",
        &[
            "session_id",
            "task",
            "model",
            "billing_provider",
            "billing_base_url",
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
            "estimated_cost_usd",
        ],
        record,
    ),
];

fn update(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let mut usage = usage(arguments)?;
    if arguments.is_set("absolute")? {
        usage = usage.absolute();
        // What is not given is zero: the figures are all of the totals.
        for (name, set) in COUNTERS {
            if !arguments.is_null(name) && !arguments.given(name) {
                usage = set(usage, 0);
            }
        }
    }
    connection.store()?.update_token_counts(&usage)?;
    Ok(Json::null())
}

fn record(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let usage = usage(arguments)?;
    let task = arguments.required_text("task")?;
    connection.store()?.record_auxiliary_usage(&task, &usage)?;
    Ok(Json::null())
}

type SetCounter = fn(TokenUsage, i64) -> TokenUsage;

const COUNTERS: [(&str, SetCounter); 6] = [
    ("input_tokens", TokenUsage::input_tokens),
    ("output_tokens", TokenUsage::output_tokens),
    ("cache_read_tokens", TokenUsage::cache_read_tokens),
    ("cache_write_tokens", TokenUsage::cache_write_tokens),
    ("reasoning_tokens", TokenUsage::reasoning_tokens),
    ("api_call_count", TokenUsage::api_call_count),
];

/// What is given of these.
fn usage(arguments: &Arguments) -> Result<TokenUsage, Fault> {
    let mut usage = TokenUsage::new(arguments.required_text("session_id")?);
    for (name, set) in COUNTERS {
        if let Some(n) = arguments.integer(name)? {
            usage = set(usage, n);
        }
    }
    for (name, set) in [
        (
            "estimated_cost_usd",
            TokenUsage::estimated_cost_usd as fn(TokenUsage, f64) -> TokenUsage,
        ),
        ("actual_cost_usd", TokenUsage::actual_cost_usd),
    ] {
        if let Some(cost) = arguments.float(name)? {
            usage = set(usage, cost);
        }
    }
    for (name, set) in [
        (
            "cost_status",
            TokenUsage::cost_status as fn(TokenUsage, String) -> TokenUsage,
        ),
        ("cost_source", TokenUsage::cost_source),
        ("pricing_version", TokenUsage::pricing_version),
        ("model", TokenUsage::model),
        ("billing_provider", TokenUsage::billing_provider),
        ("billing_base_url", TokenUsage::billing_base_url),
        ("billing_mode", TokenUsage::billing_mode),
    ] {
        if let Some(text) = arguments.text(name)? {
            usage = set(usage, text);
        }
    }
    Ok(usage)
}
