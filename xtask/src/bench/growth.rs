//! How long searches take as a store grows, up to a million messages: a table and a plot, both from
//! the figures of one run.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::figures_file;
use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// Where the plot stands, from the root of the workspace.
const PLOT: &str = "docs/search-growth.svg";

const COLOURS: [&str; 9] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2",
    "#7f7f7f",
];

pub(super) fn run(ws: &Workspace) -> Result<()> {
    println!("\n== search, as the store grows to a million messages");
    let file = figures_file(ws, "bench-growth.json")?;
    Program::cargo(&ws.root)
        .args(["bench", "--quiet", "--package", "hermes-state"])
        .args(["--bench", "state", "--", "search-growth", "--figures"])
        .arg(&file)
        .env("HERMES_BENCH_MILLION", "1")
        .run()?;
    let figures = std::fs::read(&file).context(|| format!("reading {}", file.display()))?;
    let figures = serde_json::from_slice(&figures).context(|| "the figures".to_owned())?;
    let growth = Growth::of(&figures)?;
    println!("\n{}", growth.table());
    let plot = ws.root.join(PLOT);
    std::fs::write(&plot, growth.plot()).context(|| format!("writing {}", plot.display()))?;
    println!("{} is written", plot.display());
    Ok(())
}

/// The milliseconds of each query on each store.
#[derive(Debug, PartialEq)]
struct Growth {
    /// Messages of the stores, in ascending order.
    sizes: Vec<u32>,
    queries: Vec<Query>,
}

#[derive(Debug, PartialEq)]
struct Query {
    name: String,
    /// One for each size.
    times: Vec<f64>,
}

