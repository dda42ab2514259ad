//! The text of a title: what may be in it, its number, its length.

use crate::error::{Error, Result};

/// The longest title, in Unicode code points.
pub const MAX_TITLE_CHARS: usize = 100;

/// The zeros of all scripts with decimal digits; the other nine follow each.
const ZEROS: [char; 66] = [
    '\u{30}',
    '\u{660}',
    '\u{6F0}',
    '\u{7C0}',
    '\u{966}',
    '\u{9E6}',
    '\u{A66}',
    '\u{AE6}',
    '\u{B66}',
    '\u{BE6}',
    '\u{C66}',
    '\u{CE6}',
    '\u{D66}',
    '\u{DE6}',
    '\u{E50}',
    '\u{ED0}',
    '\u{F20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17E0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19D0}',
    '\u{1A80}',
    '\u{1A90}',
    '\u{1B50}',
    '\u{1BB0}',
    '\u{1C40}',
    '\u{1C50}',
    '\u{A620}',
    '\u{A8D0}',
    '\u{A900}',
    '\u{A9D0}',
    '\u{A9F0}',
    '\u{AA50}',
    '\u{ABF0}',
    '\u{FF10}',
    '\u{104A0}',
    '\u{10D30}',
    '\u{11066}',
    '\u{110F0}',
    '\u{11136}',
    '\u{111D0}',
    '\u{112F0}',
    '\u{11450}',
    '\u{114D0}',
    '\u{11650}',
    '\u{116C0}',
    '\u{11730}',
    '\u{118E0}',
    '\u{11950}',
    '\u{11C50}',
    '\u{11D50}',
    '\u{11DA0}',
    '\u{16A60}',
    '\u{16AC0}',
    '\u{16B50}',
    '\u{1D7CE}',
    '\u{1D7D8}',
    '\u{1D7E2}',
    '\u{1D7EC}',
    '\u{1D7F6}',
    '\u{1E140}',
    '\u{1E2F0}',
    '\u{1E950}',
    '\u{1FBF0}',
];

/// What models put before a title, in small letters.
const LEADS: [&str; 11] = [
    "title",
    "название",
    "заголовок",
    "titel",
    "titre",
    "título",
    "titolo",
    "标题",
    "標題",
    "タイトル",
    "제목",
];

/// What stands for a title that nobody gave, in small letters.
const PLACEHOLDERS: [&str; 8] = [
    "new chat",
    "new conversation",
    "new session",
    "untitled",
    "untitled chat",
    "untitled conversation",
    "untitled session",
    "no title",
];

const QUOTES: [(char, char); 8] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('*', '*'),
    ('“', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('「', '」'),
];

/// A title as it is stored: control characters, and characters without a width that change what
/// is seen (joiners, directions, byte-order marks), are removed; blanks of all kinds become one
/// space, those at the ends go. `None` if nothing is left.
///
/// # Errors
/// [`Error::Invalid`] if more than [`MAX_TITLE_CHARS`] code points are left.
///
/// ```
/// use hermes_state::sanitize_title;
/// assert_eq!(sanitize_title(" Fix\nthe\u{200b} parser ")?.as_deref(), Some("Fix the parser"));
/// assert_eq!(sanitize_title("\t")?, None);
/// # Ok::<(), hermes_state::Error>(())
/// ```
pub fn sanitize_title(title: &str) -> Result<Option<String>> {
    let visible = title.chars().filter(|c| !is_control(*c) && !is_unseen(*c));
    let title = one_line(visible);
    match title.chars().count() {
        0 => Ok(None),
        length if length > MAX_TITLE_CHARS => Err(Error::Invalid {
            what: "title",
            problem: format!("is too long ({length} characters, at most {MAX_TITLE_CHARS})"),
        }),
        _ => Ok(Some(title)),
    }
}

/// A title out of what a model answered when it was asked for one, or out of a first message:
/// without terminal sequences, quotes around it and a leading `Title:`; cut at a word where it is
/// too long. `None` if nothing is left, or only what stands for no title (`New chat`).
///
/// ```
/// use hermes_state::title_from_text;
/// assert_eq!(title_from_text("\"Title: Fix the DB\"").as_deref(), Some("Fix the DB"));
/// assert_eq!(title_from_text("New Chat"), None);
/// ```
pub fn title_from_text(text: &str) -> Option<String> {
    let plain = without_terminal_sequences(text);
    let visible = plain
        .chars()
        .filter(|c| !is_control(*c))
        .map(|c| if is_unseen(c) { ' ' } else { c });
    let line = one_line(visible);
    let mut title = line.as_str();
    loop {
        let inner = without_lead(without_quotes(title)).trim();
        if inner == title {
            break;
        }
        title = inner;
    }
    let nothing = title.is_empty() || PLACEHOLDERS.contains(&title.to_lowercase().as_str());
    (!nothing).then(|| cut_at_a_word(title))
}

