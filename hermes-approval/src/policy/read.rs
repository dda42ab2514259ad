//! Settings from the value of a config, each named where it is wrong.
//!
//! What is wrong never makes anything looser: a mode that nobody knows asks, a list of what is
//! denied that cannot be read is an error.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::{AskWithoutHuman, CronMode, Mode, OnTimeout, Policy, PolicyWarning};
use crate::{Error, Result};

/// The longest time that a person or a program is waited for: a day.
const LONGEST: f64 = 86_400.0;

impl Policy {
    /// Reads the settings from the value of a whole config: `approvals`, `security.tirith_…` and
    /// `auxiliary.approval`. What is not there has its default.
    ///
    /// # Errors
    /// [`Error::BadSetting`] if `approvals`, `approvals.deny` or `approvals.ask` is there but is of
    /// another kind than it must be: what a person wanted to forbid would not be forbidden.
    ///
    /// ```
    /// use hermes_approval::{Mode, Policy};
    /// use serde_json::json;
    ///
    /// let config = json!({"approvals": {"mode": false, "deny": ["curl *"], "cron_mode": 3}});
    /// let (policy, warnings) = Policy::from_config(&config)?;
    /// assert_eq!(policy.mode, Mode::Off);
    /// assert_eq!(policy.deny, ["curl *"]);
    /// assert_eq!(warnings[0].setting, "approvals.cron_mode");
    /// # Ok::<(), hermes_approval::Error>(())
    /// ```
    pub fn from_config(config: &Value) -> Result<(Self, Vec<PolicyWarning>)> {
        let mut policy = Self::default();
        let mut reader = Reader {
            warnings: Vec::new(),
        };
        let approvals = match config.get("approvals") {
            Some(Value::Object(_)) => config.get("approvals"),
            None | Some(Value::Null) => None,
            Some(other) => return Err(bad("approvals", other, "a mapping")),
        };
        if let Some(approvals) = approvals {
            reader.approvals(approvals, &mut policy)?;
        }
        if let Some(smart) = config.get("auxiliary").and_then(|all| all.get("approval")) {
            let text = |name: &str| {
                let text = smart.get(name).and_then(Value::as_str).map(str::trim);
                text.filter(|text| !text.is_empty()).map(str::to_owned)
            };
            policy.smart.base_url = text("base_url");
            policy.smart.model = text("model");
            reader.time(
                smart.get("timeout"),
                "auxiliary.approval.timeout",
                &mut policy.smart.timeout,
            );
        }
        if let Some(security) = config.get("security") {
            reader.scanner(security, &mut policy);
        }
        Ok((policy, reader.warnings))
    }
}

struct Reader {
    warnings: Vec<PolicyWarning>,
}

impl Reader {
    fn approvals(&mut self, approvals: &Value, policy: &mut Policy) -> Result<()> {
        policy.mode = self.mode(approvals.get("mode"));
        policy.deny = strict_list(approvals.get("deny"), "approvals.deny")?;
        policy.ask = strict_list(approvals.get("ask"), "approvals.ask")?;
        policy.allow = self.allow(approvals.get("allow"));
        policy.ask_without_human = self.word(
            approvals.get("ask_without_human"),
            "approvals.ask_without_human",
            &[
                ("deny", AskWithoutHuman::Deny),
                ("allow", AskWithoutHuman::Allow),
                ("as_python", AskWithoutHuman::AsPython),
            ],
            "such commands are denied",
        );
        policy.cron_mode = self.word(
            approvals.get("cron_mode"),
            "approvals.cron_mode",
            &[
                ("deny", CronMode::Deny),
                ("approve", CronMode::Approve),
                ("allow", CronMode::Approve),
                ("off", CronMode::Approve),
                ("yes", CronMode::Approve),
            ],
            "such commands are denied",
        );
        policy.on_timeout = self.word(
            approvals.get("on_timeout"),
            "approvals.on_timeout",
            &[("continue", OnTimeout::Continue), ("stop", OnTimeout::Stop)],
            "the agent goes on",
        );
        self.time(
            approvals.get("timeout"),
            "approvals.timeout",
            &mut policy.timeout,
        );
        self.time(
            approvals.get("gateway_timeout"),
            "approvals.gateway_timeout",
            &mut policy.gateway_timeout,
        );
        Ok(())
    }

