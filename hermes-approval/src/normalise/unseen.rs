//! Characters that can't be seen, or pass for another.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Invisible,
    Bidi,
    Space,
    Dash,
    Slash,
}

/// The class of a character that is not ASCII.
pub(super) fn class(c: char) -> Option<Class> {
    let code = u32::from(c);
    let after = TABLE.partition_point(|&(first, _, _)| first <= code);
    let &(_, last, class) = TABLE.get(after.checked_sub(1)?)?;
    (code <= last).then_some(class)
}

/// First, last, class; in order.
#[rustfmt::skip]
const TABLE: &[(u32, u32, Class)] = &[
    (0x00A0, 0x00A0, Class::Space),
    (0x00AD, 0x00AD, Class::Invisible), // soft hyphen
    (0x034F, 0x034F, Class::Invisible), // grapheme joiner
    (0x061C, 0x061C, Class::Bidi),
    (0x115F, 0x1160, Class::Invisible), // Hangul fillers
    (0x1680, 0x1680, Class::Space),
    (0x17B4, 0x17B5, Class::Invisible),
    (0x180B, 0x180F, Class::Invisible),
    (0x2000, 0x200A, Class::Space),
    (0x200B, 0x200D, Class::Invisible), // zero width space, non-joiner, joiner
    (0x200E, 0x200F, Class::Bidi),
    (0x2010, 0x2015, Class::Dash),
    (0x2028, 0x2029, Class::Space),
    (0x202A, 0x202E, Class::Bidi),
    (0x202F, 0x202F, Class::Space),
    (0x2044, 0x2044, Class::Slash),
    (0x205F, 0x205F, Class::Space),
    (0x2060, 0x2064, Class::Invisible),
    (0x2065, 0x2065, Class::Invisible),
    (0x2066, 0x2069, Class::Bidi),
    (0x206A, 0x206F, Class::Invisible),
    (0x2212, 0x2212, Class::Dash),
    (0x2215, 0x2215, Class::Slash),
    (0x29F8, 0x29F8, Class::Slash),
    (0x2800, 0x2800, Class::Space),     // Braille blank
    (0x3000, 0x3000, Class::Space),
    (0x3164, 0x3164, Class::Invisible),
    (0xFE00, 0xFE0F, Class::Invisible), // variation selectors
    (0xFE58, 0xFE58, Class::Dash),
    (0xFE63, 0xFE63, Class::Dash),
    (0xFEFF, 0xFEFF, Class::Invisible),
    (0xFF0D, 0xFF0D, Class::Dash),
    (0xFFA0, 0xFFA0, Class::Invisible),
    (0xFFF9, 0xFFFB, Class::Invisible),
    (0x1D173, 0x1D17A, Class::Invisible),
    (0xE0000, 0xE0FFF, Class::Invisible), // tags, more variation selectors
];
