//! Looking for words in an output, and not talking about it too often.

use std::time::{Duration, Instant};

/// At most one notification of a process in this time.
pub(super) const INTERVAL: Duration = Duration::from_secs(15);
/// So many intervals one after the other with more matches than were told end the watching.
pub(super) const STRIKES: u32 = 3;
/// The most characters of a line that are looked at together.
const LINE: usize = 4_096;

/// What is looked for in an output.
#[derive(Debug)]
pub(super) struct Watch {
    patterns: Vec<String>,
    line: String,
    /// The line that has begun has been told of.
    told: bool,
    last: Option<Instant>,
    /// Matches since then that were not told.
    dropped: u64,
    strikes: u32,
    off: bool,
}

/// A match that is to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sighting {
    Match {
        pattern: String,
        line: String,
        /// Matches before it that were not told.
        dropped: u64,
    },
    /// There were too many for too long.
    GivenUp { dropped: u64 },
}

impl Watch {
    /// For these texts; nothing if there are none.
    pub(super) fn new(patterns: &[String]) -> Option<Self> {
        let patterns: Vec<String> = patterns
            .iter()
            .filter(|pattern| !pattern.trim().is_empty())
            .cloned()
            .collect();
        (!patterns.is_empty()).then_some(Self {
            patterns,
            line: String::new(),
            told: false,
            last: None,
            dropped: 0,
            strikes: 0,
            off: false,
        })
    }

    pub(super) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    pub(super) fn is_off(&self) -> bool {
        self.off
    }

    /// Looks at the next part of the output. A line counts once, however many of the texts are in
    /// it; one that has begun counts as soon as a text is in it.
    pub(super) fn look(&mut self, part: &str, now: Instant) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        for piece in part.split_inclusive('\n') {
            if self.off {
                break;
            }
            self.line.push_str(piece);
            let found = self
                .patterns
                .iter()
                .find(|pattern| !self.told && self.line.contains(pattern.as_str()));
            if let Some(pattern) = found.cloned() {
                self.told = true;
                sightings.extend(self.judge(pattern, now));
            }
            if piece.ends_with('\n') {
                self.line.clear();
                self.told = false;
            } else if self.line.len() > LINE {
                self.shorten();
            }
        }
        sightings
    }

    /// Keeps as much of a long line as the beginning of a text can be.
    fn shorten(&mut self) {
        let longest = self.patterns.iter().map(String::len).max().unwrap_or(0);
        let from = self.line.len().saturating_sub(longest.max(LINE / 2));
        let from = self.line.floor_char_boundary(from);
        self.line.drain(..from);
    }

    fn judge(&mut self, pattern: String, now: Instant) -> Option<Sighting> {
        let is_open = self
            .last
            .is_none_or(|last| now.saturating_duration_since(last) >= INTERVAL);
        if !is_open {
            self.dropped += 1;
            return None;
        }
        self.strikes = match self.dropped {
            0 => 0,
            _ => self.strikes + 1,
        };
        let dropped = std::mem::take(&mut self.dropped);
        if self.strikes >= STRIKES {
            self.off = true;
            return Some(Sighting::GivenUp { dropped });
        }
        self.last = Some(now);
        Some(Sighting::Match {
            pattern,
            line: self.line.trim_end().to_owned(),
            dropped,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn watch(patterns: &[&str]) -> Watch {
        let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        Watch::new(&patterns).unwrap()
    }

    fn lines(sightings: Vec<Sighting>) -> Vec<String> {
        sightings
            .into_iter()
            .map(|sighting| match sighting {
                Sighting::Match { line, dropped, .. } => format!("{line} +{dropped}"),
                Sighting::GivenUp { dropped } => format!("given up +{dropped}"),
            })
            .collect()
    }

    #[test]
    fn a_text_is_found_across_parts_and_once_in_a_line() {
        let mut watch = watch(&["ready", "started"]);
        let now = Instant::now();
        assert!(watch.look("server re", now).is_empty());
        assert_eq!(
            lines(watch.look("ady, started", now)),
            ["server ready, started +0"]
        );
        assert!(watch.look(" ready\n", now).is_empty());
        assert!(Watch::new(&[String::new(), " ".to_owned()]).is_none());
    }

    #[test]
    fn one_in_an_interval_is_told_and_the_next_says_how_many_were_not() {
        let mut watch = watch(&["E"]);
        let start = Instant::now();
        assert_eq!(lines(watch.look("E1\nE2\nE3\n", start)), ["E1 +0"]);
        assert!(
            watch
                .look("E4\n", start + INTERVAL - Duration::from_millis(1))
                .is_empty()
        );
        assert_eq!(lines(watch.look("E5\n", start + INTERVAL)), ["E5 +3"]);
    }

    #[test]
    fn three_busy_intervals_in_a_row_end_it() {
        let start = Instant::now();
        let mut busy = watch(&["E"]);
        let mut told = Vec::new();
        for n in 0..9 {
            told.extend(lines(busy.look("E\nE\n", start + INTERVAL * n)));
        }
        assert_eq!(told, ["E +0", "E +1", "E +1", "given up +1"]);
        assert!(busy.is_off());
        let mut calm = watch(&["E"]);
        for n in 0..20 {
            let text = if n % 3 == 2 { "E\n" } else { "E\nE\n" };
            calm.look(text, start + INTERVAL * n);
        }
        assert!(!calm.is_off());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Where the output is cut does not matter, and memory is bounded.
        #[test]
        fn a_text_is_found_wherever_the_output_is_cut(
            before in "[a-z ]{0,9000}", after in "[a-z ]{0,50}", cuts in proptest::collection::vec(0usize..9100, 0..9),
        ) {
            let text = format!("{before}MARK{after}");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut watch = watch(&["MARK"]);
            let mut found = 0;
            for ends in cuts.windows(2) {
                let part = text.get(ends[0]..ends[1]).unwrap();
                found += watch.look(part, Instant::now()).len();
                prop_assert!(watch.line.len() <= LINE + 9100);
            }
            prop_assert_eq!(found, 1);
        }
    }
}
