//! Backslash escapes: `$'…'`, `echo -e`, the format of `printf`.

/// Whose rules hold for octal escapes and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// `$'…'`: `\nnn`, `\cx`, `\'`.
    Dollar,
    /// `echo -e` and `%b`: `\0nnn` as well, `\c` ends the output.
    Echo,
    /// A `printf` format.
    Printf,
}

/// The text with its escapes undone. Bytes that are no UTF-8 become U+FFFD.
pub(crate) fn unescape(text: &str, rules: Escapes) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.extend_from_slice(plain.as_bytes());
        match escape(tail, rules, &mut out) {
            Some(after) => rest = after,
            None => {
                rest = "";
                break;
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Undoes the escape that `tail` starts with; gives what follows it, or `None` if it ends the
/// text.
fn escape<'t>(tail: &'t str, rules: Escapes, out: &mut Vec<u8>) -> Option<&'t str> {
    let mut chars = tail.chars();
    chars.next();
    let Some(c) = chars.next() else {
        out.push(b'\\');
        return Some("");
    };
    let body = chars.as_str();
    let plain = match c {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'v' => 11,
        '\\' => b'\\',
        '\'' | '"' | '?' if rules != Escapes::Echo => c as u8,
        'x' => return Some(number(body, 16, 2, c, out)),
        'u' => return Some(code_point(body, 4, c, out)),
        'U' => return Some(code_point(body, 8, c, out)),
        'c' if rules == Escapes::Dollar => {
            let mut inner = body.chars();
            if let Some(control) = inner.next() {
                out.push((u32::from(control) as u8) & 0x1f);
            }
            return Some(inner.as_str());
        }
        'c' if rules == Escapes::Echo => return None,
        '0' if rules == Escapes::Echo => return Some(number(body, 8, 3, c, out)),
        '0'..='7' => {
            // The digit itself belongs to the number.
            let digits = tail.get(1..).unwrap_or("");
            return Some(number(digits, 8, 3, c, out));
        }
        _ => {
            out.push(b'\\');
            let mut buffer = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            return Some(body);
        }
    };
    out.push(plain);
    Some(body)
}

fn digits(text: &str, radix: u32, most: usize) -> usize {
    text.bytes()
        .take(most)
        .take_while(|b| char::from(*b).is_digit(radix))
        .count()
}

fn number<'t>(text: &'t str, radix: u32, most: usize, letter: char, out: &mut Vec<u8>) -> &'t str {
    let length = digits(text, radix, most);
    let (value, after) = text.split_at_checked(length).unwrap_or(("", text));
    match u32::from_str_radix(value, radix) {
        Ok(value) => out.push(value as u8),
        Err(_) if letter == '0' => out.push(0),
        Err(_) => out.extend([b'\\', letter as u8]),
    }
    after
}

fn code_point<'t>(text: &'t str, most: usize, letter: char, out: &mut Vec<u8>) -> &'t str {
    let length = digits(text, 16, most);
    let (value, after) = text.split_at_checked(length).unwrap_or(("", text));
    match u32::from_str_radix(value, 16) {
        Ok(value) => {
            let c = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            let mut buffer = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        }
        Err(_) => out.extend([b'\\', letter as u8]),
    }
    after
}
