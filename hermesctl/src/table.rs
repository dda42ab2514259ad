//! Tables that fit the terminal: every column as wide as its content, the last one as what is left.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Padding, Style};

use crate::output::{Output, Tone};
use crate::text::{fit, one_line, width};

const GAP: usize = 2;
/// The last column is never made narrower than this; the terminal wraps then.
const LEAST: usize = 12;

/// Rows of text with a heading.
pub(crate) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    numbers: Vec<usize>,
}

impl Table {
    pub(crate) fn new(heading: &[&'static str]) -> Table {
        Table {
            heading: heading.to_vec(),
            rows: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// This column is aligned to the right.
    pub(crate) fn number(mut self, column: usize) -> Table {
        self.numbers.push(column);
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// The table as text, without a line break at the end.
    pub(crate) fn render(mut self, output: &Output) -> String {
        if let Some(columns) = output.width() {
            self.cut_last_column(columns);
        }
        let mut builder = Builder::default();
        builder.push_record(
            self.heading
                .iter()
                .map(|name| output.paint(Tone::Strong, name)),
        );
        for row in &self.rows {
            let first = row.first().map(|cell| output.paint(Tone::Name, cell));
            builder.push_record(first.into_iter().chain(row.iter().skip(1).cloned()));
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(0, GAP, 0, 0));
        for column in &self.numbers {
            table.modify(Columns::one(*column), Alignment::right());
        }
        let text = table.to_string();
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn cut_last_column(&mut self, columns: usize) {
        let Some(last) = self.heading.len().checked_sub(1) else {
            return;
        };
        let used: usize = (0..last)
            .map(|column| self.column_width(column) + GAP)
            .sum();
        let room = columns.saturating_sub(used).max(LEAST);
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(last)) {
            *cell = fit(cell, room);
        }
    }

    fn column_width(&self, column: usize) -> usize {
        let cells = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| width(cell));
        let heading = self.heading.get(column).map(|name| width(name));
        cells.chain(heading).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Color;

    #[test]
    fn wide_characters_and_emoji_keep_the_columns_aligned() {
        let mut table = Table::new(&["ID", "N", "TITLE"]).number(1);
        for (id, n, title) in [
            ("a", "1", "x"),
            ("大别山", "10", "项目 👩‍👩‍👧"),
            ("naïve", "7", "👍🏽 ok"),
        ] {
            table.row([id, n, title].map(str::to_owned));
        }
        insta::assert_snapshot!(table.render(&Output::new(false, Color::Never)), @r"
        ID       N  TITLE
        a        1  x
        大别山  10  项目 👩‍👩‍👧
        naïve    7  👍🏽 ok
        ");
    }
}
