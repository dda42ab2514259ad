//! The JSON schema of a verdict.

/// The JSON schema (draft 2020-12) of what a [`crate::Verdict`] is serialised to.
pub const VERDICT_SCHEMA: &str = include_str!("verdict.schema.json");
