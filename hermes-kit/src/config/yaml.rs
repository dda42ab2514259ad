//! A file of YAML as values that know where they stand.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use saphyr::{MarkedYaml, Scalar, YamlData, YamlLoader};
use saphyr_parser::{Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

use super::scalar::plain;
use crate::error::{Error, Result};

/// Where a setting stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// In the file, both counted from 1.
    File {
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// In a variable of the environment or of the home's `.env`.
    Variable(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File { line, column } => write!(f, "line {line}, column {column}"),
            Place::Variable(name) => write!(f, "the variable {name}"),
        }
    }
}

/// A value, and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) data: Data,
    pub(super) place: Place,
}

#[derive(Debug, Clone)]
pub(super) enum Data {
    /// The value, and how it is written.
    Scalar(Value, String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// What a person has not written at all.
    pub(super) fn nothing() -> Node {
        Node {
            data: Data::Scalar(Value::Null, String::new()),
            place: Place::File { line: 1, column: 1 },
        }
    }

    /// The value of a field. Of two with one name the last holds, as in Python.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(fields) => fields.iter().rev().find(|(key, _)| key == name),
            _ => None,
        }
        .map(|(_, node)| node)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.data, Data::Scalar(Value::Null, _))
    }

    pub(super) fn to_value(&self) -> Value {
        match &self.data {
            Data::Scalar(value, _) => value.clone(),
            Data::List(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Data::Map(fields) => {
                let mut map = Map::new();
                for (key, node) in fields {
                    map.insert(key.clone(), node.to_value());
                }
                Value::Object(map)
            }
        }
    }

    /// The same for a value of JSON, all of it in one place.
    pub(super) fn from_value(value: Value, place: &Place) -> Node {
        let data = match value {
            Value::Array(items) => Data::List(
                items
                    .into_iter()
                    .map(|item| Node::from_value(item, place))
                    .collect(),
            ),
            Value::Object(map) => Data::Map(
                map.into_iter()
                    .map(|(key, value)| (key, Node::from_value(value, place)))
                    .collect(),
            ),
            Value::String(text) => Data::Scalar(Value::String(text.clone()), text),
            other => {
                let text = other.to_string();
                Data::Scalar(other, text)
            }
        };
        Node {
            data,
            place: place.clone(),
        }
    }
}

/// The value of a `config.yaml`; null if there is none. Plain words are read as Python does, for
/// whom `off` and `no` are false, `on` and `yes` true.
///
/// # Errors
/// [`Error::Config`] if it cannot be read, or is no YAML.
pub fn read_config(path: &Path) -> Result<Value> {
    Ok(read(path)?.to_value())
}

/// The same with its places.
pub(super) fn read(path: &Path) -> Result<Node> {
    let bad = |problem: String| Error::Config {
        path: path.to_owned(),
        problem,
    };
    match read_plain(path) {
        Ok(text) => parse(&text).map_err(bad),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Node::nothing()),
        Err(error) => Err(bad(format!("cannot be read: {error}"))),
    }
}

/// The text of a plain file: a pipe would be waited for, and a device would act when it is opened.
fn read_plain(path: &Path) -> io::Result<String> {
    String::from_utf8(read_plain_bytes(path)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The bytes of a plain file.
pub(crate) fn read_plain_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let must_be_plain = |meta: Metadata| match meta.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a file")),
    };
    must_be_plain(fs::metadata(path)?)?;
    let mut file = open(path)?;
    // Somebody may have put another thing there meanwhile.
    must_be_plain(file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
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

/// How deep values may lie in each other. A reader that goes down with them has to end somewhere.
const DEEPEST: usize = 200;

pub(super) fn parse(text: &str) -> std::result::Result<Node, String> {
    let text = text.trim_start_matches('\u{feff}');
    check_depth(text)?;
    let mut loader = YamlLoader::<MarkedYaml<'_>>::default();
    // Quoted words have to be told from plain ones.
    loader.early_parse(false);
    loader.allow_duplicate_keys(true);
    let mut parser = Parser::new_from_str(text);
    parser.load(&mut loader, true).map_err(|e| problem(&e))?;
    if let Some(error) = loader.error() {
        return Err(problem(error));
    }
    let documents = loader.into_documents();
    Ok(documents.first().map_or_else(Node::nothing, node))
}

fn problem(error: &saphyr::ScanError) -> String {
    let at = error.marker();
    format!(
        "is no YAML, in line {}, column {}: {}",
        at.line(),
        at.col() + 1,
        error.info()
    )
}

/// Goes through the text without going down in it.
fn check_depth(text: &str) -> std::result::Result<(), String> {
    use saphyr_parser::Event;
    let mut depth = 0usize;
    for event in Parser::new_from_str(text) {
        // What is wrong is told when it is read.
        let Ok((event, span)) = event else { break };
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!(
                "has values more than {DEEPEST} deep in each other, in line {}",
                span.start.line()
            ));
        }
    }
    Ok(())
}

fn node(marked: &MarkedYaml<'_>) -> Node {
    Node {
        data: data(&marked.data),
        place: place(marked.span),
    }
}

fn place(span: Span) -> Place {
    Place::File {
        line: span.start.line(),
        column: span.start.col() + 1,
    }
}

fn data<'a>(data: &YamlData<'a, MarkedYaml<'a>>) -> Data {
    match data {
        YamlData::Representation(text, ScalarStyle::Plain, None) => {
            Data::Scalar(plain(text), text.to_string())
        }
        YamlData::Representation(text, _, None) => {
            Data::Scalar(Value::String(text.to_string()), text.to_string())
        }
        YamlData::Representation(text, style, Some(tag)) => {
            let parsed = Scalar::parse_from_cow_and_metadata(text.clone(), *style, Some(tag));
            let value =
                parsed.map_or_else(|| Value::String(text.to_string()), |parsed| scalar(&parsed));
            Data::Scalar(value, text.to_string())
        }
        YamlData::Value(value) => {
            let value = scalar(value);
            let text = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Data::Scalar(value, text)
        }
        YamlData::Sequence(items) => Data::List(items.iter().map(node).collect()),
        YamlData::Mapping(pairs) => {
            let mut fields: Vec<(String, Node)> = Vec::new();
            let mut merged = Vec::new();
            for (key, value) in pairs {
                match key_text(key) {
                    Some(key) if key == "<<" => merged.push(node(value)),
                    Some(key) => fields.push((key, node(value))),
                    None => {}
                }
            }
            for one in merged {
                merge(&mut fields, one);
            }
            Data::Map(fields)
        }
        YamlData::Tagged(_, inner) => self::data(&inner.data),
        YamlData::Alias(_) | YamlData::BadValue => Data::Scalar(Value::Null, String::new()),
    }
}

/// What is merged gives way to what the mapping has itself.
fn merge(fields: &mut Vec<(String, Node)>, merged: Node) {
    match merged.data {
        Data::Map(pairs) => {
            for (key, value) in pairs {
                if !fields.iter().any(|(known, _)| *known == key) {
                    fields.push((key, value));
                }
            }
        }
        Data::List(all) => all.into_iter().for_each(|one| merge(fields, one)),
        Data::Scalar(..) => {}
    }
}

fn key_text(key: &MarkedYaml<'_>) -> Option<String> {
    match data(&key.data) {
        Data::Scalar(Value::String(text), _) => Some(text),
        Data::Scalar(other, _) => Some(other.to_string()),
        _ => None,
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
mod tests;
