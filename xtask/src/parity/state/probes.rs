//! Differences that are wanted and that random operations keep away from: what comes after one of
//! them would differ, too. Each is shown once, and must still be there.

use serde_json::{Value, json};

use super::is_newer;
use super::twins::Twins;
use crate::client::Answer;
use crate::client::operation::Operation;
use crate::error::{Context, Result};
use crate::parity::environment::Environment;
use crate::workspace::Workspace;

/// Which releases differ so.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Both,
    Older,
    Newer,
}

struct Probe {
    reason: &'static str,
    of: Of,
    /// Methods and arguments, an hour after each other.
    before: &'static [(&'static str, &'static str)],
    question: (&'static str, &'static str),
    /// Where in the answer they differ, and what is there; an exception is a text.
    at: &'static str,
    theirs: &'static str,
    ours: &'static str,
}

const A: (&str, &str) = ("create_session", r#"{"session_id": "a", "source": "tui"}"#);
const GET_A: (&str, &str) = ("get_session", r#"{"session_id": "a"}"#);

const PROBES: &[Probe] = &[
    Probe {
        reason: "a session without a source is refused, not passed over",
        of: Of::Older,
        before: &[],
        question: ("create_session", r#"{"session_id": "a", "source": null}"#),
        at: "",
        theirs: r#""a""#,
        ours: r#""IntegrityError""#,
    },
    Probe {
        reason: "a session is not its own parent",
        of: Of::Both,
        before: &[],
        question: (
            "create_session",
            r#"{"session_id": "a", "source": "cli", "parent_session_id": "a"}"#,
        ),
        at: "",
        theirs: r#""a""#,
        ours: r#""IntegrityError""#,
    },
    Probe {
        reason: "a session has an id",
        of: Of::Both,
        before: &[],
        question: ("create_session", r#"{"session_id": "", "source": "cli"}"#),
        at: "",
        theirs: r#""""#,
        ours: r#""ValueError""#,
    },
    Probe {
        reason: "an empty text names no session, also where there is one only",
        of: Of::Both,
        before: &[A],
        question: ("resolve_session_id", r#"{"session_id_or_prefix": ""}"#),
        at: "",
        theirs: r#""a""#,
        ours: "null",
    },
    Probe {
        reason: "a counter that is not given stays",
        of: Of::Both,
        before: &[
            A,
            (
                "update_token_counts",
                r#"{"session_id": "a", "input_tokens": 5}"#,
            ),
            (
                "update_token_counts",
                r#"{"session_id": "a", "input_tokens": null}"#,
            ),
        ],
        question: GET_A,
        at: "/input_tokens",
        theirs: "null",
        ours: "5",
    },
    Probe {
        reason: "a cost that nobody named is not known, rather than nothing",
        of: Of::Older,
        before: &[
            A,
            (
                "update_token_counts",
                r#"{"session_id": "a", "input_tokens": 5}"#,
            ),
        ],
        question: GET_A,
        at: "/estimated_cost_usd",
        theirs: "0.0",
        ours: "null",
    },
    Probe {
        reason: "a call that says nothing of its tokens leaves a total that is too low, and says so",
        of: Of::Both,
        before: &[
            A,
            (
                "update_token_counts",
                r#"{"session_id": "a", "api_call_count": 1}"#,
            ),
        ],
        question: GET_A,
        at: "/cost_status",
        theirs: "null",
        ours: r#""unknown""#,
    },
    Probe {
        reason: "an empty model is none, and filled later",
        of: Of::Both,
        before: &[
            (
                "create_session",
                r#"{"session_id": "a", "source": "cli", "model": ""}"#,
            ),
            (
                "update_token_counts",
                r#"{"session_id": "a", "input_tokens": 5, "model": "m"}"#,
            ),
        ],
        question: GET_A,
        at: "/model",
        theirs: r#""""#,
        ours: r#""m""#,
    },
    Probe {
        reason: "a ghost is pruned also if it has a child, which loses its parent",
        of: Of::Both,
        before: &[
            A,
            (
                "create_session",
                r#"{"session_id": "b", "source": "cli", "parent_session_id": "a"}"#,
            ),
            ("end_session", r#"{"session_id": "a", "end_reason": "x"}"#),
            ("clock", r#"{"now": 1800000000}"#),
        ],
        question: ("prune_empty_ghost_sessions", "{}"),
        at: "",
        theirs: r#""IntegrityError""#,
        ours: "1",
    },
    Probe {
        reason: "nothing is left of a binding that was refused, not even its tables' version",
        of: Of::Both,
        before: &[(
            "bind_telegram_topic",
            r#"{"chat_id": "1", "thread_id": "2", "user_id": "3", "session_key": "k", "session_id": "x"}"#,
        )],
        question: ("get_meta", r#"{"key": "telegram_dm_topic_schema_version"}"#),
        at: "",
        theirs: r#""2""#,
        ours: "null",
    },
    Probe {
        reason: "the counts of a session tell of what a rewind has left",
        of: Of::Newer,
        before: &[
            A,
            (
                "append_message",
                r#"{"session_id": "a", "role": "user", "content": "x"}"#,
            ),
            (
                "rewind_to_message",
                r#"{"session_id": "a", "target_message_id": 1}"#,
            ),
        ],
        question: GET_A,
        at: "/message_count",
        theirs: "1",
        ours: "0",
    },
    Probe {
        reason: "what a compaction archived is not restored with what was taken back",
        of: Of::Newer,
        before: &[
            A,
            (
                "append_message",
                r#"{"session_id": "a", "role": "user", "content": "x"}"#,
            ),
            (
                "archive_and_compact",
                r#"{"session_id": "a", "compacted_messages": []}"#,
            ),
        ],
        question: (
            "restore_rewound",
            r#"{"session_id": "a", "since_message_id": 1}"#,
        ),
        at: "",
        theirs: "1",
        ours: "0",
    },
    Probe {
        reason: "a compaction that archived all messages does not make a session empty",
        of: Of::Newer,
        before: &[
            A,
            (
                "append_message",
                r#"{"session_id": "a", "role": "user", "content": "x"}"#,
            ),
            (
                "archive_and_compact",
                r#"{"session_id": "a", "compacted_messages": []}"#,
            ),
            ("end_session", r#"{"session_id": "a", "end_reason": "x"}"#),
        ],
        question: ("delete_empty_sessions", "{}"),
        at: "",
        theirs: "1",
        ours: "0",
    },
    Probe {
        reason: "the automatic prune leaves archived sessions alone",
        of: Of::Newer,
        before: &[
            A,
            ("end_session", r#"{"session_id": "a", "end_reason": "x"}"#),
            (
                "set_session_archived",
                r#"{"session_id": "a", "archived": true}"#,
            ),
            ("clock", r#"{"now": 1800000000}"#),
        ],
        question: ("maybe_auto_prune_and_vacuum", r#"{"vacuum": false}"#),
        at: "/pruned",
        theirs: "1",
        ours: "0",
    },
    Probe {
        reason: "archiving a branch leaves the session alone that it branched off",
        of: Of::Newer,
        before: &[
            A,
            (
                "end_session",
                r#"{"session_id": "a", "end_reason": "compression"}"#,
            ),
            (
                "create_session",
                r#"{"session_id": "b", "source": "cli", "parent_session_id": "a", "model_config": {"_branched_from": "a"}}"#,
            ),
            (
                "set_session_archived",
                r#"{"session_id": "b", "archived": true}"#,
            ),
        ],
        question: GET_A,
        at: "/archived",
        theirs: "1",
        ours: "0",
    },
];

/// The wanted differences that are not there any more, or look otherwise.
pub(super) fn compare(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    const HOUR: f64 = 3600.0;
    let newer = is_newer(environment);
    let mut found = Vec::new();
    let mut shown = 0;
    for probe in PROBES {
        if probe.of == if newer { Of::Older } else { Of::Newer } {
            continue;
        }
        let mut twins = Twins::start(ws, environment)?;
        let mut now = 1_750_000_000.0;
        for (method, params) in probe.before {
            let clock = Operation::new("clock", json!({"now": now}));
            twins.ask(&clock)?;
            twins.ask(&operation(method, params)?)?;
            now += HOUR;
        }
        let (method, params) = probe.question;
        let (theirs, ours) = twins.ask(&operation(method, params)?)?;
        let at = |answer| match answer {
            Answer::Result(result) => result.pointer(probe.at).cloned().unwrap_or_default(),
            Answer::Raised { exception, .. } => Value::String(exception),
        };
        let (theirs, ours) = (at(theirs), at(ours));
        let expected = |json: &str| serde_json::from_str(json).unwrap_or(Value::Null);
        if theirs == expected(probe.theirs) && ours == expected(probe.ours) {
            shown += 1;
        } else {
            found.push(format!(
                "not the difference any more that is wanted ({}): {theirs}, ours {ours}",
                probe.reason
            ));
        }
    }
    println!("   {shown} wanted differences shown by themselves");
    Ok(found)
}

fn operation(method: &'static str, params: &str) -> Result<Operation> {
    let params = serde_json::from_str(params).context(|| params.to_owned())?;
    Ok(Operation::new(method, params))
}
