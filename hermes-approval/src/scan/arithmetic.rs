//! `((…))`: arithmetic for bash, subshells for dash.

use super::Scanner;

impl Scanner<'_> {
    /// Where the `))` of an arithmetic expression stands that starts at `from`.
    pub(super) fn arithmetic_end(&mut self, from: usize) -> Option<usize> {
        if self.no_arithmetic {
            return None;
        }
        let mut open = 0_usize;
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at).filter(|_| at < self.end) {
            match byte {
                b'\\' => at += 1,
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if self.bytes.get(at + 1) == Some(&b')') && at + 1 < self.end => {
                    return Some(at);
                }
                // A lone `)`: it was `( (…) … )` after all.
                b')' => return None,
                _ => {}
            }
            at += 1;
        }
        self.no_arithmetic = true;
        None
    }
}

/// True if what stands in `((…))` makes no sense as arithmetic, or much more as commands:
/// `((rm -rf /))`. A shell without arithmetic runs it.
pub(super) fn are_commands(text: &str) -> bool {
    let mut starts = true;
    let mut before = None;
    let mut words = 0_usize;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let blank = rest.len();
        rest = rest.trim_start();
        let spaced = rest.len() < blank;
        let Some(c) = rest.chars().next() else { break };
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            ';' => return true,
            // A division or a complement without anything behind it, a path in front.
            '/' | '~' if words > 0 && after.is_empty() => return true,
            '/' if starts => return true,
            // A calculation with `$x`, a quote: nothing to be told.
            '$' | '`' | '"' | '\'' | '\\' if starts => return false,
            '-' if words == 1
                && spaced
                && before == Some(Kind::Operand)
                && after.starts_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                return true;
            }
            _ => {}
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if is_word(c) {
            // Two operands with nothing in between.
            if before == Some(Kind::Operand) && spaced {
                return true;
            }
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            rest = rest.get(length..).unwrap_or("");
            before = Some(Kind::Operand);
            words += 1;
            starts = false;
            continue;
        }
        if matches!(c, '$' | '`' | '"' | '\'') {
            return false;
        }
        // Behind these a command starts.
        starts = matches!(c, '&' | '|' | '(' | '\n');
        if starts {
            words = 0;
        }
        before = Some(Kind::Sign);
        rest = after;
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operand,
    Sign,
}

#[cfg(test)]
mod tests {
    use super::are_commands;

    #[test]
    fn commands_are_told_from_arithmetic() {
        let commands = [
            "rm -rf /",
            "rm -rf /etc",
            "rm -rf ~",
            " rm -rf src ",
            "true && rm -rf /",
            "a; b",
            "/bin/rm -rf /",
            "(rm -rf /)",
            "(((rm -rf /)))",
            "cat x",
            "x || rm -rf /",
            "rm -rf \"$x\"",
            "rm -rf $x",
            "rm /",
        ];
        for text in commands {
            assert!(are_commands(text), "{text}");
        }
        let arithmetic = [
            "",
            "x",
            "x++",
            "i = 0",
            "i += 2",
            "a < b && c > d",
            "a - b",
            "a -1",
            "a -= b",
            "!x",
            "$x > 5",
            "x > $(wc -l < f)",
            "(a + b) * c",
            "a[1] == 2",
            "x / y",
            "x /y",
            "n % 2 == 0",
            "a ? b : c",
            "i = 0, j = 1",
            "1 << 3",
            "~x & y",
            "-x",
            "$(date +%s) - start > 5",
            "x & ~y",
            "10#$a > 5",
        ];
        for text in arithmetic {
            assert!(!are_commands(text), "{text}");
        }
    }
}
