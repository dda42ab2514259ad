//! What text of the system is made of below the level of characters: bytes, or UTF-16 units on
//! Windows. Names that are not Unicode pass through unchanged.

pub(crate) use host::{Unit, ascii, os_string, unit, units};

#[cfg(not(windows))]
mod host {
    use std::borrow::Cow;
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    pub(crate) type Unit = u8;

    pub(crate) fn units(text: &OsStr) -> Cow<'_, [Unit]> {
        Cow::Borrowed(text.as_bytes())
    }

    pub(crate) fn os_string(units: &[Unit]) -> OsString {
        OsString::from_vec(units.to_vec())
    }

    pub(crate) fn unit(ascii: u8) -> Unit {
        ascii
    }

    /// The ASCII character that a unit stands for.
    pub(crate) fn ascii(unit: Unit) -> Option<u8> {
        unit.is_ascii().then_some(unit)
    }
}

#[cfg(windows)]
mod host {
    use std::borrow::Cow;
    use std::ffi::{OsStr, OsString};
    use std::os::windows::ffi::{OsStrExt, OsStringExt};

    pub(crate) type Unit = u16;

    pub(crate) fn units(text: &OsStr) -> Cow<'_, [Unit]> {
        text.encode_wide().collect()
    }

    pub(crate) fn os_string(units: &[Unit]) -> OsString {
        OsString::from_wide(units)
    }

    pub(crate) fn unit(ascii: u8) -> Unit {
        Unit::from(ascii)
    }

    /// The ASCII character that a unit stands for.
    pub(crate) fn ascii(unit: Unit) -> Option<u8> {
        u8::try_from(unit).ok().filter(u8::is_ascii)
    }
}

/// Whether `one` is the ASCII character `character`.
pub(crate) fn is(one: Unit, character: u8) -> bool {
    one == unit(character)
}
