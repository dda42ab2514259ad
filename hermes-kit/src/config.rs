//! `config.yaml`, read the way Python reads it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use hermes_approval::{Policy, PolicyWarning};
use saphyr::{Scalar, Yaml, YamlLoader};
use saphyr_parser::{Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use crate::error::{Error, Result};
use crate::hermes::Hermes;

impl Hermes {
    /// The settings of approvals in the home's `config.yaml`, and those of them that were not
    /// understood.
    ///
    /// # Errors
    /// [`Error::Config`] if the file cannot be read, [`Error::Approval`] if a list of what is
    /// forbidden is no list: what a person wanted to forbid would be allowed.
    pub fn approval_policy(&self) -> Result<(Policy, Vec<PolicyWarning>)> {
        let config = read_config(&self.home().config_file())?;
        Ok(Policy::from_config(&config)?)
    }
}

/// The value of a `config.yaml`; null if there is none. Plain words are read as Python does, for
/// whom `off` and `no` are false, `on` and `yes` true.
///
/// # Errors
/// [`Error::Config`] if it cannot be read, or is no YAML.
pub fn read_config(path: &Path) -> Result<Value> {
    let bad = |problem: String| Error::Config {
        path: path.to_owned(),
        problem,
    };
    let text = match read_plain(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Value::Null),
        Err(error) => return Err(bad(format!("cannot be read: {error}"))),
    };
    parse(text.trim_start_matches('\u{feff}')).map_err(bad)
}

/// The text of a plain file: a pipe would be waited for, and a device would act when it is opened.
fn read_plain(path: &Path) -> io::Result<String> {
    let must_be_plain = |meta: Metadata| match meta.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a file")),
    };
    must_be_plain(fs::metadata(path)?)?;
    let mut file = open(path)?;
    // Somebody may have put another thing there meanwhile.
    must_be_plain(file.metadata()?)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

fn parse(text: &str) -> std::result::Result<Value, String> {
    let mut loader = YamlLoader::<Yaml<'_>>::default();
    // Quoted words have to be told from plain ones.
    loader.early_parse(false);
    loader.allow_duplicate_keys(true);
    let mut parser = Parser::new_from_str(text);
    let place = |error: &saphyr::ScanError| {
        let at = error.marker();
        format!("is no YAML, in line {}: {}", at.line(), error.info())
    };
    parser.load(&mut loader, true).map_err(|e| place(&e))?;
    if let Some(error) = loader.error() {
        return Err(place(error));
    }
    let documents = loader.into_documents();
    Ok(documents.first().map_or(Value::Null, value))
}

fn value(node: &Yaml<'_>) -> Value {
    match node {
        Yaml::Representation(text, ScalarStyle::Plain, None) => plain(text),
        Yaml::Representation(text, _, None) => Value::String(text.to_string()),
        Yaml::Representation(text, style, Some(tag)) => {
            let parsed = Yaml::value_from_cow_and_metadata(text.clone(), *style, Some(tag));
            match &parsed {
                Yaml::Representation(..) => Value::String(text.to_string()),
                other => value(other),
            }
        }
        Yaml::Value(scalar) => self::scalar(scalar),
        Yaml::Sequence(items) => Value::Array(items.iter().map(value).collect()),
        Yaml::Mapping(pairs) => {
            let mut map = Map::new();
            for (key, node) in pairs {
                match (key_text(key), value(node)) {
                    (Some(key), merged) if key == "<<" => merge(&mut map, merged),
                    (Some(key), value) => {
                        map.insert(key, value);
                    }
                    (None, _) => {}
                }
            }
            Value::Object(map)
        }
        Yaml::Tagged(_, node) => value(node),
        Yaml::Alias(_) | Yaml::BadValue => Value::Null,
    }
}

/// What is merged gives way to what the mapping has itself.
fn merge(map: &mut Map<String, Value>, merged: Value) {
    let merged = match merged {
        Value::Array(all) => all,
        one => vec![one],
    };
    for one in merged {
        if let Value::Object(pairs) = one {
            for (key, value) in pairs {
                map.entry(key).or_insert(value);
            }
        }
    }
}

fn key_text(key: &Yaml<'_>) -> Option<String> {
    match value(key) {
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

/// A word without quotes, in YAML 1.1.
fn plain(text: &str) -> Value {
    match text {
        "" => return Value::Null,
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
        _ => {}
    }
    match Scalar::parse_from_cow(text.into()) {
        Scalar::String(text) => Value::String(text.into_owned()),
        other => scalar(&other),
    }
}

fn scalar(scalar: &Scalar<'_>) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Boolean(flag) => Value::Bool(*flag),
        Scalar::Integer(number) => Value::from(*number),
        Scalar::FloatingPoint(number) => {
            Number::from_f64(number.into_inner()).map_or(Value::Null, Value::Number)
        }
        Scalar::String(text) => Value::String(text.to_string()),
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_read_as_python_reads_them() {
        let text = "a: off\nb: 'off'\nc: yes\nd: 1.5\ne:\nf: [x, 3, ~]\ng: &g {h: on}\ni: *g\n\
                    j: !!str 5\nk:\n  <<: *g\n  l: rm *\nm: |\n  off\n";
        assert_eq!(
            parse(text).unwrap(),
            json!({
                "a": false, "b": "off", "c": true, "d": 1.5, "e": null, "f": ["x", 3, null],
                "g": {"h": true}, "i": {"h": true}, "j": "5", "k": {"h": true, "l": "rm *"},
                "m": "off\n",
            })
        );
        assert_eq!(parse("").unwrap(), Value::Null);
        assert_eq!(parse("# only this\n").unwrap(), Value::Null);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_an_error_and_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yaml");
        assert_eq!(read_config(&path).unwrap(), Value::Null);
        for maker in [&["mkfifo"][..], &["mkdir"], &["ln", "-s", "/dev/zero"]] {
            let (program, arguments) = maker.split_first().unwrap();
            let made = std::process::Command::new(program)
                .args(arguments)
                .arg(&path)
                .status();
            assert!(made.unwrap().success());
            let error = read_config(&path).unwrap_err().to_string();
            assert!(error.contains("it is not a file"), "{error}");
            fs::remove_file(&path)
                .or_else(|_| fs::remove_dir(&path))
                .unwrap();
        }
    }

    #[test]
    fn what_is_no_yaml_is_an_error_that_names_the_line() {
        let problem = parse("a: 1\nb: [\n").unwrap_err();
        assert!(problem.contains("line"), "{problem}");
    }
}
