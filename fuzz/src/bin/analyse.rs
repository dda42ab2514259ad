//! Any text is analysed in every command language, with spans that lie in it.
#![no_main]

use hermes_approval::{AnalysisEnv, Platform, analyse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let env = AnalysisEnv::new("/home/sam");
    for platform in [Platform::Posix, Platform::Cmd, Platform::PowerShell] {
        let analysis = analyse(text, &env, platform);
        for invocation in analysis.invocations() {
            let words = invocation.argv.iter().map(|word| word.span);
            for span in words.chain([invocation.span]) {
                assert!(text.get(span.start..span.end).is_some(), "{span:?}");
            }
        }
    }
});
