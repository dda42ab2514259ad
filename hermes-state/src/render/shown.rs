//! What of a message a person sees, whatever it is written as.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::content::Content;
use crate::message::Message;

/// A message, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shown {
    pub(super) role: String,
    pub(super) time: String,
    pub(super) tool: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) pieces: Vec<Piece>,
    pub(super) calls: Vec<Call>,
}

/// A piece of what was said.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// An image whose bytes are there: media type, Base64, bytes.
    Image(String, String, usize),
    /// Something that is only named.
    Note(String),
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Images that every browser shows and that hold no code.
const IMAGES: [&str; 6] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/bmp",
];

impl Shown {
    pub(super) fn of(message: &Message) -> Shown {
        let reasoning = [&message.reasoning, &message.reasoning_content]
            .into_iter()
            .flatten()
            .find(|text| !text.trim().is_empty());
        Shown {
            role: message.role.clone(),
            time: super::time::text(message.timestamp),
            tool: message.tool_name.clone().filter(|name| !name.is_empty()),
            reasoning: reasoning.cloned(),
            pieces: message.content.as_ref().map(pieces).unwrap_or_default(),
            calls: message
                .tool_calls
                .as_ref()
                .map(|calls| match calls.value() {
                    Some(Value::Array(calls)) => calls.iter().map(Call::of).collect(),
                    Some(call) => vec![Call::of(&call)],
                    None => vec![Call {
                        name: "?".to_owned(),
                        arguments: calls.as_str().to_owned(),
                    }],
                })
                .unwrap_or_default(),
        }
    }

    pub(super) fn is_tool_output(&self) -> bool {
        self.role == "tool"
    }
}

impl Call {
    fn of(call: &Value) -> Call {
        let function = call.get("function").unwrap_or(call);
        let name = function.get("name").and_then(Value::as_str).unwrap_or("?");
        let arguments = match function.get("arguments").or_else(|| function.get("input")) {
            Some(Value::String(text)) => serde_json::from_str(text)
                .map_or_else(|_| text.clone(), |value: Value| pretty(&value)),
            Some(value) => pretty(value),
            None if name == "?" => pretty(call),
            None => String::new(),
        };
        Call {
            name: name.to_owned(),
            arguments,
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn pieces(content: &Content) -> Vec<Piece> {
    match content {
        Content::Text(text) => vec![Piece::Text(text.clone())],
        Content::Bytes(bytes) => vec![match std::str::from_utf8(bytes) {
            Ok(text) => Piece::Text(text.to_owned()),
            Err(_) => Piece::Note(format!("{} bytes", bytes.len())),
        }],
        Content::Json(json) => match json.value() {
            Some(Value::Array(parts)) => parts.iter().map(piece).collect(),
            Some(part @ Value::Object(_)) => vec![piece(&part)],
            _ => vec![Piece::Text(content.plain_text().into_owned())],
        },
    }
}

/// A part of structured content, by the shapes of the providers.
fn piece(part: &Value) -> Piece {
    if let Value::String(text) = part {
        return Piece::Text(text.clone());
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(text) = part.get("text").and_then(Value::as_str) {
        return Piece::Text(text.to_owned());
    }
    let url = part.get("image_url").or_else(|| part.get("url"));
    let url = url.and_then(|url| url.get("url").unwrap_or(url).as_str());
    if let Some(url) = url {
        return image_at(url);
    }
    if let Some(source) = part.get("source") {
        let text = |name: &str| source.get(name).and_then(Value::as_str);
        if let (Some(media), Some(data)) = (text("media_type"), text("data")) {
            return image(media, data);
        }
        if let Some(url) = text("url") {
            return image_at(url);
        }
    }
    let readable = Content::Json(crate::json_text::JsonText::from_value(part));
    let readable = readable.plain_text();
    if readable.trim().is_empty() {
        Piece::Note(if kind.is_empty() {
            "part without text".to_owned()
        } else {
            kind.to_owned()
        })
    } else {
        Piece::Text(readable.into_owned())
    }
}

fn image_at(url: &str) -> Piece {
    let data = url.trim().split_once(',').and_then(|(head, data)| {
        let media = head.get(..5).filter(|s| s.eq_ignore_ascii_case("data:"));
        media.and_then(|_| Some((head.get(5..)?.split(';').next()?, head, data)))
    });
    match data {
        Some((media, head, data)) if head.ends_with(";base64") => image(media, data),
        Some((media, _, _)) => Piece::Note(format!("image: {media}")),
        None => Piece::Note(format!("image: {url}")),
    }
}

fn image(media: &str, data: &str) -> Piece {
    let media = media.to_ascii_lowercase();
    let bytes = STANDARD.decode(data.trim());
    match bytes {
        Ok(bytes) if IMAGES.contains(&media.as_str()) => {
            Piece::Image(media, data.trim().to_owned(), bytes.len())
        }
        Ok(bytes) => Piece::Note(format!("{media}, {} bytes", bytes.len())),
        Err(_) => Piece::Note(format!("{media}, unreadable")),
    }
}