impl Growth {
    /// Of the figures that are named `rare word, 20000 messages`.
    fn of(figures: &Map<String, Value>) -> Result<Growth> {
        let mut sizes: Vec<u32> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for figure in figures.keys() {
            let (name, size) = named(figure)
                .ok_or_else(|| Error::failed(format!("{figure:?} is no figure of growth")))?;
            if !sizes.contains(&size) {
                sizes.push(size);
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        sizes.sort_unstable();
        if sizes.len() < 2 {
            return Err(Error::failed("growth wants stores of two sizes at least"));
        }
        let queries = names.into_iter().map(|name| {
            let times = sizes.iter().map(|size| {
                let figure = format!("{name}, {size} messages");
                let time = figures.get(&figure).and_then(Value::as_f64);
                time.filter(|time| *time > 0.0)
                    .ok_or_else(|| Error::failed(format!("the figures have no {figure}")))
            });
            Ok(Query {
                name: name.to_owned(),
                times: times.collect::<Result<_>>()?,
            })
        });
        Ok(Growth {
            queries: queries.collect::<Result<_>>()?,
            sizes,
        })
    }

    /// In Markdown.
    fn table(&self) -> String {
        let mut table = "| p50, ms |".to_owned();
        for size in &self.sizes {
            let _ = write!(table, " {} |", grouped(*size));
        }
        table.push_str("\n|---|");
        table.push_str(&"---|".repeat(self.sizes.len()));
        for query in &self.queries {
            let _ = write!(table, "\n| {} |", query.name);
            for time in &query.times {
                let _ = write!(table, " {time:.2} |");
            }
        }
        table.push('\n');
        table
    }

    /// As SVG; both axes are logarithmic.
    fn plot(&self) -> String {
        let times = || self.queries.iter().flat_map(|query| &query.times);
        let least = times().copied().fold(f64::INFINITY, f64::min);
        let most = times().copied().fold(0.0, f64::max);
        let size = |size: Option<&u32>| size.map_or(1.0, |size| f64::from(*size));
        let across = Axis {
            from: size(self.sizes.first()).log10(),
            to: size(self.sizes.last()).log10(),
            start: 60.0,
            end: 560.0,
        };
        // Whole decades.
        let up = Axis {
            from: least.log10().floor(),
            to: most.log10().floor() + 1.0,
            start: 400.0,
            end: 40.0,
        };
        let mut svg = concat!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 450\" ",
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            "<rect width=\"720\" height=\"450\" fill=\"#fff\"/>\n",
            "<text x=\"60\" y=\"22\" font-size=\"14\">Search: milliseconds (p50), by messages in the store</text>\n",
        )
        .to_owned();
        let mut decade = up.from;
        while decade <= up.to {
            let (y, time) = (up.at(10_f64.powf(decade)), 10_f64.powf(decade));
            let _ = write!(
                svg,
                "<path d=\"M60 {y:.1}H560\" stroke=\"#ddd\"/>\n\
                 <text x=\"52\" y=\"{:.1}\" text-anchor=\"end\">{time}</text>\n",
                y + 4.0
            );
            decade += 1.0;
        }
        for size in &self.sizes {
            let x = across.at(f64::from(*size));
            let _ = write!(
                svg,
                "<path d=\"M{x:.1} 40V400\" stroke=\"#ddd\"/>\n\
                 <text x=\"{x:.1}\" y=\"420\" text-anchor=\"middle\">{}</text>\n",
                grouped(*size)
            );
        }
        let labels = self.labels(&up);
        for ((query, colour), label) in self.queries.iter().zip(COLOURS.iter().cycle()).zip(labels)
        {
            let points: Vec<String> = self
                .sizes
                .iter()
                .zip(&query.times)
                .map(|(size, time)| {
                    format!("{:.1},{:.1}", across.at(f64::from(*size)), up.at(*time))
                })
                .collect();
            let _ = write!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
                 <text x=\"568\" y=\"{:.1}\" fill=\"{colour}\">{}</text>\n",
                points.join(" "),
                label + 4.0,
                query.name
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// How far down the name of each query stands: where its line ends, but apart from the others.
    fn labels(&self, up: &Axis) -> Vec<f64> {
        const APART: f64 = 15.0;
        let end = |query: &Query| up.at(query.times.last().copied().unwrap_or(1.0));
        let mut labels: Vec<f64> = self.queries.iter().map(end).collect();
        let mut order: Vec<&mut f64> = labels.iter_mut().collect();
        order.sort_by(|a, b| a.total_cmp(b));
        let mut above = f64::NEG_INFINITY;
        for label in order {
            above = label.max(above + APART);
            *label = above;
        }
        labels
    }
}

/// From logarithms to places in the picture.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - self.from) / (self.to - self.from);
        self.start + share * (self.end - self.start)
    }
}

fn named(figure: &str) -> Option<(&str, u32)> {
    let (name, size) = figure.rsplit_once(", ")?;
    Some((name, size.strip_suffix(" messages")?.parse().ok()?))
}

/// With a comma between thousands.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(of: &[(&str, f64)]) -> Map<String, Value> {
        let figures = of.iter();
        figures
            .map(|(name, time)| ((*name).to_owned(), (*time).into()))
            .collect()
    }

    #[test]
    fn a_table_has_a_row_a_query_and_a_column_a_size() {
        let growth = Growth::of(&figures(&[
            ("rare word, 20000 messages", 0.5),
            ("two, words, 20000 messages", 1.0),
            ("rare word, 1000000 messages", 2.25),
            ("two, words, 1000000 messages", 30.0),
        ]))
        .unwrap();
        assert_eq!(
            growth.table(),
            "| p50, ms | 20,000 | 1,000,000 |\n|---|---|---|\n\
             | rare word | 0.50 | 2.25 |\n| two, words | 1.00 | 30.00 |\n"
        );
    }

    #[test]
    fn figures_that_lack_one_are_refused() {
        for of in [
            &[][..],
            &[("a, 20000 messages", 1.0)],
            &[("a", 1.0)],
            &[("a, 2 messages", 1.0), ("b, 3 messages", 1.0)],
            &[("a, 2 messages", 1.0), ("a, 3 messages", 0.0)],
        ] {
            assert!(Growth::of(&figures(of)).is_err(), "{of:?}");
        }
    }

    #[test]
    fn a_line_goes_from_edge_to_edge_and_names_stand_apart() {
        let growth = Growth::of(&figures(&[
            ("a, 100 messages", 0.1),
            ("a, 1000 messages", 1.0),
            ("a, 10000 messages", 10.0),
            ("b, 100 messages", 0.2),
            ("b, 1000 messages", 1.0),
            ("b, 10000 messages", 10.0),
        ]))
        .unwrap();
        let plot = growth.plot();
        // Three decades up, from 0.1 to 100.
        assert!(
            plot.contains("points=\"60.0,400.0 310.0,280.0 560.0,160.0\""),
            "{plot}"
        );
        assert!(plot.contains("y=\"164.0\" fill=\"#1f77b4\">a<"), "{plot}");
        assert!(plot.contains("y=\"179.0\" fill=\"#d62728\">b<"), "{plot}");
        for label in [">0.1<", ">1<", ">10<", ">100<", ">10,000<"] {
            assert!(plot.contains(label), "{label} in {plot}");
        }
    }
}
