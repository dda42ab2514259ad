//! SPDX licence expressions: is one satisfied by a list of accepted licences?

use crate::error::{Error, Result};

/// Whether `expression` (`"(MIT OR Apache-2.0) AND Unicode-3.0"`) can be met with licences of
/// `accepted`. An entry with `WITH` accepts that exception only. The old `MIT/Apache-2.0` means OR.
pub(crate) fn satisfied(expression: &str, accepted: &[&str]) -> Result<bool> {
    let tokens = tokens(expression);
    let mut parser = Parser {
        tokens: &tokens,
        accepted,
    };
    let met = parser.either()?;
    match parser.tokens.first() {
        None => Ok(met),
        Some(left) => Err(Error::failed(format!(
            "licence {expression:?}: unexpected {left:?}"
        ))),
    }
}

fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    tokens: &'a [String],
    accepted: &'a [&'a str],
}

/// AND binds closer than OR. Both sides are always parsed, so that bad syntax is never skipped.
impl Parser<'_> {
    fn either(&mut self) -> Result<bool> {
        let mut met = self.both()?;
        while self.take("OR") {
            met |= self.both()?;
        }
        Ok(met)
    }

    fn both(&mut self) -> Result<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Ok(met)
    }

    fn one(&mut self) -> Result<bool> {
        if self.take("(") {
            let met = self.either()?;
            if self.take(")") {
                return Ok(met);
            }
            return Err(Error::failed("licence: a parenthesis is not closed"));
        }
        let mut name = self.name()?;
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.name()?);
        }
        Ok(self.accepted.contains(&name.as_str()))
    }

    fn name(&mut self) -> Result<String> {
        match self.tokens.split_first() {
            Some((name, rest)) if !["OR", "AND", "WITH", "(", ")"].contains(&name.as_str()) => {
                self.tokens = rest;
                Ok(name.clone())
            }
            found => Err(Error::failed(format!(
                "licence: a name was expected, found {:?}",
                found.map(|(token, _)| token.as_str()).unwrap_or("the end")
            ))),
        }
    }

    fn take(&mut self, token: &str) -> bool {
        match self.tokens.split_first() {
            Some((first, rest)) if first == token => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCEPTED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];

    #[test]
    fn expressions_are_met_or_not() {
        let table = [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0 OR LGPL-3.0", false),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("GPL-3.0 AND GPL-2.0 OR MIT", true),
            ("GPL-3.0 AND (GPL-2.0 OR MIT)", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", false),
            ("(MIT OR GPL-3.0) AND Apache-2.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
            ("0BSD OR MIT OR Apache-2.0", true),
        ];
        for (expression, met) in table {
            assert_eq!(
                satisfied(expression, ACCEPTED).unwrap(),
                met,
                "{expression}"
            );
        }
    }

    #[test]
    fn what_is_not_an_expression_is_an_error() {
        for bad in [
            "",
            "MIT OR",
            "(MIT",
            "MIT)",
            "MIT Apache-2.0",
            "AND MIT",
            "MIT WITH",
        ] {
            assert!(satisfied(bad, ACCEPTED).is_err(), "{bad:?}");
        }
    }
}
