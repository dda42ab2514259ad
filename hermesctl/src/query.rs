//! A query as it is given on the command line.

use std::io::Read;

use crate::failure::Failure;

/// The words as one query; `-` alone is read from standard input.
pub(crate) fn typed(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| {
            let problem = format!("the query cannot be read from standard input: {error}");
            Failure::new("input", problem, "send one query as UTF-8 text")
        })?;
    Ok(text)
}
