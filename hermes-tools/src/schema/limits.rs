//! How large a schema may be.

use std::io;

use serde_json::Value;

/// How many bytes the JSON text of a schema may have.
const MAX_BYTES: usize = 256 * 1024;

/// How many arrays and objects may stand inside one another in a schema.
const MAX_DEPTH: usize = 64;

/// Says which limit a schema exceeds.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    if deeper_than(schema, MAX_DEPTH) {
        return Err(format!(
            "it is nested deeper than {MAX_DEPTH} levels, which is the limit; move inner schemas to `$defs`"
        ));
    }
    // Writing recurses, so that the depth had to be known first.
    if serde_json::to_writer(Room(MAX_BYTES), schema).is_err() {
        return Err(format!(
            "its JSON text is longer than {} KiB, which is the limit; shorten it",
            MAX_BYTES / 1024
        ));
    }
    Ok(())
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|v| deeper_than(v, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|v| deeper_than(v, levels - 1)),
        _ => false,
    }
}

/// Takes so many bytes and keeps none.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
