//! The command languages of Windows: `cmd.exe` and PowerShell.
//!
//! Light scanners: enough to find the commands of a line, their words and their pipes.

mod cmd;
mod powershell;

pub use powershell::cmdlet;

use crate::grammar::{self, Grammar, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Pipeline, PipelineId, Source, WrapperKind};
use crate::platform::Platform;
use crate::span::{At, Span, SpanMap};
use crate::walk::{Place, Scene, Walker};
use crate::word::{Quoted, Word};

impl Walker<'_> {
    /// `cmd /c …`
    pub(crate) fn cmd(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = argv.get(1..).unwrap_or(&[]);
        let switch = words.iter().position(|w| {
            w.known().is_some_and(|t| {
                let t = t.to_ascii_lowercase();
                ["/c", "/k", "/r", "-c", "//c"]
                    .iter()
                    .any(|s| t.starts_with(s))
            })
        });
        let Some(at) = switch else {
            self.cmd_reads(id, name, scene);
            return;
        };
        let mut text = String::new();
        // `cmd /cdel x`
        let glued = words
            .get(at)
            .map_or("", |w| w.text().trim_start_matches('/'))
            .get(1..)
            .unwrap_or("");
        text.push_str(glued);
        self.windows_script(
            id,
            name,
            words.get(at + 1..).unwrap_or(&[]),
            text,
            Platform::Cmd,
            scene,
        );
    }

    /// `echo cmd | cmd`
    fn cmd_reads(&mut self, id: InvocationId, name: &str, scene: &Scene) {
        let Some(text) = self.input_text(id) else {
            return;
        };
        let wrapper = self.wrapper(id, name, WrapperKind::ShellInput);
        let map = SpanMap::Whole(self.span_of(id));
        let inner = Scene {
            platform: Platform::Cmd,
            ..scene.clone()
        };
        self.run_text(&text, &map, id, wrapper, Source::Piped(id), &inner);
    }

    /// `runas /user:x "cmd …"`
    pub(crate) fn runas(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = argv.get(1..).unwrap_or(&[]);
        let command = words.iter().position(|w| !w.starts_with_known("/"));
        if let Some(at) = command {
            let words = words.get(at..).unwrap_or(&[]);
            self.windows_script(id, name, words, String::new(), Platform::Cmd, scene);
        }
    }

    /// `Set-Alias x Remove-Item`
    fn powershell_alias(&mut self, argv: &Args) {
        let words = argv.iter().skip(1);
        let mut names = words.filter(|w| !w.starts_with_known("-"));
        if let (Some(name), Some(real)) = (
            names.next().and_then(Word::known),
            names.next().and_then(Word::known),
        ) && self.renamed.len() < MAX_RENAMED
        {
            self.renamed
                .insert(name.to_ascii_lowercase(), real.to_owned());
        }
    }

    /// `powershell -Command …`, `-EncodedCommand …`
    pub(crate) fn powershell(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = argv.get(1..).unwrap_or(&[]);
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let Some(text) = word.known().map(str::to_ascii_lowercase) else {
                break;
            };
            let Some(option) = text.strip_prefix(['-', '/']) else {
                break;
            };
            at += 1;
            let is = |full: &str| !option.is_empty() && full.starts_with(option);
            if option == "-" || is("command") || option == "c" {
                break;
            }
            if option == "ec" || (option != "ex" && is("encodedcommand")) {
                if let Some(encoded) = words.get(at).and_then(Word::known) {
                    let decoded = crate::output::decode::base64(encoded).map(|bytes| utf16(&bytes));
                    if let (Some(script), Some(word)) = (decoded, words.get(at)) {
                        let wrapper = self.wrapper(id, name, WrapperKind::ShellScript);
                        let inner = Scene {
                            platform: Platform::PowerShell,
                            ..scene.clone()
                        };
                        let map = SpanMap::Whole(word.span);
                        self.run_text(&script, &map, id, wrapper, Source::Decoded(id), &inner);
                    }
                }
                return;
            }
            if is("file") {
                return;
            }
            let takes = VALUES.iter().any(|full| is(full)) || option == "ex" || option == "ep";
            at += usize::from(takes);
        }
        let script = words.get(at..).unwrap_or(&[]);
        if script.is_empty() || script.first().is_some_and(|w| w.known() == Some("-")) {
            let wrapper = self.wrapper(id, name, WrapperKind::ShellInput);
            let span = self.span_of(id);
            if let Some(text) = self.input_text(id) {
                let inner = Scene {
                    platform: Platform::PowerShell,
                    ..scene.clone()
                };
                self.run_text(
                    &text,
                    &SpanMap::Whole(span),
                    id,
                    wrapper,
                    Source::Piped(id),
                    &inner,
                );
            }
            return;
        }
        self.windows_script(id, name, script, String::new(), Platform::PowerShell, scene);
    }

    fn windows_script(
        &mut self,
        id: InvocationId,
        name: &str,
        words: &[Word],
        mut text: String,
        platform: Platform,
        scene: &Scene,
    ) {
        let wrapper = self.wrapper(id, name, WrapperKind::ShellScript);
        let inner = Scene {
            platform,
            ..scene.clone()
        };
        if let ([one], true) = (words, text.is_empty()) {
            let map = one
                .verbatim
                .map_or(SpanMap::Whole(one.span), SpanMap::Offset);
            // A POSIX shell would put nothing in for `$env:NAME` in double quotes, but who writes it
            // means PowerShell's variable.
            let meant = one.known().is_none() && one.raw().contains("$env:");
            let script = match one.quoted {
                Quoted::All if meant => one.raw().trim_matches('"'),
                Quoted::All => one.text(),
                _ => one.raw(),
            };
            let script = script.to_owned();
            self.run_text(&script, &map, id, wrapper, Source::Argument(id), &inner);
            return;
        }
        if words.is_empty() && text.is_empty() {
            return;
        }
        let length: usize = words.iter().map(|w| w.raw().len() + 1).sum();
        if !self.spend(length) {
            return;
        }
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            // Backslashes that a POSIX shell would have taken mean folders here.
            text.push_str(if word.quoted == Quoted::All {
                word.text()
            } else {
                word.raw()
            });
        }
        let span = match (words.first(), words.last()) {
            (Some(first), Some(last)) => first.span.cover(last.span),
            _ => self.span_of(id),
        };
        self.run_text(
            &text,
            &SpanMap::Whole(span),
            id,
            wrapper,
            Source::Argument(id),
            &inner,
        );
    }

    /// `Invoke-Expression '…'`
    pub(crate) fn evaluate_powershell(
        &mut self,
        id: InvocationId,
        name: &str,
        argv: &Args,
        scene: &Scene,
    ) {
        let grammar = Grammar {
            style: grammar::Style::Single,
            long_values: &[],
            ..UNKNOWN_TOOL
        };
        let words = argv.get(1..).unwrap_or(&[]);
        let read = grammar::read(words, &grammar, Order::First);
        let script: Vec<Word> = read.operands.iter().map(|w| (*w).clone()).collect();
        self.windows_script(
            id,
            name,
            &script,
            String::new(),
            Platform::PowerShell,
            scene,
        );
    }

    /// Begins a stage of a pipeline, a new one unless it is `piped` into; tells where it stands, and
    /// what feeds it.
    fn windows_stage(&mut self, piped: bool, span: Span) -> (Place, Option<InvocationId>) {
        let first = InvocationId(self.found.invocations.len());
        if !piped || self.found.pipelines.is_empty() {
            self.found.pipelines.push(Pipeline {
                stages: 0,
                span,
                first,
                last: first,
            });
        }
        let place = Place {
            pipeline: PipelineId(self.found.pipelines.len().saturating_sub(1)),
            stage: self.found.pipelines.last().map_or(0, |p| p.stages),
            background: false,
            negated: false,
        };
        let before = first.0.checked_sub(1).map(InvocationId);
        (place, before.filter(|_| piped))
    }

    fn windows_stage_ends(&mut self) {
        let last = InvocationId(self.found.invocations.len());
        if let Some(pipeline) = self.found.pipelines.last_mut() {
            pipeline.stages += 1;
            pipeline.last = last;
        }
    }

    /// Notes a command that a light scanner has found, and what it wraps.
    fn windows_command(&mut self, words: Vec<RawWord>, at: At, line: &Line<'_>, scene: &Scene) {
        if words.is_empty() {
            return;
        }
        let map = line.map;
        let argv: Vec<Word> = words.into_iter().map(|word| word.finish(line)).collect();
        let place = line.place;
        let stdin = match line.piped_from {
            Some(from) => crate::invocation::Stdin::Pipe(vec![from]),
            None => crate::invocation::Stdin::Inherited,
        };
        let feed = match line.piped_from {
            Some(from) => crate::walk::Feed::Pipe(crate::walk::Out::Invocation(from)),
            None => scene.feed.clone(),
        };
        let redirects = line.redirects.clone();
        let id = self.note(
            argv,
            Vec::new(),
            redirects,
            stdin,
            feed,
            map.original(at),
            scene,
            place,
        );
        self.windows_called(id, scene);
    }

    fn windows_called(&mut self, id: InvocationId, scene: &Scene) {
        let argv = self.argv_of(id);
        let Some(name) = argv
            .first()
            .and_then(|w| w.program(scene.platform))
            .map(str::to_owned)
        else {
            return;
        };
        let lower = name.to_ascii_lowercase();
        self.note_written(id);
        if !self.written.is_empty() {
            let path = argv.first().and_then(Word::known).unwrap_or("");
            let path = path.trim_start_matches(".\\").to_owned();
            self.run_written(id, &path, None, scene);
        }
        if let Some(real) = self.renamed.get(&lower).filter(|real| **real != lower) {
            let mut words = argv.to_vec();
            if let Some(first) = words.first_mut() {
                *first = Word::made(real.clone(), first.span);
            }
            let wrapper = self.wrapper(id, &name, WrapperKind::Plain);
            self.run(Args::new(words), id, wrapper, scene);
            return;
        }
        self.deeper(self.span_of(id), |walker| match lower.as_str() {
            "invoke-expression" | "iex" => walker.evaluate_powershell(id, &name, &argv, scene),
            "set-alias" | "sal" | "new-alias" | "nal" => walker.powershell_alias(&argv),
            "start" | "call" | "start-process" | "saps" | "invoke-command" | "icm" | "forfiles" => {
                walker.windows_wrapper(id, &lower, &argv, scene);
            }
            _ => walker.unwrap(id, &lower, &argv, scene),
        });
    }

    fn windows_wrapper(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = argv.get(1..).unwrap_or(&[]);
        let at = words.iter().position(|w| {
            w.quoted != Quoted::All && !w.starts_with_known("/") && !w.starts_with_known("-")
        });
        if let Some(at) = at {
            let wrapper = self.wrapper(id, name, WrapperKind::Plain);
            self.run(argv.after(1 + at), id, wrapper, scene);
        }
    }
}

