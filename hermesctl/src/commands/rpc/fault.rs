//! Why a request failed, as JSON-RPC says it.

use hermes_kit::state::Error as StateError;

use super::json::Json;
use crate::failure::Failure;

/// The errors of the protocol itself.
pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

/// The request was understood, and the store refused it.
const REFUSED: i32 = -32000;

/// The error of an answer.
#[derive(Debug)]
pub(super) struct Fault {
    code: i32,
    message: String,
    /// Our stable word, and what Python raises there.
    data: Option<(&'static str, Option<&'static str>)>,
}

impl Fault {
    pub(super) fn protocol(code: i32, message: impl Into<String>) -> Fault {
        Fault {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(super) fn no_method(name: &str) -> Fault {
        Fault::protocol(METHOD_NOT_FOUND, format!("there is no method {name:?}"))
    }

    /// An argument is missing, unknown or of a wrong type.
    pub(super) fn argument(problem: impl Into<String>) -> Fault {
        Fault {
            code: INVALID_PARAMS,
            message: problem.into(),
            data: Some(("bad_argument", Some("TypeError"))),
        }
    }

    /// An argument of the right type that Python refuses with this exception.
    pub(super) fn refused(
        code: &'static str,
        exception: &'static str,
        problem: impl Into<String>,
    ) -> Fault {
        Fault {
            code: REFUSED,
            message: problem.into(),
            data: Some((code, Some(exception))),
        }
    }

    pub(super) fn message(self) -> String {
        self.message
    }

    pub(super) fn to_json(&self) -> Json {
        let mut members = vec![
            ("code", Json::of(&self.code)),
            ("message", Json::of(&self.message)),
        ];
        if let Some((code, exception)) = self.data {
            let data = [
                ("code", Json::of(code)),
                ("exception", Json::of(&exception)),
            ];
            members.push(("data", Json::object(data)));
        }
        Json::object(members)
    }
}

impl From<StateError> for Fault {
    fn from(error: StateError) -> Fault {
        Fault {
            code: REFUSED,
            message: error.problem(),
            data: Some((error.code(), exception(&error))),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        Fault {
            code: REFUSED,
            message: failure.problem().to_owned(),
            data: Some((failure.code(), None)),
        }
    }
}

/// What Hermes raises in this case, if it has the case.
fn exception(error: &StateError) -> Option<&'static str> {
    Some(match error {
        StateError::UnknownSession { .. } | StateError::UnknownParent { .. } => "IntegrityError",
        StateError::TitleInUse { .. } | StateError::Invalid { .. } => "ValueError",
        StateError::BadSchemaVersion { .. } => "TypeError",
        StateError::Corrupt { .. }
        | StateError::IndexDamaged { .. }
        | StateError::NotADatabase { .. }
        | StateError::WalReplaced { .. } => "DatabaseError",
        StateError::Locked { .. }
        | StateError::ReadOnly { .. }
        | StateError::DiskFull { .. }
        | StateError::Io { .. }
        | StateError::NoStore { .. }
        | StateError::NotAFile { .. }
        | StateError::PermissionDenied { .. }
        | StateError::CannotOpen { .. }
        | StateError::Sqlite { .. } => "OperationalError",
        // Hermes writes newer stores, migrates older ones, and lacks the others.
        _ => return None,
    })
}
