//! From scanned words to the words a command gets.

use super::brace::{self, Braces, Fragment};
use super::build::{Builder, is_glob};
use super::parameter::Expanded;
use super::{Certainty, Quoted, Quoting, Unknown, Word, ansi_c, glob};
use crate::invocation::{SubstitutionId, SubstitutionKind};
use crate::scan::syntax::{Piece, PieceKind, SourceWord};
use crate::walk::{Scene, Text, Walker};

/// What becomes of unquoted blanks, patterns and braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Splitting {
    /// Several words may come out, as in a command's arguments.
    Fields,
    /// One word, as in an assignment.
    Never,
}

/// Words in the making.
#[derive(Default)]
struct Fields {
    done: Vec<Builder>,
    current: Builder,
}

impl Fields {
    fn cut(&mut self) {
        if self.current.started {
            self.done.push(std::mem::take(&mut self.current));
        }
    }
}

impl Walker<'_> {
    /// Expands the words of a command.
    pub(crate) fn expand_words(
        &mut self,
        words: &[SourceWord],
        t: &Text<'_>,
        scene: &Scene,
    ) -> Vec<Word> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            self.expand_word(word, t, scene, &mut out);
        }
        out
    }

    pub(crate) fn expand_word(
        &mut self,
        word: &SourceWord,
        t: &Text<'_>,
        scene: &Scene,
        out: &mut Vec<Word>,
    ) {
        if let Some(word) = self.simple_word(word, t) {
            out.push(word);
            return;
        }
        match brace::expand(&word.pieces, t.text) {
            Braces::None => {
                let fragments: Vec<Fragment<'_>> = word.pieces.iter().map(whole).collect();
                self.fields(&fragments, word, t, scene, out);
            }
            Braces::Words(words) => {
                for fragments in words {
                    if !self.spend(word.at.end - word.at.start) {
                        return;
                    }
                    self.fields(&fragments, word, t, scene, out);
                }
            }
            Braces::TooMany => {
                let span = t.map.original(word.at);
                out.push(Word::unknown(Unknown::TooLong, span));
            }
        }
    }

    /// Expands a word to one word: assignments, targets of redirections, here-strings.
    pub(crate) fn expand_single(&mut self, word: &SourceWord, t: &Text<'_>, scene: &Scene) -> Word {
        if let Some(word) = self.simple_word(word, t) {
            return word;
        }
        let fragments: Vec<Fragment<'_>> = word.pieces.iter().map(whole).collect();
        let mut fields = Fields::default();
        self.build(&fragments, t, scene, Splitting::Never, &mut fields);
        fields
            .current
            .finish(t.slice(word.at), t.map.original(word.at), None)
    }

    /// Expands pieces as if they stood in `"…"`.
    pub(crate) fn expand_pieces(
        &mut self,
        pieces: &[Piece],
        t: &Text<'_>,
        scene: &Scene,
    ) -> Builder {
        let fragments: Vec<Fragment<'_>> = pieces.iter().map(whole).collect();
        let mut fields = Fields::default();
        self.build(&fragments, t, scene, Splitting::Never, &mut fields);
        fields.current
    }

    /// The usual case: one stretch of text in which nothing is to be expanded.
    fn simple_word(&mut self, word: &SourceWord, t: &Text<'_>) -> Option<Word> {
        let [
            Piece {
                at,
                quoting,
                kind: PieceKind::Text,
            },
        ] = word.pieces.as_slice()
        else {
            return None;
        };
        let text = at.of(t.text);
        match quoting {
            Quoting::None => {
                let special =
                    text.bytes().any(|b| is_glob(b) || b == b'{') || text.starts_with('~');
                // After `=` and `:` a tilde counts in assignments only.
                if special || text.contains("=~") {
                    return None;
                }
            }
            Quoting::Escaped => return None,
            Quoting::Single | Quoting::Double => {}
        }
        let quoted = if *quoting == Quoting::None {
            Quoted::None
        } else {
            Quoted::All
        };
        let raw = t.slice(word.at);
        let mut made = Word {
            span: t.map.original(word.at),
            quoted,
            certainty: Certainty::Known,
            raw: (raw.len() != text.len()).then(|| raw.into()),
            text: text.to_owned(),
            parts: Vec::new(),
            alternatives: Vec::new(),
            verbatim: t.map.verbatim(*at),
        };
        if quoted == Quoted::All {
            made.parts.push(super::Part {
                kind: super::PartKind::Literal,
                quoting: *quoting,
                start: 0,
                end: text.len(),
            });
        }
        Some(made)
    }

    fn fields(
        &mut self,
        fragments: &[Fragment<'_>],
        word: &SourceWord,
        t: &Text<'_>,
        scene: &Scene,
        out: &mut Vec<Word>,
    ) {
        let mut fields = Fields::default();
        self.build(fragments, t, scene, Splitting::Fields, &mut fields);
        fields.cut();
        let span = t.map.original(word.at);
        let raw = t.slice(word.at);
        let single = fields.done.len() == 1;
        for builder in fields.done {
            let known_files = self.well_known_files(&builder);
            let text = if single {
                raw.to_owned()
            } else {
                builder.text.clone()
            };
            let mut made = builder.finish(&text, span, None);
            if !known_files.is_empty() {
                made.alternatives.extend(known_files);
                made.certainty = Certainty::Partial;
            }
            out.push(made);
        }
    }

    fn well_known_files(&mut self, builder: &Builder) -> Vec<String> {
        let text = builder.known().unwrap_or("");
        if !text.starts_with('/') || !builder.has_glob() || self.pattern_budget == 0 {
            return Vec::new();
        }
        self.pattern_budget -= 1;
        glob::well_known(text)
    }

    fn build(
        &mut self,
        fragments: &[Fragment<'_>],
        t: &Text<'_>,
        scene: &Scene,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        for (i, fragment) in fragments.iter().enumerate() {
            match *fragment {
                Fragment::Text(at, quoting) => {
                    let mut text = at.of(t.text);
                    if !self.spend(text.len() / 4) {
                        return;
                    }
                    if quoting == Quoting::None {
                        if i == 0 {
                            text = self.tilde(text, fields);
                        }
                        self.unquoted(text, splitting, fields);
                    } else {
                        fields.current.literal(text, quoting);
                    }
                }
                Fragment::Item(value, letter) => {
                    let text = match u32::try_from(value).ok().and_then(char::from_u32) {
                        Some(c) if letter => c.to_string(),
                        _ => value.to_string(),
                    };
                    fields.current.literal(&text, Quoting::None);
                }
                Fragment::Other(piece) => self.piece(piece, t, scene, splitting, fields),
            }
        }
    }

    fn unquoted(&mut self, text: &str, splitting: Splitting, fields: &mut Fields) {
        if splitting == Splitting::Never {
            // `PATH=~/bin:~/x`, `of=~/x`
            let mut rest = text;
            while let Some(at) = rest.find("=~").or_else(|| rest.find(":~")) {
                let (head, tail) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
                fields.current.pattern(head);
                rest = self.tilde(tail, fields);
            }
            fields.current.pattern(rest);
        } else if let Some((head, tail)) = text.split_once("=~") {
            fields.current.pattern(head);
            fields.current.literal("=", Quoting::None);
            // Not what bash does outside assignments, but what `dd of=~/x` is meant to do in zsh
            // and ksh.
            let tail = format!("~{tail}");
            let rest = self.tilde(&tail, fields).to_owned();
            fields.current.pattern(&rest);
        } else {
            fields.current.pattern(text);
        }
    }

    /// Expands a tilde at the start of the text; gives what is left.
    fn tilde<'a>(&self, text: &'a str, fields: &mut Fields) -> &'a str {
        let Some(after) = text.strip_prefix('~') else {
            return text;
        };
        let user_len = after.find(['/', ':']).unwrap_or(after.len());
        let (user, rest) = after.split_at_checked(user_len).unwrap_or((after, ""));
        let home = self.env.user_home.as_str();
        match user {
            "" => fields.current.literal(home, Quoting::None),
            "root" => fields.current.literal("/root", Quoting::None),
            "+" => match self.env.variable("PWD") {
                Some(cwd) => fields.current.literal(cwd, Quoting::None),
                None => fields
                    .current
                    .unknown(Unknown::Variable("PWD".into()), Quoting::None),
            },
            "-" => fields
                .current
                .unknown(Unknown::Variable("OLDPWD".into()), Quoting::None),
            _ if user
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')) =>
            {
                if home.rsplit('/').next() == Some(user) {
                    fields.current.literal(home, Quoting::None);
                } else {
                    fields.current.literal("/home/", Quoting::None);
                    fields.current.literal(user, Quoting::None);
                }
            }
            _ => return text,
        }
        rest
    }

    fn piece(
        &mut self,
        piece: &Piece,
        t: &Text<'_>,
        scene: &Scene,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        let quoting = piece.quoting;
        match &piece.kind {
            PieceKind::Text => fields.current.literal(piece.at.of(t.text), quoting),
            PieceKind::AnsiC => {
                let text = ansi_c::unescape(piece.at.of(t.text), ansi_c::Escapes::Dollar);
                fields.current.literal(&text, quoting);
            }
            PieceKind::Parameter(parameter) => {
                let value = self.parameter(parameter, t, scene);
                self.add(value, quoting, splitting, fields);
            }
            PieceKind::Substitution(script) => {
                let (id, output) =
                    self.substitution(script, t, piece.at, scene, SubstitutionKind::Command);
                self.add_output(id, output, quoting, splitting, fields);
            }
            PieceKind::Backtick => {
                let (id, output) = self.backtick(piece.at, quoting, t, scene);
                self.add_output(id, output, quoting, splitting, fields);
            }
            PieceKind::Process { script, output } => {
                let kind = if *output {
                    SubstitutionKind::ProcessOutput
                } else {
                    SubstitutionKind::ProcessInput
                };
                let (id, _) = self.substitution(script, t, piece.at, scene, kind);
                fields.current.unknown(Unknown::Process(id), quoting);
            }
            PieceKind::Arithmetic(inner) => {
                let built = self.expand_pieces(inner, t, scene);
                self.run_subscripts(&built.text, t.map.original(piece.at), scene);
                match built.known().and_then(|text| self.calculated(text)) {
                    Some(number) => fields.current.literal(&number.to_string(), quoting),
                    None => fields.current.unknown(Unknown::Arithmetic, quoting),
                }
            }
        }
    }

    fn add_output(
        &mut self,
        id: SubstitutionId,
        output: Option<String>,
        quoting: Quoting,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        let value = match output {
            Some(text) => Expanded::Text(text),
            None => Expanded::Unknown(Unknown::Command(id)),
        };
        self.add(value, quoting, splitting, fields);
    }

    fn add(
        &mut self,
        value: Expanded,
        quoting: Quoting,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        let value = match value {
            Expanded::Text(text) if text.len() > MAX_VALUE || !self.spend(text.len()) => {
                Expanded::Unknown(Unknown::TooLong)
            }
            Expanded::OneOf(all) if !self.spend(all.iter().map(String::len).sum()) => {
                Expanded::Unknown(Unknown::TooLong)
            }
            value => value,
        };
        let splits = quoting == Quoting::None && splitting == Splitting::Fields;
        match value {
            Expanded::Text(text) if splits => self.split(&text, fields),
            Expanded::Text(text) => fields.current.literal(&text, quoting),
            Expanded::OneOf(all) => fields.current.one_of(&all, quoting),
            Expanded::Unknown(unknown) => fields.current.unknown(unknown, quoting),
            Expanded::Fields(list) if splitting == Splitting::Fields => {
                for (i, text) in list.iter().enumerate() {
                    if i > 0 {
                        fields.cut();
                    }
                    if !self.spend(text.len()) {
                        return;
                    }
                    if splits {
                        self.split(text, fields);
                    } else {
                        fields.current.literal(text, quoting);
                    }
                }
            }
            Expanded::Fields(list) => {
                let text = list.join(" ");
                if self.spend(text.len()) {
                    fields.current.literal(&text, quoting);
                }
            }
        }
    }

    /// Splits a value at the characters of `IFS`.
    fn split(&mut self, text: &str, fields: &mut Fields) {
        let separators = self.separators();
        for (i, field) in text.split(|c| separators.contains(c)).enumerate() {
            if i > 0 {
                fields.cut();
            }
            if !field.is_empty() {
                fields.current.pattern(field);
            }
        }
    }

    fn separators(&self) -> String {
        match self.variables.get("IFS") {
            Some(super::variables::Variable::Scalar(text)) => text.clone(),
            _ => " \t\n".to_owned(),
        }
    }
}

/// A value longer than this is not followed.
pub(crate) const MAX_VALUE: usize = 16 * 1024;

fn whole(piece: &Piece) -> Fragment<'_> {
    match piece.kind {
        PieceKind::Text => Fragment::Text(piece.at, piece.quoting),
        _ => Fragment::Other(piece),
    }
}
