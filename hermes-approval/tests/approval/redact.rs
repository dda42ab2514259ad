//! No secret is shown, and nothing else is hidden.

use std::time::{Duration, Instant};

use hermes_approval::redact::{redact, redact_around, redact_json};
use proptest::prelude::*;

fn shown(text: &str) -> String {
    redact(text).into_text()
}

#[test]
fn a_short_secret_is_hidden_and_a_long_one_keeps_its_ends() {
    for (text, expected) in [
        ("TOKEN=abc", "TOKEN=***"),
        ("TOKEN=12345678901234567", "TOKEN=***"),
        ("TOKEN=123456789012345678", "TOKEN=123456…5678"),
        (
            "export GITHUB_TOKEN='a b;c' x",
            "export GITHUB_TOKEN='***' x",
        ),
        ("API_KEY=\"a\\\"b\" run", "API_KEY=\"***\" run"),
        (
            "curl -H 'Authorization: Bearer abcdefgh'",
            "curl -H 'Authorization: Bearer ***'",
        ),
        ("curl -H \"X-Api-Key: abc\"", "curl -H \"X-Api-Key: ***\""),
        (
            "Authorization: Basic dXNlcjpwYXNzd29yZA==",
            "Authorization: Basic dXNlcj…ZA==",
        ),
        (
            "psql postgres://ann:hunter2@db/x",
            "psql postgres://ann:***@db/x",
        ),
        (
            "mysql --password hunter2 -u root",
            "mysql --password *** -u root",
        ),
        ("mysql --password=hunter2", "mysql --password=***"),
        ("curl -u ann:hunter2 x", "curl -u ann:*** x"),
        (
            "{\"api_key\": \"abc\", \"a\": 1}",
            "{\"api_key\": \"***\", \"a\": 1}",
        ),
        (
            "curl -d '{\"password\":\"abc\"}'",
            "curl -d '{\"password\":\"***\"}'",
        ),
        (
            "curl -d \"{\\\"password\\\":\\\"abc\\\"}\"",
            "curl -d \"{\\\"password\\\":\\\"***\\\"}\"",
        ),
        ("password: hunter2\nuser: ann", "password: ***\nuser: ann"),
        ("secret = abc", "secret = ***"),
        (
            "echo ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "echo ghp_ab…6789",
        ),
        ("echo sk-proj-abcdefghijklmnop", "echo sk-pro…mnop"),
        ("x AKIAIOSFODNN7EXAMPLE y", "x AKIAIO…MPLE y"),
        (
            "t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_def",
            "t eyJhbG…_def",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nx",
            "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nx",
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nabc",
            "-----BEGIN PRIVATE KEY-----***",
        ),
    ] {
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn what_is_no_secret_stays_readable() {
    for text in [
        "rm -rf build",
        "git commit -m 'fix tokens'",
        "docker run -u 1000:1000 x",
        "TOKENIZERS_PARALLELISM=false x",
        "echo $TOKEN ${API_KEY}",
        "curl -H \"Authorization: Bearer $TOKEN\" x",
        "export TOKEN=$TOKEN",
        "KEY=a; PATH=/bin:/usr/bin; AUTHOR=ann",
        "https://example.com:8080/a?b=c",
        "git clone git@github.com:a/b.git",
        "ssh ann@host",
        "max_tokens: 100",
        "TOKEN= cmd --flag",
        "--token --other",
        "task-force-one-two-three-four",
        "primary_key: id",
        "mysql -u root -p db; grep -pattern x",
        "docker run -p 80:80 x",
    ] {
        assert_eq!(shown(text), text);
        assert!(!redact(text).is_changed());
    }
}

#[test]
fn what_a_shell_would_run_is_never_hidden() {
    for text in [
        "TOKEN=$(rm -rf /) x",
        "TOKEN=\"$(rm -rf /)\" x",
        "TOKEN=`rm -rf /`",
        "PASSWORD=\"a`rm -rf /`\"",
        "curl -H \"Authorization: $(rm -rf /)\"",
        "curl https://u:$(rm -rf /)@host",
        "curl -u \"a:$(rm -rf /)\"",
        "echo \"TOKEN=\"; rm -rf /; echo \"x\"",
        "echo 'TOKEN='; rm -rf /; echo 'x'",
        "# it's\necho 'TOKEN='; rm -rf /; echo 'x'",
        "echo '\"TOKEN=\"'; rm -rf /; echo '\"x'",
        "cat <<E\n'\nE\necho 'TOKEN='; rm -rf /; echo 'x'",
        "echo \"$(echo \"TOKEN=\"; rm -rf /; echo \"x\")\"",
        "TOKEN=\"abc; rm -rf /",
        "-----BEGIN PRIVATE KEY-----; rm -rf /; -----END PRIVATE KEY-----",
        "curl http://a:b; rm -rf / @x",
        "curl -u a:b; rm -rf /",
        "{\"password\": \"a\"}; rm -rf /; {\"b\"}",
    ] {
        assert!(shown(text).contains("rm -rf /"), "{}", shown(text));
    }
    assert_eq!(shown("TOKEN=abc; rm -rf /"), "TOKEN=***; rm -rf /");
    assert_eq!(shown("TOKEN=abc&&rm -rf /"), "TOKEN=***&&rm -rf /");
    assert_eq!(shown("TOKEN=abc|sh"), "TOKEN=***|sh");
}

#[test]
fn what_is_asked_about_is_shown_even_where_it_looks_like_a_secret() {
    let text = "x 'TOKEN=\"a; rm -rf / b\"' PASS=abc";
    let at = text.find("rm").unwrap();
    let redacted = redact_around(text, at..at + 8);
    assert_eq!(redacted.as_str(), "x 'TOKEN=\"a; rm -rf / b\"' PASS=***");
    assert_eq!(
        &redacted.as_str()[redacted.shown_span(at..at + 8)],
        "rm -rf /"
    );
    assert!(!shown(text).contains("rm"));
    // A secret that is asked about as one is no command.
    let text = "curl -H 'X-Api-Key: abcdefgh' x";
    let at = text.find("abc").unwrap();
    assert!(!redact_around(text, at..at + 8).as_str().contains("abc"));
    assert!(!redact_around(text, 0..text.len()).as_str().contains("abc"));
}

#[test]
fn a_part_of_the_original_is_found_again() {
    let text = "TOKEN=123456789012345678 rm -rf é; PASS=abc ls";
    let redacted = redact(text);
    for part in ["rm -rf é", "ls", "TOKEN="] {
        let start = text.find(part).unwrap();
        let span = redacted.shown_span(start..start + part.len());
        assert_eq!(&redacted.as_str()[span], part);
    }
    let secret = text.find("3456").unwrap();
    let span = redacted.shown_span(secret..secret + 4);
    assert_eq!(&redacted.as_str()[span], "123456…5678");
    let span = redacted.shown_span(0..text.len());
    assert_eq!(span, 0..redacted.as_str().len());
    let span = redacted.shown_span(1_000..2_000);
    assert_eq!(span, redacted.as_str().len()..redacted.as_str().len());
}

#[test]
fn fields_of_json_are_redacted_by_their_names_too() {
    let mut value = serde_json::json!({
        "command": "TOKEN=abc ls", "password": "a b c", "list": ["--password x1"], "n": 1,
    });
    redact_json(&mut value);
    assert_eq!(
        value,
        serde_json::json!({
            "command": "TOKEN=*** ls", "password": "***", "list": ["--password ***"], "n": 1,
        })
    );
}

#[test]
fn a_field_with_the_name_of_a_secret_goes_as_a_whole_whatever_it_holds() {
    let mut value = serde_json::json!({
        "password": 12345678, "secret": ["a b", 1234, {"x": "hunter2"}], "token": {"value": "abc"},
        "pass": 3, "passed": 1234567, "api_key": null, "auth_token": true,
        "sk-abcdefghijklmnopqrstu": 1,
    });
    redact_json(&mut value);
    assert_eq!(
        value,
        serde_json::json!({
            "password": "***", "secret": ["***", "***", {"x": "***"}], "token": {"value": "***"},
            "pass": 3, "passed": 1234567, "api_key": null, "auth_token": true,
            "sk-abc…rstu": 1,
        })
    );
}

/// Where a secret can stand in quotes; `@` is the place.
const QUOTED: &[&str] = &[
    "API_KEY='@' x",
    "API_KEY=\"@\" x",
    "mysql --password '@' x",
    "mysql --password=\"@\" x",
    "{\"client_secret\": \"@\"}",
    "curl -d '{\"access_token\":\"@\"}' x",
    "secret_key: '@'",
    "$env:API_TOKEN = \"@\"",
];

/// Where a secret can stand; `@` is the place.
const PLACES: &[&str] = &[
    "TOKEN=@",
    "export DB_PASSWORD=@ && run",
    "API_KEY='@' x",
    "API_KEY=\"@\" x",
    "--api-key=@ x",
    "--token @ x",
    "--password '@'",
    "{\"client_secret\": \"@\"}",
    "{'access_token': '@'}",
    "client_secret: @\nb: c",
    "curl -H 'Authorization: Bearer @' u",
    "curl -H 'Authorization: @' u",
    "curl -H \"X-Auth-Token: @\"",
    "curl --user a:x@ u",
    "git clone https://ann:@@host/a",
    "redis://:@@h",
    "echo ghp_@@@@@@@@@@@@@@@@",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----",
    "$env:GITHUB_TOKEN = \"@\"",
    "set AWS_SECRET_ACCESS_KEY=@",
    "aws.secretAccessKey = @",
];

proptest! {
    #[test]
    fn a_secret_in_quotes_may_hold_any_sign(
        place in 0..QUOTED.len(), secret in "[A-Za-z][A-Za-z0-9 !#%&*+,./:;<=>?@^_|~()\\[\\]{}-]{6,40}[a-z]",
    ) {
        let result = shown(&QUOTED[place].replace('@', &secret));
        prop_assert!(!result.contains(&secret), "{result}");
        // Nor any large part of it, but for the ends of a long one.
        let middle = secret.get(6..secret.len().saturating_sub(4)).unwrap_or_default();
        prop_assert!(middle.len() < 4 || !result.contains(middle), "{result}");
    }

    #[test]
    fn what_comes_after_a_secret_is_never_hidden(
        secret in "[A-Za-z0-9,.:/+_-]{1,30}", quote in "|'|\"", before in "bash -c \"|bash -c '||x ",
        end in "; |&&|\\||\n| \\|\\| |\"; |'; |\" ; '|>|<|\\)|\\(|` ",
    ) {
        let text = format!("{before}TOKEN={quote}{secret}{quote}{end}rm -rf /");
        let bare_quote = end.starts_with(['"', '\'']);
        // In quotes that are opened and never closed all is a value.
        prop_assume!(!bare_quote || !before.contains(quote.as_str()) || quote.is_empty());
        prop_assert!(shown(&text).contains("rm -rf /"), "{text} -> {}", shown(&text));
    }

    #[test]
    fn a_planted_secret_never_stays_whole(
        place in 0..PLACES.len(), secret in "[A-Za-z][A-Za-z0-9_+/]{7,50}", around in "[a-z \n;=:\"']{0,12}",
    ) {
        // Not doubled: `@@` is the secret before an `@`.
        let place = PLACES[place];
        // A slash ends the password of an address.
        let secret = if place.contains("://") { secret.replace('/', "x") } else { secret };
        // A key is base64.
        let secret = if place.contains("BEGIN") { secret.replace('_', "x") } else { secret };
        let planted = match place.matches("@@@").count() {
            0 => place.replacen('@', &secret, 1),
            _ => place.replace("@@@@@@@@@@@@@@@@", &format!("{0}{0}", secret.replace(['+', '/'], "x"))),
        };
        let secret = if place.contains("@@@") { secret.replace(['+', '/'], "x") } else { secret };
        let words = ["true", "false", "null", "none", "yes", "no"];
        prop_assume!(!words.contains(&secret.to_lowercase().as_str()));
        let text = format!("{around}\n{planted}");
        let result = shown(&text);
        prop_assert!(!result.contains(&secret), "{text:?} -> {result:?}");
        prop_assert_eq!(shown(&result), result.clone());
    }

    #[test]
    fn any_text_is_redacted_and_redacting_again_changes_nothing(text in "\\PC{0,60}|(TOKEN|password|--|=|: |:|@|//|https://|'|\"|\\\\|sk-|ghp_|abcdefghij0123456789|\\$\\(|\\)|`|…|\\*\\*\\*|Bearer |Authorization|-u |eyJabcdefgh|\\.| |\n|;|-----BEGIN PRIVATE KEY-----|-----END )*") {
        let once = shown(&text);
        prop_assert_eq!(shown(&once), once.clone(), "{:?}", text);
    }

    #[test]
    fn spans_are_valid_for_any_text(text in "(TOKEN=|abc|é|'| |password: |sk-abcdefghijklmnopqrstuvwxyz|;)*", a in 0usize..80, b in 0usize..80) {
        let redacted = redact(&text);
        let (a, b) = (a.min(b), a.max(b));
        let span = redacted.shown_span(a..b);
        prop_assert!(span.start <= span.end && span.end <= redacted.as_str().len());
        if text.is_char_boundary(a.min(text.len())) && text.is_char_boundary(b.min(text.len())) {
            prop_assert!(redacted.as_str().get(span).is_some());
        }
    }
}

#[test]
fn a_long_text_of_anything_is_redacted_in_time() {
    for piece in [
        "TOKEN=",
        "token='",
        "token=\"",
        "token='\"",
        "password: ",
        "--password ",
        "sk-",
        "ghp_",
        "eyJabcdefg-",
        "eyJabcdefg.",
        "https://a:",
        "https://a:b",
        "-u a:",
        "Authorization: ",
        "Bearer ",
        " ",
        ":",
        "=",
        "a",
        "a.",
        "\\\"",
        "\"",
        "\"'",
        "-----BEGIN PRIVATE KEY-----",
        "xoxb-a-",
        "a_token:\"",
        "é",
        "mysql a ",
        "redis-cli ",
        "login a ",
        "docker login ",
        "-p ",
        "AKIA",
        "1:AA",
    ] {
        let text = piece.repeat((1 << 18) / piece.len());
        let begun = Instant::now();
        let redacted = redact(&text);
        assert!(redacted.as_str().len() <= text.len() * 4);
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{piece}: {:?}",
            begun.elapsed()
        );
    }
}
