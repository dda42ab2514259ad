//! Where output goes: buffered, in colour only where somebody sees it.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use anstyle::{AnsiColor, Style};
use serde_json::json;

use crate::cli::Color;
use crate::failure::Failure;

/// Standard output with what is known about it.
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    json: bool,
    color: bool,
    color_on_stderr: bool,
    width: Option<usize>,
}

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
            out: BufWriter::new(io::stdout()),
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
        writeln!(self.out, "{text}")
    }

    /// Writes a named fact on a line.
    pub(crate) fn fact(&mut self, name: &str, value: impl Display) -> io::Result<()> {
        let name = self.paint(Tone::Faint, format_args!("{name:<10}"));
        self.line(format_args!("{name}{value}"))
    }

    /// Writes out what is still buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A remark beside the output: on stderr, also where JSON goes to stdout.
    pub(crate) fn remark(&self, text: impl Display) {
        eprintln!("{text}");
    }

    /// Reports a failure: cause and next step on stderr, and as JSON where JSON is wanted.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        // What was printed before belongs before; if it cannot be written, the report still can.
        let _ = self.finish();
        let color = self.color_on_stderr;
        eprintln!(
            "{} {}",
            painted(color, Tone::Bad, "error:"),
            failure.problem()
        );
        eprintln!(
            "{} {}",
            painted(color, Tone::Strong, " hint:"),
            failure.hint()
        );
        if self.json {
            let error = json!({"error": {
                "code": failure.code(),
                "message": failure.problem(),
                "hint": failure.hint(),
            }});
            let _ = self.line(error).and_then(|()| self.finish());
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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
