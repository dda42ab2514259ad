//! What passes for the frame of a conversation.

pub(super) const CDATA_START: &str = "<![CDATA[";
pub(super) const CDATA_END: &str = "]]>";

/// Tags that frame roles, calls and their results, with or without attributes.
const FRAMES: [&str; 33] = [
    "ai",
    "analysis",
    "assistant",
    "developer",
    "end_of_turn",
    "function",
    "function_call",
    "function_calls",
    "function_response",
    "function_result",
    "function_results",
    "human",
    "invoke",
    "instructions",
    "observation",
    "parameter",
    "start_of_turn",
    "system",
    "system_prompt",
    "system_reminder",
    "think",
    "thinking",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_output",
    "tool_response",
    "tool_result",
    "tool_results",
    "tool_use",
    "tools",
    "user",
    "user_input",
];

/// Tags that frame as well, but are also HTML's or common: only without attributes.
const BARE_FRAMES: [&str; 6] = ["context", "input", "output", "prompt", "response", "result"];

/// How many bytes a tag with its attributes has at most. Longer ones frame nothing.
const MAX_TAG: usize = 256;

/// Where the marker starts that the text ends with, if it ends with one. `last` is the character
/// that it ends with, and `openers` are the places of all `<` and `[` in it.
pub(super) fn marker_at_end(text: &str, last: char, openers: &[usize]) -> Option<usize> {
    let opener = if last == ']' { '[' } else { '<' };
    // The nearest opener that fits; `<<SYS>>` has two.
    let mut near = openers.iter().rev().take(4).copied().filter(|start| {
        text.get(*start..).is_some_and(|t| t.starts_with(opener)) && text.len() - start <= MAX_TAG
    });
    let start = near.next()?;
    let tag = text.get(start..)?;
    if last == ']' {
        return is_instruction(tag).then_some(start);
    }
    if is_frame(tag) {
        return Some(start);
    }
    let outer = near.next()?;
    is_system_block(text.get(outer..)?).then_some(outer)
}

/// `[INST]`, `[/INST]`, and the calls of the same family of templates.
fn is_instruction(tag: &str) -> bool {
    let Some(inner) = tag.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else {
        return false;
    };
    let name = inner.strip_prefix('/').unwrap_or(inner);
    // The others are as likely an index when in lower case: `message[tool_calls]`.
    name.eq_ignore_ascii_case("INST")
        || matches!(
            name,
            "SYSTEM_PROMPT" | "AVAILABLE_TOOLS" | "TOOL_CALLS" | "TOOL_RESULTS"
        )
}

/// `<<SYS>>` and `<</SYS>>`.
fn is_system_block(tag: &str) -> bool {
    ["<<SYS>>", "<</SYS>>"]
        .iter()
        .any(|block| block.eq_ignore_ascii_case(tag))
}

/// `<system>`, `</assistant >`, `<invoke name="x">`, `<|im_start|>`.
fn is_frame(tag: &str) -> bool {
    let Some(inner) = tag.strip_prefix('<').and_then(|t| t.strip_suffix('>')) else {
        return false;
    };
    if let Some(token) = token(inner) {
        return !token.is_empty() && token.chars().all(is_token_char);
    }
    let inner = inner.trim();
    let inner = inner.strip_prefix('/').unwrap_or(inner).trim_start();
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    let end = inner
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':')))
        .unwrap_or(inner.len());
    let (name, attributes) = inner.split_at(end);
    if attributes
        .chars()
        .next()
        .is_some_and(|c| !c.is_whitespace())
    {
        return false;
    }
    let local = name.rsplit(':').next().unwrap_or(name);
    let one_of = |names: &[&str]| names.iter().any(|frame| same_name(frame, local));
    one_of(&FRAMES) || (attributes.trim().is_empty() && one_of(&BARE_FRAMES))
}

/// What stands between the bars of `<|…|>`, narrow or wide.
fn token(inner: &str) -> Option<&str> {
    ['|', '｜']
        .iter()
        .find_map(|bar| inner.strip_prefix(*bar)?.strip_suffix(*bar))
}

fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '▁')
}

/// `tool-result` and `ToolResult` frame as `tool_result` does.
fn same_name(frame: &str, name: &str) -> bool {
    let mut wanted = frame.bytes().filter(|b| *b != b'_');
    let mut given = name.bytes().filter(|b| !matches!(b, b'_' | b'-'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b.to_ascii_lowercase() => {}
            _ => return false,
        }
    }
}
