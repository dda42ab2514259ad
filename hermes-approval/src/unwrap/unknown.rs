//! Programs that no table knows, with a program that is known among their words.

use super::is_assignment;
use super::known::{self, is_program};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};
use crate::word::{Quoted, Word, program_name};

/// So many words behind an unknown program are looked at.
const MAX_LOOK: usize = 12;

impl Walker<'_> {
    pub(super) fn unknown_wrapper(
        &mut self,
        id: InvocationId,
        name: &str,
        argv: &Args,
        scene: &Scene,
    ) {
        if known::is_known_tool(name) || is_program(name, scene.platform) {
            return;
        }
        let words = super::arguments(argv);
        let found = words.iter().take(MAX_LOOK).position(|word| {
            let names = |text| is_program(program_name(text, scene.platform), scene.platform);
            word.quoted != Quoted::All && word.known().is_some_and(names)
        });
        let Some(at) = found else { return };
        // `starship init zsh`: most tools have one of their own.
        let level = words.get(at + 1).and_then(Word::known);
        if words.get(at).is_some_and(|w| w.known() == Some("init"))
            && !level
                .is_some_and(|l| matches!(l, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "s" | "S"))
        {
            return;
        }
        // A program without arguments behind a word that isn't one: more likely a name.
        let bare = words.len() == at + 1;
        let before: &[Word] = words.get(..at).unwrap_or(&[]);
        let plausible = !bare || before.is_empty() && is_alone(words.get(at));
        if plausible
            && before
                .iter()
                .all(|w| !w.text.contains('\n') || is_assignment(w))
        {
            let wrapper = self.wrapper(id, name, WrapperKind::Unknown);
            self.run(argv.after(1 + at), id, wrapper, scene);
        }
    }
}

fn is_alone(word: Option<&Word>) -> bool {
    word.and_then(Word::known)
        .is_some_and(|text| matches!(text, "reboot" | "poweroff" | "halt" | "shutdown"))
}
