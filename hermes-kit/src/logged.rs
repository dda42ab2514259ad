//! Arguments as they may stand in a log: without secrets, and not longer than a line can be.

use std::fmt;

use hermes_approval::redact;
use serde_json::Value;

use crate::cut::cut;

/// The most characters of arguments in a log.
const SHOWN: usize = 2_000;

/// Shows arguments in JSON without their secrets: keys, tokens, passwords, those in addresses,
/// headers and commands, private keys. At most 2,000 characters, with the number of what is left
/// out. Linear in their size; nothing is done until it is shown.
///
/// ```
/// use hermes_kit::LoggedArguments;
/// use serde_json::json;
///
/// let arguments = json!({"command": "curl -u ann:hunter2 https://example.com", "api_key": "abc"});
/// assert_eq!(
///     LoggedArguments::new(&arguments).to_string(),
///     r#"{"command":"curl -u ann:*** https://example.com","api_key":"***"}"#
/// );
/// ```
#[derive(Clone, Copy)]
pub struct LoggedArguments<'a> {
    arguments: &'a Value,
}

impl<'a> LoggedArguments<'a> {
    /// These arguments. A text that holds JSON, as models send it, is read as such.
    pub fn new(arguments: &'a Value) -> LoggedArguments<'a> {
        LoggedArguments { arguments }
    }

    fn redacted(self) -> String {
        let sent = self.arguments.as_str();
        let mut shown = sent
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| self.arguments.clone());
        redact::redact_json(&mut shown);
        shown.to_string()
    }
}

impl fmt::Display for LoggedArguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cut(&self.redacted(), SHOWN))
    }
}

/// As it is displayed: no formatting of a log gets at the secrets.
impl fmt::Debug for LoggedArguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Where secrets stand in what models send; `@` is the place.
    const PLACES: &[&str] = &[
        "export OPENAI_API_KEY=@",
        "curl -H 'Authorization: Bearer @' https://example.com",
        "curl -H \"X-Api-Key: @\" https://example.com",
        "psql postgres://ann:@@db.example.com/x",
        "redis-cli -u redis://:@@host:6379",
        "mysql -u root --password=@ db",
        "sshpass -p @ ssh ann@host",
        "{\"client_secret\": \"@\"}",
        "password: @\nuser: ann",
        "-----BEGIN RSA PRIVATE KEY-----\n@\n@\n-----END RSA PRIVATE KEY-----",
        "git clone https://oauth2:@@gitlab.example.com/a/b.git",
        "echo ghp_@@",
        "echo sk-proj-@@",
    ];

    fn plain() -> impl Strategy<Value = String> {
        "[a-z]{1,8}( [a-z]{1,8}){0,5}".prop_filter("no word that names a secret", |text| {
            !text.split(' ').any(|word| {
                [
                    "pass", "token", "secret", "key", "pwd", "jwt", "cookie", "login", "cred",
                    "auth",
                ]
                .iter()
                .any(|named| word.contains(named))
            })
        })
    }

    proptest! {
        #[test]
        fn no_secret_is_shown_wherever_it_stands(
            place in 0..PLACES.len(), secret in "[A-Za-z][A-Za-z0-9]{14,40}[0-9]",
            depth in 0..4usize, as_text in any::<bool>(), around in plain(),
        ) {
            let planted = PLACES[place].replace('@', &secret);
            let planted = planted.replace(&format!("{secret}{secret}db"), &format!("{secret}@db"))
                .replace(&format!("{secret}{secret}host"), &format!("{secret}@host"))
                .replace(&format!("{secret}{secret}gitlab"), &format!("{secret}@gitlab"))
                .replace(&format!("ann{secret}host"), "ann@host");
            let mut arguments = json!({"command": planted, "note": around.clone()});
            for _ in 0..depth {
                arguments = json!({"inner": [arguments, around.clone()]});
            }
            if as_text {
                arguments = Value::String(arguments.to_string());
            }
            let shown = LoggedArguments::new(&arguments).to_string();
            prop_assert!(!shown.contains(&secret), "{shown}");
            let middle = secret.get(6..secret.len() - 4).unwrap();
            prop_assert!(!shown.contains(middle), "{shown}");
            prop_assert!(shown.contains(&around), "{shown}");
        }

        #[test]
        fn ordinary_text_is_shown_as_it_is(text in plain(), number in any::<i32>()) {
            let arguments = json!({"path": text, "lines": [number, null, true], "b": {"c": text}});
            prop_assert_eq!(LoggedArguments::new(&arguments).to_string(), arguments.to_string());
        }

        #[test]
        fn a_secret_field_shows_nothing_of_a_short_value(
            name in "(password|api_key|accessToken|client-secret|AWS_SECRET_ACCESS_KEY)",
            value in "[a-zA-Z0-9]{4,17}",
        ) {
            let arguments = json!({name: [value.clone(), {"x": value.clone()}]});
            prop_assert!(!LoggedArguments::new(&arguments).to_string().contains(&value));
        }
    }

    #[test]
    fn what_is_long_is_cut_and_counted_behind_its_secrets() {
        let arguments = json!({"content": format!("{} TOKEN=hunter2", "é".repeat(100_000))});
        let shown = LoggedArguments::new(&arguments).to_string();
        assert!(shown.chars().count() < 2_100);
        assert!(shown.ends_with("more characters]"), "{shown}");
    }
}
