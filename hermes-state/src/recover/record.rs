//! Rows as they stand in a cell.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// A stored value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Value {
    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            Value::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Value::Integer(n) => Some(*n),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Value::Integer(_) | Value::Real(_))
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(n) => ValueRef::Integer(*n),
            Value::Real(x) => ValueRef::Real(*x),
            // Also bytes that are no UTF-8: they come out as they went in.
            Value::Text(bytes) => ValueRef::Text(bytes),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) values: Vec<Value>,
}

/// SQLite's number of one to nine bytes, and how many they are.
pub(super) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for n in 0..8 {
        let byte = *bytes.get(at.checked_add(n)?)?;
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, n + 1));
        }
    }
    let last = *bytes.get(at.checked_add(8)?)?;
    Some((value << 8 | u64::from(last), 9))
}

/// The most columns that SQLite gives a table.
const COLUMNS: usize = 32767;

/// The values of a record; `None` if it makes no sense.
pub(super) fn values(record: &[u8], encoding: u32) -> Option<Vec<Value>> {
    let (header, used) = varint(record, 0)?;
    let header = usize::try_from(header).ok()?;
    if header < used || header > record.len() {
        return None;
    }
    let (mut at, mut body) = (used, header);
    let mut values = Vec::new();
    while at < header {
        let (kind, used) = varint(record, at)?;
        at += used;
        let length = length_of(kind)?;
        let bytes = record.get(body..body.checked_add(length)?)?;
        body += length;
        values.push(value(kind, bytes, encoding)?);
        if values.len() > COLUMNS {
            return None;
        }
    }
    (at == header && body == record.len()).then_some(values)
}

fn length_of(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 | 7 => 8,
        // Not used by any version.
        10 | 11 => return None,
        n => usize::try_from((n - 12) / 2).ok()?,
    })
}

fn value(kind: u64, bytes: &[u8], encoding: u32) -> Option<Value> {
    Some(match kind {
        0 => Value::Null,
        1..=6 => {
            let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
            let begin = if negative { -1_i64 } else { 0 };
            Value::Integer(
                bytes
                    .iter()
                    .fold(begin, |n, byte| n << 8 | i64::from(*byte)),
            )
        }
        7 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        n if n % 2 == 0 => Value::Blob(bytes.to_vec()),
        _ => Value::Text(utf8(bytes, encoding)),
    })
}

fn utf8(bytes: &[u8], encoding: u32) -> Vec<u8> {
    let from = match encoding {
        2 => u16::from_le_bytes,
        3 => u16::from_be_bytes,
        _ => return bytes.to_vec(),
    };
    let units = bytes
        .chunks_exact(2)
        .filter_map(|pair| pair.try_into().ok().map(from));
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect::<String>()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_to_nine_bytes() {
        assert_eq!(varint(&[0x7f], 0), Some((127, 1)));
        assert_eq!(varint(&[0, 0x81, 0x00], 1), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0xff; 8], 0), None);
        assert_eq!(varint(&[], usize::MAX), None);
    }

    #[test]
    fn a_record_is_read_whole_or_not_at_all() {
        // NULL, -2 in one byte, 1, the text "ab", the blob 00.
        let record = [6, 0, 1, 9, 17, 14, 0xfe, b'a', b'b', 0];
        let expected = vec![
            Value::Null,
            Value::Integer(-2),
            Value::Integer(1),
            Value::Text(b"ab".to_vec()),
            Value::Blob(vec![0]),
        ];
        assert_eq!(values(&record, 1), Some(expected));
        for length in 0..record.len() {
            assert_eq!(values(&record[..length], 1), None, "{length}");
        }
        let long = [&record[..], &[0]].concat();
        assert_eq!(values(&long, 1), None);
    }

    #[test]
    fn text_of_sixteen_bits_becomes_utf_8() {
        let text = |encoding, bytes: &[u8]| values(&[&[2, 17], bytes].concat(), encoding);
        let expected = Some(vec![Value::Text("é".as_bytes().to_vec())]);
        assert_eq!(text(2, &[0xe9, 0]), expected);
        assert_eq!(text(3, &[0, 0xe9]), expected);
    }
}
