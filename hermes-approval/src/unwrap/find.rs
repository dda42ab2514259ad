//! `find -exec`, `fd -x`.

use crate::find;
use crate::grammar::{self, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};
use crate::word::Word;

impl Walker<'_> {
    pub(super) fn find(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        for primary in find::primaries(super::arguments(argv)) {
            if primary.is(find::RUNS) {
                self.repeated(id, name, primary.values, scene);
            }
        }
    }

    fn repeated(&mut self, id: InvocationId, name: &str, command: &[Word], scene: &Scene) {
        if command.is_empty() || !self.spend(command.len() * super::xargs::WORD_WORK) {
            return;
        }
        let span = self.span_of(id);
        let words = command
            .iter()
            .map(|word| {
                let hole = word.text.contains("{}") && !super::has_blank(word);
                if hole {
                    super::xargs::with_hole(word, "{}", span)
                } else {
                    word.clone()
                }
            })
            .collect();
        let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
        self.run(Args::new(words), id, wrapper, scene);
    }

    /// `fd PATTERN -x rm`
    pub(super) fn fd(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        let grammar = grammar::Grammar {
            short_values: "dtSeEcjo",
            ..*grammar::grammar("fd").unwrap_or(&UNKNOWN_TOOL)
        };
        let read = grammar::read(words, &grammar, Order::Anywhere);
        let exec = read.options.iter().find(|o| {
            o.is_short('x') || o.is_short('X') || o.is_long("exec") || o.is_long("exec-batch")
        });
        let Some(exec) = exec else { return };
        let from = exec.word + 1;
        let rest = words.get(from..).unwrap_or(&[]);
        let end = rest
            .iter()
            .position(|w| w.known() == Some(";"))
            .unwrap_or(rest.len());
        self.repeated(id, name, rest.get(..end).unwrap_or(&[]), scene);
    }
}
