//! Any text is judged; quoted, it is data; behind a wrapper, it is judged no better.
#![no_main]

use hermes_approval::{AnalysisEnv, Decision, Platform, analyse, assess, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let env = AnalysisEnv::new("/home/sam");
    for platform in [Platform::Posix, Platform::Cmd, Platform::PowerShell] {
        if let Some(span) = assess(text, &env, platform).span {
            assert!(
                text.get(span.start..span.end).is_some(),
                "{span:?} of {text:?}"
            );
        }
    }
    // As a POSIX shell reads it: `Remove-Item` behind `sh -c` removes nothing.
    let judged = |text: &str| judge(&analyse(text, &env, Platform::Posix), &env).decision;
    let plain = judged(text);
    // Signs that a terminal acts on are never plain data.
    if text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
        || !text.is_ascii()
    {
        return;
    }
    let quoted = text.replace('\'', "'\\''");
    assert_eq!(
        judged(&format!("echo '{quoted}'")),
        Decision::Allow,
        "{text:?}"
    );
    // `eval` and not `sh -c`: a shell of its own has no `"$@"`, and takes a leading `-` for its own.
    let wrapped = judged(&format!("eval '{quoted}'"));
    assert!(
        wrapped >= plain,
        "{wrapped:?} behind `eval`, {plain:?} by itself: {text:?}"
    );
});
