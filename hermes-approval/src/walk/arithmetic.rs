//! Arithmetic: what can be calculated, and what runs while something is calculated.
//!
//! A shell expands the subscript of an array once more when it evaluates one, also in the value of a
//! variable that an expression names: `x='a[$(cmd)]'; echo $((x))` runs `cmd`.

use super::Walker;
use super::scene::Scene;
use crate::invocation::SubstitutionKind;
use crate::span::{Span, SpanMap};
use crate::unwrap::substitutions;
use crate::word::variables::Variable;

impl Walker<'_> {
    /// The result of an expression, if all of it is known.
    pub(crate) fn calculated(&self, text: &str) -> Option<i64> {
        if text.len() > MAX_EXPRESSION {
            return None;
        }
        let mut reader = Reader {
            walker: self,
            text,
            depth: MAX_NESTING,
        };
        let value = reader.choice()?;
        reader.blanks();
        reader.text.is_empty().then_some(value)
    }

    /// Runs what the subscripts of an expression run: its own, and those of the variables in it.
    pub(crate) fn run_subscripts(&mut self, text: &str, span: Span, scene: &Scene) {
        if !text.contains('[') && !self.variables.any() {
            return;
        }
        let mut rest = vec![text.to_owned()];
        for _ in 0..MAX_NAMES {
            let Some(text) = rest.pop() else { return };
            if !self.spend(text.len()) {
                return;
            }
            for command in substitutions(subscripts(&text)) {
                let map = SpanMap::Whole(span);
                self.substituted(span, scene, SubstitutionKind::Command, |walker, scene| {
                    walker.script_text(command, &map, scene)
                });
            }
            let names = text
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            for name in names.take(MAX_NAMES) {
                if let Some(Variable::Scalar(value)) = self.variables.get(name)
                    && value.len() <= MAX_EXPRESSION
                    && value.contains(|c: char| !c.is_ascii_digit())
                {
                    rest.push(value.clone());
                }
            }
        }
    }
}

/// The part of a text in which subscripts are.
pub(crate) fn subscripts(text: &str) -> &str {
    text.find('[').and_then(|at| text.get(at..)).unwrap_or("")
}

/// Longest expression that is worked out.
const MAX_EXPRESSION: usize = 256;
const MAX_NESTING: u32 = 16;
/// So many variables are followed.
const MAX_NAMES: usize = 16;

/// Reads an expression from the front.
struct Reader<'w, 't> {
    walker: &'w Walker<'w>,
    text: &'t str,
    depth: u32,
}

impl Reader<'_, '_> {
    fn blanks(&mut self) {
        self.text = self.text.trim_start();
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.text.strip_prefix(sign) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    /// `a ? b : c`
    fn choice(&mut self) -> Option<i64> {
        self.depth = self.depth.checked_sub(1)?;
        let condition = self.binary(0)?;
        self.blanks();
        let value = if self.take("?") {
            let yes = self.choice()?;
            self.blanks();
            let no = self.take(":").then(|| self.choice())??;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth += 1;
        Some(value)
    }

    /// Operators that bind at least as tightly as this.
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.operand()?;
        loop {
            self.blanks();
            let found = OPERATORS
                .iter()
                .find(|(sign, ..)| self.text.starts_with(sign));
            let Some(&(sign, level, apply)) = found.filter(|(_, level, _)| *level >= least) else {
                return Some(left);
            };
            self.take(sign);
            // `**` is grouped from the right.
            let next = if sign == "**" { level } else { level + 1 };
            self.depth = self.depth.checked_sub(1)?;
            let right = self.binary(next)?;
            self.depth += 1;
            left = apply(left, right)?;
        }
    }

    fn operand(&mut self) -> Option<i64> {
        self.blanks();
        let sign = self.text.chars().next()?;
        if matches!(sign, '-' | '+' | '!' | '~') {
            // `--x` and `++x` change a variable.
            let after = self.text.get(1..)?;
            if after.starts_with(sign) && matches!(sign, '-' | '+') {
                return None;
            }
            self.text = after;
            self.depth = self.depth.checked_sub(1)?;
            let value = self.operand()?;
            self.depth += 1;
            return match sign {
                '-' => value.checked_neg(),
                '!' => Some(i64::from(value == 0)),
                '~' => Some(!value),
                _ => Some(value),
            };
        }
        if self.take("(") {
            let value = self.choice()?;
            self.blanks();
            return self.take(")").then_some(value);
        }
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '#');
        let length = self.text.find(|c| !word(c)).unwrap_or(self.text.len());
        let (token, rest) = self.text.split_at_checked(length)?;
        // A subscript, an assignment.
        if token.is_empty() || rest.starts_with(['[', '@']) || assigns(rest) {
            return None;
        }
        self.text = rest;
        if sign.is_ascii_digit() {
            return number(token);
        }
        match self.walker.variables.get(token) {
            Some(Variable::Scalar(value)) => number(value.trim())
                .or_else(|| value.trim().strip_prefix('-').and_then(number).map(|n| -n)),
            _ => None,
        }
    }
}