/// The line that a light scanner is in.
struct Line<'l> {
    map: &'l SpanMap,
    text: &'l str,
    place: crate::walk::Place,
    piped_from: Option<InvocationId>,
    redirects: Vec<crate::invocation::Redirect>,
}

/// A word of a light scanner.
#[derive(Debug, Default)]
struct RawWord {
    text: String,
    start: usize,
    end: usize,
    quoted: bool,
    unquoted: bool,
    /// Names of variables in it, with the place in the text where their value would stand.
    holes: Vec<(usize, String)>,
}

impl RawWord {
    fn finish(self, line: &Line<'_>) -> Word {
        use crate::word::{Certainty, Part, PartKind, Quoting, Unknown};
        let at = At::new(self.start, self.end);
        let raw = at.of(line.text);
        let mut word = Word::made(self.text, line.map.original(at));
        if raw != word.text {
            word.raw = Some(raw.into());
        } else {
            word.verbatim = line.map.verbatim(at);
        }
        word.quoted = match (self.quoted, self.unquoted) {
            (true, false) => Quoted::All,
            (true, true) => Quoted::Some,
            _ => Quoted::None,
        };
        if !self.holes.is_empty() {
            word.certainty = if word.text.is_empty() {
                Certainty::Unknown
            } else {
                Certainty::Partial
            };
            let mut start = 0;
            for (at, name) in self.holes {
                let part = |kind, start, end| Part {
                    kind,
                    quoting: Quoting::None,
                    start,
                    end,
                };
                word.parts.push(part(PartKind::Literal, start, at));
                word.parts
                    .push(part(PartKind::Unknown(Unknown::Variable(name)), at, at));
                start = at;
            }
            let end = word.text.len();
            word.parts.push(Part {
                kind: PartKind::Literal,
                quoting: Quoting::None,
                start,
                end,
            });
        }
        word
    }
}

const MAX_RENAMED: usize = 64;

/// Options of PowerShell that take a value.
const VALUES: &[&str] = &[
    "executionpolicy",
    "version",
    "windowstyle",
    "inputformat",
    "outputformat",
    "configurationname",
    "psconsolefile",
    "workingdirectory",
    "custompipename",
    "settingsfile",
];

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| {
            u16::from_le_bytes([
                pair.first().copied().unwrap_or(0),
                pair.get(1).copied().unwrap_or(0),
            ])
        })
        .collect();
    String::from_utf16_lossy(&units)
}
