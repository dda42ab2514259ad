//! What docker and podman say of a container: the part of `inspect` that both have.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Settings;
use crate::container::client::failed;
use crate::remote::{Answer, OWN};
use crate::{Error, Result};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Inspected {
    pub(super) id: String,
    pub(super) state: InspectedState,
    pub(super) config: InspectedConfig,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct InspectedState {
    pub(super) running: bool,
    #[serde(default)]
    pub(super) paused: bool,
    /// When it ended last, as RFC 3339 has it.
    #[serde(default)]
    pub(super) finished_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct InspectedConfig {
    #[serde(default)]
    pub(super) labels: Option<BTreeMap<String, String>>,
}

impl Inspected {
    pub(super) fn label(&self, name: &str) -> Option<&str> {
        self.config.labels.as_ref()?.get(name).map(String::as_str)
    }
}

impl Settings {
    /// What is said of a container; nothing if there is none.
    pub(super) fn inspect(&self, name: &str) -> Result<Option<Inspected>> {
        let answer = self
            .client
            .run(["inspect", "--type", "container", name], OWN)?;
        if answer.code == Some(0) {
            return read(&answer).map(|mut all| all.pop());
        }
        let said = String::from_utf8_lossy(&answer.output).to_ascii_lowercase();
        if said.contains("no such") || said.contains("no container") {
            return Ok(None);
        }
        let called = self.client.called();
        Err(failed(
            &answer,
            &format!("asking {called} for the container {name}"),
            &format!("see whether its service runs with `{called} ps`"),
        ))
    }
}

pub(super) fn read(answer: &Answer) -> Result<Vec<Inspected>> {
    // Warnings may stand before it.
    let text = &answer.output;
    let start = text.iter().position(|&byte| byte == b'[').unwrap_or(0);
    serde_json::from_slice(text.get(start..).unwrap_or_default()).map_err(|error| {
        Error::io("reading what is said of containers")(std::io::Error::other(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_are_understood() {
        let docker =
            br#"[{"Id": "abc", "State": {"Status": "exited", "Running": false, "Paused": false},
            "Config": {"Labels": {"a": "b"}}}]"#;
        let podman = br#"WARN: x
[{"Id": "abc", "State": {"Running": true, "Pid": 5}, "Config": {"Labels": null}}]"#;
        let of = |text: &[u8]| {
            let answer = Answer {
                code: Some(0),
                output: text.to_vec(),
            };
            read(&answer).map(|mut all| all.pop().unwrap())
        };
        let docker = of(docker).unwrap();
        assert_eq!(
            (docker.label("a"), docker.state.running),
            (Some("b"), false)
        );
        let podman = of(podman).unwrap();
        assert_eq!((podman.label("a"), podman.state.running), (None, true));
        assert!(of(b"[{}]").is_err() && of(b"").is_err());
    }
}
