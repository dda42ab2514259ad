//! One request to a store.

use serde_json::Value;

/// A method and its arguments as JSON texts: they may hold what no `Value` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    arguments: Vec<(&'static str, String)>,
    params: Option<String>,
}

impl Operation {
    pub(crate) fn of(method: &'static str) -> Operation {
        Operation {
            method,
            arguments: Vec::new(),
            params: None,
        }
    }

    pub(crate) fn new(method: &'static str, params: Value) -> Operation {
        Operation {
            params: Some(params.to_string()),
            ..Operation::of(method)
        }
    }

    pub(crate) fn with(self, name: &'static str, value: impl Into<Value>) -> Operation {
        self.with_text(name, value.into().to_string())
    }

    /// An argument whose JSON text is given.
    pub(crate) fn with_text(mut self, name: &'static str, json: impl Into<String>) -> Operation {
        self.arguments.push((name, json.into()));
        self
    }

    pub(crate) fn params(&self) -> String {
        if let Some(params) = &self.params {
            return params.clone();
        }
        let members: Vec<String> = self
            .arguments
            .iter()
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        format!("{{{}}}", members.join(", "))
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const ENOUGH: usize = 600;
        let params = self.params();
        let cut: String = params.chars().take(ENOUGH).collect();
        let more = if cut.len() < params.len() { "…" } else { "" };
        write!(f, "{} {cut}{more}", self.method)
    }
}