/// The base of a numbered title and its number: `base #12` is `base` and 12. A number beyond 64
/// bits counts as the greatest that is not.
pub(super) fn split_number(title: &str) -> (&str, Option<u64>) {
    let none = (title, None);
    let line = title.strip_suffix('\n').unwrap_or(title);
    let Some((base, digits)) = line.rsplit_once(" #") else {
        return none;
    };
    if digits.is_empty() || base.contains('\n') {
        return none;
    }
    let number = digits.chars().try_fold(0_u64, |number, c| {
        let digit = digit(c)?;
        Some(number.saturating_mul(10).saturating_add(digit))
    });
    number.map_or(none, |number| (base, Some(number)))
}

/// The base with a number, the base cut where both are longer than a title may be.
pub(super) fn numbered(base: &str, number: Option<u64>) -> String {
    let suffix = number.map_or_else(String::new, |n| format!(" #{n}"));
    let room = MAX_TITLE_CHARS.saturating_sub(suffix.len());
    if base.chars().count() <= room {
        return format!("{base}{suffix}");
    }
    let cut: String = base.chars().take(room).collect();
    format!("{}{suffix}", cut.trim_end())
}

fn digit(c: char) -> Option<u64> {
    let after = ZEROS.partition_point(|zero| *zero <= c);
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    let value = u64::from(u32::from(c).checked_sub(u32::from(*zero))?);
    (value < 10).then_some(value)
}

/// Control characters but those that are blanks.
fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}

fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffc}'
    )
}

fn one_line(chars: impl Iterator<Item = char>) -> String {
    let mut line = String::new();
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = !line.is_empty();
            continue;
        }
        if gap {
            line.push(' ');
            gap = false;
        }
        line.push(c);
    }
    line
}

/// Without escape sequences of terminals, and without what remains at the start of one that lost
/// its escape character (`]11;rgb:1/2/3`).
fn without_terminal_sequences(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = without_residue(text.trim_start());
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after_sequence(after);
    }
    plain.push_str(rest);
    plain
}

fn after_sequence(after_escape: &str) -> &str {
    let mut chars = after_escape.chars();
    match chars.next() {
        Some('[') => {
            let body = chars.as_str();
            let end = body.find(|c: char| !matches!(c, ' '..='?'));
            let rest = end.and_then(|end| body.get(end..)).unwrap_or_default();
            rest.strip_prefix(|c: char| matches!(c, '@'..='~'))
                .unwrap_or(rest)
        }
        Some(']') => {
            let body = chars.as_str();
            match body.find(['\u{7}', '\u{1b}', '\n']) {
                Some(end) => {
                    let rest = body.get(end..).unwrap_or_default();
                    rest.strip_prefix("\u{1b}\\")
                        .or_else(|| rest.strip_prefix('\u{7}'))
                        .unwrap_or(rest)
                }
                None => match without_residue(after_escape) {
                    same if same == after_escape => body,
                    rest => rest,
                },
            }
        }
        Some(_) => chars.as_str(),
        None => "",
    }
}

/// Without `]<digits>;<word>` at the start.
fn without_residue(text: &str) -> &str {
    let Some((number, after)) = text.strip_prefix(']').and_then(|t| t.split_once(';')) else {
        return text;
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return text;
    }
    let end = after.find(char::is_whitespace);
    end.and_then(|end| after.get(end..)).unwrap_or_default()
}

fn without_quotes(title: &str) -> &str {
    for (open, close) in QUOTES {
        let inner = title
            .strip_prefix(open)
            .and_then(|inner| inner.strip_suffix(close));
        if let Some(inner) = inner
            && !inner.contains([open, close])
        {
            return inner;
        }
    }
    // Bold: two of them on each side.
    title
        .strip_prefix("**")
        .and_then(|inner| inner.strip_suffix("**"))
        .unwrap_or(title)
}

fn without_lead(title: &str) -> &str {
    match title.split_once([':', '：']) {
        Some((lead, rest)) if LEADS.contains(&lead.trim().to_lowercase().as_str()) => rest,
        _ => title,
    }
}

fn cut_at_a_word(title: &str) -> String {
    let Some((end, _)) = title.char_indices().nth(MAX_TITLE_CHARS) else {
        return title.to_owned();
    };
    let (head, tail) = title.split_at(end);
    let whole = if tail.starts_with(' ') {
        head
    } else {
        head.rsplit_once(' ').map_or(head, |(words, _)| words)
    };
    whole.trim_end().to_owned()
}
