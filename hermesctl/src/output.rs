//! Where output goes: buffered, in colour only where somebody sees it.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Seek, Stdout, Write};

use anstyle::{AnsiColor, Style};
use serde_json::json;
use tempfile::SpooledTempFile;

use crate::cli::Color;
use crate::failure::Failure;

/// Standard output with what is known about it.
pub(crate) struct Output {
    out: Sink,
    json: bool,
    color: bool,
    color_on_stderr: bool,
    width: Option<usize>,
}

enum Sink {
    Direct(BufWriter<Stdout>),
    /// JSON is one object or none: it is held back until the command is done, in memory and, when
    /// it grows, in a temporary file.
    Held(SpooledTempFile),
}

/// Bytes of JSON that are held in memory.
const IN_MEMORY: usize = 4 << 20;

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    /// Titles and headings.
    Strong,
    /// What may be passed over.
    Faint,
    /// What matched a search.
    Match,
    /// Names: ids, roles.
    Name,
    /// All is well.
    Good,
    /// Something is not.
    Bad,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Tone::Strong => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
            Tone::Match => AnsiColor::Yellow.on_default().bold(),
            Tone::Name => AnsiColor::Cyan.on_default(),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default().bold(),
        }
    }
}

impl Output {
    pub(crate) fn new(json: bool, color: Color) -> Output {
        let terminal = io::stdout().is_terminal();
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !is_set("NO_COLOR") && !is_dumb(),
        };
        Output {
            out: match json {
                true => Sink::Held(SpooledTempFile::new(IN_MEMORY)),
                false => Sink::Direct(BufWriter::new(io::stdout())),
            },
            json,
            color: wanted(terminal),
            color_on_stderr: wanted(io::stderr().is_terminal()),
            width: terminal_size::terminal_size()
                .filter(|_| terminal)
                .map(|(width, _)| usize::from(width.0)),
        }
    }

    /// Whether programs read this.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Columns of the terminal; `None` if the output does not go to one.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Whether there are colours.
    pub(crate) fn in_color(&self) -> bool {
        self.color
    }

    /// The text in the colours of its tone, where colours are wanted.
    pub(crate) fn paint(&self, tone: Tone, text: impl Display) -> String {
        painted(self.color, tone, text)
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self, "{text}")
    }

    /// Writes a named fact on a line.
    pub(crate) fn fact(&mut self, name: &str, value: impl Display) -> io::Result<()> {
        let name = self.paint(Tone::Faint, format_args!("{name:<9} "));
        self.line(format_args!("{name}{value}"))
    }

    /// Lets what is written from now on go out at once: for lines of data, of any number.
    pub(crate) fn stream(&mut self) -> io::Result<()> {
        self.finish()?;
        self.out = Sink::Direct(BufWriter::new(io::stdout()));
        Ok(())
    }

    /// Writes out what is held back or still buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.out {
            Sink::Direct(out) => out.flush(),
            Sink::Held(held) => {
                held.rewind()?;
                let mut out = io::stdout().lock();
                io::copy(held, &mut out)?;
                *held = SpooledTempFile::new(IN_MEMORY);
                out.flush()
            }
        }
    }

    /// A remark beside the output: on stderr, also where JSON goes to stdout.
    pub(crate) fn remark(&self, text: impl Display) {
        // Nobody is left to be told that it cannot be said.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Reports a failure: cause and next step on stderr, and as JSON where JSON is wanted and what
    /// was printed does not tell already.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        match &mut self.out {
            // Half an object is of no use.
            Sink::Held(held) if !failure.is_told() => *held = SpooledTempFile::new(IN_MEMORY),
            _ => {}
        }
        let color = self.color_on_stderr;
        let cause = painted(color, Tone::Bad, "error:");
        let hint = painted(color, Tone::Strong, " hint:");
        if matches!(self.out, Sink::Held(_)) && !failure.is_told() {
            let error = json!({"error": {
                "code": failure.code(),
                "message": failure.problem(),
                "hint": failure.hint(),
            }});
            let _ = self.line(error);
        }
        // What was printed before belongs before; if it cannot be written, the report still can.
        let _ = self.finish();
        self.remark(format_args!("{cause} {}", failure.problem()));
        self.remark(format_args!("{hint} {}", failure.hint()));
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Sink::Direct(out) => out.write(bytes),
            Sink::Held(held) => held.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Sink::Direct(out) => out.flush(),
            Sink::Held(_) => Ok(()),
        }
    }
}

fn painted(color: bool, tone: Tone, text: impl Display) -> String {
    if !color {
        return text.to_string();
    }
    let style = tone.style();
    format!("{style}{text}{style:#}")
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