    /// Python's YAML reads `off` as false and `on` as true; others read words.
    fn mode(&mut self, value: Option<&Value>) -> Mode {
        match value {
            None | Some(Value::Null | Value::Bool(true)) => return Mode::Manual,
            Some(Value::Bool(false)) => return Mode::Off,
            Some(_) => {}
        }
        self.word(
            value,
            "approvals.mode",
            &[
                ("manual", Mode::Manual),
                ("smart", Mode::Smart),
                ("off", Mode::Off),
                ("", Mode::Manual),
                ("on", Mode::Manual),
                ("yes", Mode::Manual),
                ("no", Mode::Off),
            ],
            "a person is asked",
        )
    }

    fn word<T: Copy + Default>(
        &mut self,
        value: Option<&Value>,
        setting: &str,
        words: &[(&str, T)],
        instead: &str,
    ) -> T {
        let word = match value {
            None | Some(Value::Null) => return T::default(),
            Some(Value::String(word)) => word.trim().to_lowercase(),
            Some(other) => {
                self.warn(setting, other, instead);
                return T::default();
            }
        };
        match words.iter().find(|(known, _)| *known == word) {
            Some((_, value)) => *value,
            None => {
                self.warn(setting, &Value::String(word), instead);
                T::default()
            }
        }
    }

    /// What is allowed and cannot be read is not allowed.
    fn allow(&mut self, value: Option<&Value>) -> Vec<String> {
        let setting = "approvals.allow";
        let items = match value {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.warn(setting, other, "nothing is allowed by it");
                return Vec::new();
            }
        };
        let mut allowed = Vec::new();
        for item in items {
            match item.as_str().map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => allowed.push(text.to_owned()),
                None => self.warn(setting, item, "this entry allows nothing"),
            }
        }
        allowed
    }

    fn time(&mut self, value: Option<&Value>, setting: &str, time: &mut Duration) {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return;
        };
        let seconds = value
            .as_f64()
            .filter(|seconds| (0.0..=LONGEST).contains(seconds));
        match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(found) if !found.is_zero() => *time = found,
            _ => {
                let instead = format!("it is {} s", time.as_secs_f64());
                self.warn(setting, value, &instead);
            }
        }
    }

    fn flag(&mut self, value: Option<&Value>, setting: &str, instead: &str) -> bool {
        match value {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.warn(setting, other, instead);
                false
            }
        }
    }

    fn scanner(&mut self, security: &Value, policy: &mut Policy) {
        let scanner = &mut policy.scanner;
        scanner.enabled = self.flag(
            security.get("tirith_enabled"),
            "security.tirith_enabled",
            "the scanner is not run",
        );
        scanner.fail_open = self.flag(
            security.get("tirith_fail_open"),
            "security.tirith_fail_open",
            "commands are asked about when the scanner fails",
        );
        let path = security.get("tirith_path").and_then(Value::as_str);
        if let Some(path) = path.map(str::trim).filter(|path| !path.is_empty()) {
            scanner.program = PathBuf::from(path);
        }
        self.time(
            security.get("tirith_timeout"),
            "security.tirith_timeout",
            &mut scanner.timeout,
        );
    }

    fn warn(&mut self, setting: &str, found: &Value, instead: &str) {
        self.warnings.push(PolicyWarning {
            setting: setting.to_owned(),
            found: shown(found),
            instead: instead.to_owned(),
        });
    }
}

/// A list that must not lose an entry. One text stands for a list of it; numbers and booleans are
/// what YAML makes of such words.
fn strict_list(value: Option<&Value>, setting: &str) -> Result<Vec<String>> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items.as_slice(),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(other) => return Err(bad(setting, other, "a list of globs")),
    };
    let mut globs = Vec::with_capacity(items.len());
    for item in items {
        let glob = match item {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(_) | Value::Bool(_) => item.to_string(),
            Value::Null => String::new(),
            other => return Err(bad(setting, other, "a list of globs")),
        };
        if !glob.is_empty() {
            globs.push(glob);
        }
    }
    Ok(globs)
}

fn bad(setting: &str, found: &Value, wanted: &'static str) -> Error {
    Error::BadSetting {
        setting: setting.to_owned(),
        found: shown(found),
        wanted,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::Null => "nothing".to_owned(),
        other => crate::display::one_line(crate::redact::redact(&other.to_string()).as_str()),
    }
}
