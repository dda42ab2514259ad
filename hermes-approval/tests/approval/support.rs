//! What the modules share.

use hermes_approval::{Analysis, AnalysisEnv, Invocation, Platform, analyse};

/// The environment that the corpus was recorded in.
pub(crate) fn env() -> AnalysisEnv {
    AnalysisEnv::new("/home/agent")
}

pub(crate) fn posix(text: &str) -> Analysis<'_> {
    analyse(text, &env(), Platform::Posix)
}

/// The words of an invocation; an unknown piece is `?`, alternatives stand in `{a|b}`.
pub(crate) fn line(invocation: &Invocation) -> String {
    let words: Vec<String> = invocation
        .argv
        .iter()
        .map(|word| {
            if !word.alternatives().is_empty() {
                return format!("{{{}}}", word.alternatives().join("|"));
            }
            if word.known().is_some() {
                return word.text().to_owned();
            }
            word.parts()
                .iter()
                .map(|part| match &part.kind {
                    hermes_approval::PartKind::Unknown(_) => "?",
                    _ => word.part_text(part),
                })
                .collect()
        })
        .collect();
    words.join(" ")
}

pub(crate) fn lines(analysis: &Analysis<'_>) -> Vec<String> {
    analysis.invocations().iter().map(line).collect()
}

/// The lines of a text's invocations, those without words left out.
pub(crate) fn commands(text: &str) -> Vec<String> {
    lines(&posix(text))
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect()
}

/// Checks a table: a text, and the invocations that come out.
pub(crate) fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(&commands(text), expected, "{text}");
    }
}

/// Checks that the last invocation of each text is this one.
pub(crate) fn check_last(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(
            commands(text).last().map(String::as_str),
            Some(*expected),
            "{text}"
        );
    }
}

/// Every span of an analysis lies in the text, on character boundaries.
pub(crate) fn check_spans(analysis: &Analysis<'_>) {
    let text = analysis.original;
    let valid = |start: usize, end: usize| {
        assert!(
            text.get(start..end).is_some(),
            "span {start}..{end} of {text:?}"
        );
    };
    for invocation in analysis.invocations() {
        valid(invocation.span.start, invocation.span.end);
        for word in invocation.argv.iter() {
            valid(word.span.start, word.span.end);
            for part in word.parts() {
                assert!(
                    word.text().is_char_boundary(word.text().len())
                        && word.part_text(part).len() <= word.text().len()
                );
            }
        }
        for redirect in &invocation.redirects {
            valid(redirect.span.start, redirect.span.end);
        }
    }
    for pipeline in analysis.pipelines() {
        valid(pipeline.span.start, pipeline.span.end);
    }
    for hidden in &analysis.hidden {
        valid(hidden.span.start, hidden.span.end);
    }
    if let hermes_approval::Coverage::Partial(holes) = &analysis.coverage {
        holes
            .iter()
            .for_each(|hole| valid(hole.span.start, hole.span.end));
    }
}
