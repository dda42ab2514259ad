//! What it costs to tell what to try: for words mistyped at every place, common and rare.

use std::time::Instant;

use hermes_state::{SearchOptions, Store};

use crate::report::{Report, ms, percentile};
use crate::workload::{self, Generator};

/// Words that are mistyped, one of so many, the most common first.
const WORDS: usize = 12;
const STEP: usize = 40;

pub(crate) fn run(report: &mut Report) {
    let store = Store::open_read_only(workload::big()).unwrap();
    let generator = Generator::new(1);
    let words = generator.latin_words().iter().step_by(STEP);
    let words: Vec<&String> = words.filter(|word| word.len() > 4).take(WORDS).collect();
    let (mut times, mut counting, mut right, mut asked) = (Vec::new(), Vec::new(), 0, 0);
    for word in words {
        for at in 0..word.len() - 1 {
            let mut typed: Vec<char> = word.chars().collect();
            typed.swap(at, at + 1);
            let options = SearchOptions::new(String::from_iter(typed));
            if store.search_count(&options).unwrap().count > 0 {
                continue;
            }
            let began = Instant::now();
            let found = store.search_suggestions(&options).unwrap();
            times.push(began.elapsed());
            asked += 1;
            right += usize::from(found.queries.iter().any(|query| query.query == **word));
            let began = Instant::now();
            for query in &found.queries {
                store
                    .search_count(&SearchOptions::new(&*query.query))
                    .unwrap();
            }
            counting.push(began.elapsed());
        }
    }
    println!("   {right} of {asked} mistyped words are put right");
    report.note(
        "suggestions for a mistyped word: p50",
        ms(percentile(&times, 50)),
        "ms",
    );
    report.note(
        "suggestions for a mistyped word: p95",
        ms(percentile(&times, 95)),
        "ms",
    );
    report.note(
        "  of that counting what they find: p50",
        ms(percentile(&counting, 50)),
        "ms",
    );
    report.note(
        "  of that counting what they find: p95",
        ms(percentile(&counting, 95)),
        "ms",
    );
}
