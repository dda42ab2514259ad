//! What a model is told of types: JSON's words, where serde has Rust's.

use std::borrow::Cow;

use serde::de::{Expected, Unexpected};

use crate::text::clip;

/// How much of a text that does not fit is repeated.
const SHOWN_CHARS: usize = 80;

/// What was found.
pub(super) fn found(found: Unexpected<'_>) -> Cow<'static, str> {
    match found {
        Unexpected::Bool(truth) => format!("the boolean {truth}").into(),
        Unexpected::Unsigned(number) => format!("the integer {number}").into(),
        Unexpected::Signed(number) => format!("the integer {number}").into(),
        Unexpected::Float(number) => format!("the number {number:?}").into(),
        Unexpected::Char(one) => format!("the string {one:?}").into(),
        Unexpected::Str(text) => format!("the string {:?}", clip(text, SHOWN_CHARS)).into(),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq | Unexpected::Bytes(_) => "an array".into(),
        Unexpected::Map => "an object".into(),
        Unexpected::UnitVariant => "a variant without a value".into(),
        Unexpected::TupleVariant => "a variant with an array".into(),
        Unexpected::StructVariant => "a variant with an object".into(),
        other => other.to_string().into(),
    }
}

/// What was expected. Words of a type's own author stay.
pub(super) fn expected(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match rust_integer(&text) {
        Some(_) => "an integer".to_owned(),
        None => in_json(&text).map_or(text, Cow::into_owned),
    }
}

/// The same for a value of the right type: of an integer, how large it may be.
pub(super) fn expected_with_range(expected_: &dyn Expected) -> String {
    match rust_integer(&expected_.to_string()) {
        Some((least, most)) => integer_between(least, most),
        None => expected(expected_),
    }
}

/// `an integer from 0 to 255`
pub(super) fn integer_between(
    least: impl std::fmt::Display,
    most: impl std::fmt::Display,
) -> String {
    format!("an integer from {least} to {most}")
}

/// A message of serde's own that names a type.
pub(super) fn without_type_names(message: String) -> String {
    for (start, instead) in [
        (
            "data did not match any variant of untagged enum ",
            "it fits none of the forms that it may have",
        ),
        (
            "no variant of enum ",
            "it names none of the variants that it may have",
        ),
    ] {
        if message.starts_with(start) {
            return instead.to_owned();
        }
    }
    message
}

fn in_json(text: &str) -> Option<Cow<'static, str>> {
    let plain = match text {
        "f32" | "f64" => "a number",
        "unit" => "null",
        "a map" => "an object",
        "a sequence" => "an array",
        "a character" => "a string of one character",
        "option" => "a value or null",
        "variant identifier" => "the name of a variant",
        "field identifier" => "the name of a field",
        _ => "",
    };
    if !plain.is_empty() {
        return Some(plain.into());
    }
    // `struct Point`, `a tuple of size 2`, `tuple struct Pair with 2 elements`.
    let size = text
        .strip_prefix("a tuple of size ")
        .or_else(|| {
            text.strip_suffix(" elements")?
                .rsplit_once(" with ")
                .map(|(_, n)| n)
        })
        .or_else(|| {
            text.strip_suffix(" element")?
                .rsplit_once(" with ")
                .map(|(_, n)| n)
        });
    let is_array = text.starts_with("tuple ") || size.is_some();
    if let Some(size) = size.and_then(|size| size.parse::<usize>().ok()) {
        let items = if size == 1 { "item" } else { "items" };
        return Some(format!("an array of {size} {items}").into());
    }
    let begins = |start: &[&str]| start.iter().any(|start| text.starts_with(start));
    if is_array {
        Some("an array".into())
    } else if begins(&["unit struct "]) {
        Some("null".into())
    } else if begins(&[
        "struct ",
        "internally tagged enum ",
        "adjacently tagged enum ",
    ]) {
        Some("an object".into())
    } else if begins(&["enum "]) {
        Some("the name of a variant, or an object with that name as its only key".into())
    } else {
        None
    }
}

/// The least and the greatest of the integers that Rust calls so.
fn rust_integer(name: &str) -> Option<(i128, u128)> {
    let size = |size: usize, signed: bool| -> Option<(i128, u128)> {
        let bits = u32::try_from(size).ok()?;
        Some(if signed {
            (i128::MIN >> (128 - bits), (u128::MAX >> 1) >> (128 - bits))
        } else {
            (0, u128::MAX >> (128 - bits))
        })
    };
    match name {
        "isize" => size(64, true),
        "usize" => size(64, false),
        _ => {
            let signed = name.starts_with('i');
            let bits: usize = name.strip_prefix(['i', 'u'])?.parse().ok()?;
            matches!(bits, 8 | 16 | 32 | 64 | 128)
                .then(|| size(bits, signed))
                .flatten()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_rusts_integers_have_their_ranges() {
        for (name, least, most) in [
            ("i8", i8::MIN.into(), i8::MAX as u128),
            ("u8", 0, u8::MAX.into()),
            ("i32", i32::MIN.into(), i32::MAX as u128),
            ("u64", 0, u64::MAX.into()),
            ("i64", i64::MIN.into(), i64::MAX as u128),
            ("i128", i128::MIN, i128::MAX as u128),
            ("u128", 0, u128::MAX),
        ] {
            assert_eq!(rust_integer(name), Some((least, most)), "{name}");
            let range = format!("an integer from {least} to {most}");
            assert_eq!(expected_with_range(&name), range);
            assert_eq!(expected(&name), "an integer");
        }
        for other in ["i", "u7", "i8x", "an i8", "f64", "8", ""] {
            assert_eq!(rust_integer(other), None, "{other}");
        }
    }

    #[test]
    fn what_serde_and_its_derives_expect_has_words_of_json() {
        for (rust, json) in [
            ("f64", "a number"),
            ("unit", "null"),
            ("unit struct Nothing", "null"),
            ("a map", "an object"),
            ("struct Point", "an object"),
            ("struct variant Shape::Box", "an object"),
            ("internally tagged enum Shape", "an object"),
            ("a sequence", "an array"),
            ("tuple struct Pair", "an array"),
            ("tuple variant Shape::Line", "an array"),
            ("a tuple of size 2", "an array of 2 items"),
            ("tuple struct Pair with 2 elements", "an array of 2 items"),
            ("struct Point with 1 element", "an array of 1 item"),
            ("variant identifier", "the name of a variant"),
            ("a string", "a string"),
            ("a boolean", "a boolean"),
            ("an IPv4 address", "an IPv4 address"),
            ("a structure", "a structure"),
        ] {
            assert_eq!(expected(&rust), json, "{rust}");
        }
    }

    #[test]
    fn a_long_text_is_shown_by_its_beginning() {
        let long = "x".repeat(100_000);
        assert!(found(Unexpected::Str(&long)).len() < 200);
    }
}
