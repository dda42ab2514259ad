//! What a person types, turned into a query that SQLite's FTS5 accepts.
//!
//! FTS5 has a query language with its own syntax errors: `don't`, `a/b`, `x AND NOT y` and a
//! lone quote are refused, and `content:foo` names a column. [`sanitize`] reads any string and
//! gives an expression that is always valid, together with the [`Plan`] of where to look it up.
//!
//! ```
//! use hermes_fts::{Plan, sanitize};
//!
//! let query = sanitize("chat-send TODO: don't \"exact phrase\" deploy* AND NOT draft");
//! assert_eq!(
//!     query.as_str(),
//!     r#""chat-send" TODO  "don't" "exact phrase" deploy* NOT draft"#
//! );
//! assert_eq!(query.plan(), &Plan::Words);
//!
//! // Chinese of three characters or more: the trigram index.
//! assert_eq!(sanitize("大别山 docker").plan(), &Plan::Trigram(r#""大别山" "docker""#.into()));
//! // Less than that: each term by itself; the tree says how they combine.
//! let query = sanitize("大理 NOT 洱海");
//! assert_eq!(query.plan(), &Plan::Combined);
//! let tree = query.tree().expect("there is something to search for");
//! assert!(tree.matches(&mut |term| term.stands_in("去大理")));
//!
//! assert!(sanitize("\" AND (").is_empty());
//! ```
//!
//! # How a query is read
//! * Words side by side all have to be there. `"a phrase"` is kept together; `deploy*` matches
//!   the beginning of a word; `AND`, `OR`, `NOT` in upper case are operators, `NOT` binding
//!   tightest and `OR` loosest. `NEAR` is a word.
//! * `(a OR b) c` groups: side by side with a word, a group binds as tight as a word. A
//!   parenthesis that touches the word before (`f(x)`), has no partner or no operator inside, or
//!   lies in more than eight others is a blank.
//! * The quotation marks of all languages hold a phrase: `“…”`, `„…“`, `«…»`, `「…」`; `‘…’` does
//!   where the closing one is no apostrophe.
//! * The characters `+ { } ^ :`, a star that follows no word, and a quote without a partner
//!   are blanks; so are control characters, NUL among them, and marks that can't be seen.
//! * Other punctuation belongs to the word it touches: `a.b`, `don't`, `user@host`, `#123` are
//!   searched as the phrase that the index has made of them.
//! * One and/or/not of any case at either end goes, and any operator without something on both
//!   sides. Of several operators in a row NOT stays, else OR.
//! * What the index keeps nothing of (`-`, `😀`) is left out, with the operator it leaves
//!   dangling; an exclusion never becomes a demand by that. If nothing else was typed, an emoji
//!   or at least two signs (`->`) are looked for in the rows; a single ASCII sign is nothing.
//! * A term with letters of a script that sets no words apart (Han, kana, Hangul, Thai, Lao, Khmer,
//!   Myanmar, Tibetan, …: [`script::is_unspaced`]) is looked for anywhere in a text, and so are the
//!   terms beside it; of those only words of one or two other letters stay words.
//! * The index folds case and the accents of ASCII letters, and no more. What is typed full-width,
//!   decomposed (as macOS names files) or between direction marks is looked for in its usual
//!   spelling too, by OR. What stands decomposed in a text the
//!   expression finds by a decomposed query only; [`SanitizedQuery::further`] has it otherwise.
//! * A date is looked for before a time, too: `2025-03-14` finds `2025-03-14T09:30`, where the index
//!   has made one word of the day and the hour. With a time of day (`2025-03-14 09:30`,
//!   `2025-03-14T09:30:05Z`) it is looked for in both forms, with or without a `Z`, and what follows
//!   may be more exact.
//! * The first [`MAX_QUERY_CHARS`] characters are read.
//!
//! # Why it is made this way
//! * **Text → tokens → clauses → expression**, not replacements in the text: each stage has one
//!   thing to get right, and nothing typed can be mistaken for a mark that an earlier step left.
//!   The expression is written anew from what was understood, which is why it can't be invalid.
//! * The result is a [`SanitizedQuery`], not a string: a raw string can't be passed where a
//!   sanitised one is needed. It keeps the blanks as typed, so that a person knows it again.
//! * The [`Expr`] tree says the same as the expression. A caller that has to read the rows
//!   evaluates it instead of guessing at the text again.
//! * What an index can't know of a text (escapes in stored JSON, a word that touches Chinese, letters
//!   that are stored decomposed) is looked for with expressions that find too much
//!   ([`SanitizedQuery::escaped`], [`SanitizedQuery::further`]), and [`Term::stands_in`] decides.
//! * Time in proportion to the length, recursion of bounded depth ([`MAX_TREE_DEPTH`]), no `std`,
//!   no SQLite, one dependency for the normal forms of Unicode; that real SQLite accepts the result
//!   is what the tests are for.
//! * What is left out is told ([`SanitizedQuery::explain`]): silence is what people complain about.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod script;

mod blank;
mod clause;
mod date;
mod explain;
mod expr;
mod fold;
mod further;
mod lex;
mod paren;
mod plan;
mod query;
mod quote;
mod render;
mod spelling;
mod stands;
mod symbol;
mod term;
mod token_chars;
mod words;

pub use explain::{Explanation, LeftOut, Reason};
pub use expr::{Expr, MAX_TREE_DEPTH};
pub use fold::{fold, folded};
pub use further::Further;
pub use plan::{Lookup, Plan};
pub use query::{MAX_QUERY_CHARS, SanitizedQuery, sanitize, sanitize_uncut};
pub use term::{Term, TermKind};
pub use words::index_words;

/// The example of the README, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
