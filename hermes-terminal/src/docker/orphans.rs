//! Containers of programs that have died.

use super::Settings;
use super::engine::{HOME, KEPT, OWNER};
use super::inspect::{Inspected, read};
use crate::Result;
use crate::container::owner;
use crate::remote::OWN;

/// How long a kept container stays that nobody has used, in seconds.
const KEPT_FOR: i64 = 30 * 24 * 3600;

/// Removes those of this home.
pub(super) fn reap(settings: &Settings, home: &str) -> Result<()> {
    let client = &settings.client;
    let called = client.called();
    let remedy = format!("try `{called} ps -a`");
    let filter = format!("label={HOME}={home}");
    let doing = "looking for containers of programs that have died";
    let arguments = ["ps", "-a", "-q", "--no-trunc", "--filter", &filter];
    let listed = client.must(arguments, OWN, doing, &remedy)?;
    let listed = String::from_utf8_lossy(&listed);
    let ids: Vec<&str> = listed.split_whitespace().collect();
    if ids.is_empty() {
        return Ok(());
    }
    let arguments = ["inspect", "--type", "container"].into_iter().chain(ids);
    // One that has vanished meanwhile makes it fail; the others are said.
    let answer = client.run(arguments, OWN)?;
    let now = jiff::Timestamp::now().as_second();
    let orphans: Vec<String> = read(&answer)?
        .into_iter()
        .filter(|found| is_orphan(found, now))
        .map(|found| found.id)
        .collect();
    if orphans.is_empty() {
        return Ok(());
    }
    tracing::info!(?orphans, "removing containers of programs that have died");
    let arguments = ["rm", "-f", "-v"]
        .map(str::to_owned)
        .into_iter()
        .chain(orphans);
    client.must(arguments, OWN, doing, &remedy).map(drop)
}

/// Whether nobody will use it again.
fn is_orphan(found: &Inspected, now: i64) -> bool {
    let state = &found.state;
    if found.label(KEPT) == Some("true") {
        let ended = state.finished_at.as_deref();
        let ended = ended.and_then(|at| at.parse::<jiff::Timestamp>().ok());
        let ended = ended.map(jiff::Timestamp::as_second).filter(|&at| at > 0);
        return !state.running && ended.is_some_and(|at| now - at > KEPT_FOR);
    }
    match found.label(OWNER).map(owner::is_alive) {
        Some(Some(is_alive)) => !is_alive,
        // Of another machine, or of ours by an older start of the machine.
        Some(None) => !state.running,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::Answer;

    fn orphan(kept: bool, owner: &str, running: bool, finished: &str) -> bool {
        let text = serde_json::json!([{
            "Id": "a",
            "State": {"Running": running, "FinishedAt": finished},
            "Config": {"Labels": {KEPT: kept.to_string(), OWNER: owner}},
        }]);
        let answer = Answer {
            code: Some(0),
            output: text.to_string().into_bytes(),
        };
        let now = "2025-06-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap();
        is_orphan(&read(&answer).unwrap()[0], now.as_second())
    }

    #[test]
    fn what_somebody_may_use_again_is_no_orphan() {
        let (this, never) = (owner::this(), "0001-01-01T00:00:00Z");
        let dead = format!("{this}1");
        let elsewhere = format!("x{this}");
        assert!(!orphan(false, &this, true, never));
        assert!(!orphan(false, &this, false, never));
        assert!(orphan(false, &dead, true, never));
        assert!(orphan(false, &dead, false, never));
        assert!(!orphan(false, &elsewhere, true, never));
        assert!(orphan(false, &elsewhere, false, never));
        // Whoever made it: it is kept for the next.
        let (lately, long_ago) = (
            "2025-05-20T10:00:00.5Z",
            "2025-04-20T10:00:00.123456789+02:00",
        );
        for owner in [&this, &dead, &elsewhere] {
            assert!(!orphan(true, owner, false, lately));
            assert!(!orphan(true, owner, true, long_ago));
            assert!(!orphan(true, owner, false, never));
            assert!(orphan(true, owner, false, long_ago));
        }
    }
}