/// True behind a variable that is changed.
fn assigns(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("++")
        || rest.starts_with("--")
        || rest.starts_with('=') && !rest.starts_with("==")
        || ["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]
            .iter()
            .any(|sign| rest.starts_with(sign))
}

/// `10`, `0x1f`, `017`, `2#101`
fn number(token: &str) -> Option<i64> {
    if let Some(hex) = token
        .strip_prefix("0x")
        .or_else(|| token.strip_prefix("0X"))
    {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = token.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    match token.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
        _ => token.parse().ok(),
    }
}

type Apply = fn(i64, i64) -> Option<i64>;

fn truth(value: bool) -> Option<i64> {
    Some(i64::from(value))
}

/// Longest first; the higher the number, the tighter it binds.
const OPERATORS: &[(&str, u8, Apply)] = &[
    ("**", 11, |a, b| a.checked_pow(u32::try_from(b).ok()?)),
    ("||", 1, |a, b| truth(a != 0 || b != 0)),
    ("&&", 2, |a, b| truth(a != 0 && b != 0)),
    ("==", 6, |a, b| truth(a == b)),
    ("!=", 6, |a, b| truth(a != b)),
    ("<=", 7, |a, b| truth(a <= b)),
    (">=", 7, |a, b| truth(a >= b)),
    ("<<", 8, |a, b| a.checked_shl(u32::try_from(b).ok()?)),
    (">>", 8, |a, b| a.checked_shr(u32::try_from(b).ok()?)),
    ("|", 3, |a, b| Some(a | b)),
    ("^", 4, |a, b| Some(a ^ b)),
    ("&", 5, |a, b| Some(a & b)),
    ("<", 7, |a, b| truth(a < b)),
    (">", 7, |a, b| truth(a > b)),
    ("+", 9, i64::checked_add),
    ("-", 9, i64::checked_sub),
    ("*", 10, i64::checked_mul),
    ("/", 10, i64::checked_div),
    ("%", 10, i64::checked_rem),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::AnalysisEnv;

    #[test]
    fn constants_are_worked_out() {
        let env = AnalysisEnv::new("/home/sam");
        let mut walker = Walker::new(&env, 0, Span::new(0, 0));
        walker.variables.set("x", Variable::Scalar("3".to_owned()));
        let table: &[(&str, Option<i64>)] = &[
            ("0-1", Some(-1)),
            (" 1 + 2 * 3 ", Some(7)),
            ("(1 + 2) * 3", Some(9)),
            ("2 ** 3 ** 2", Some(512)),
            ("10 - 3 - 4", Some(3)),
            ("-1", Some(-1)),
            ("- -1", Some(1)),
            ("!0 + ~0", Some(0)),
            ("1 < 2 ? 5 : 6", Some(5)),
            ("0x10 + 010 + 2#11", Some(27)),
            ("7 / 2 % 2", Some(1)),
            ("1 << 4 | 1", Some(17)),
            ("x - 4", Some(-1)),
            ("x++", None),
            ("x = 4", None),
            ("y + 1", None),
            ("1 / 0", None),
            ("1 +", None),
            ("a[0]", None),
            ("9223372036854775807 + 1", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(walker.calculated(text), *expected, "{text}");
        }
        let deep = "(".repeat(200);
        assert_eq!(walker.calculated(&deep), None);
        assert_eq!(walker.calculated(&"-".repeat(250)), None);
        assert_eq!(walker.calculated(&"1+".repeat(120)), None);
    }
}
