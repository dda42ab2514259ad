//! Any text is normalised, with a map that leads back into it.
#![no_main]

use hermes_approval::normalise;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let normalised = normalise(text);
    for hidden in normalised.hidden() {
        assert!(text.get(hidden.span.start..hidden.span.end).is_some());
    }
    let mut last = 0;
    for (at, letter) in normalised.text().char_indices() {
        let span = normalised.original(at, at + letter.len_utf8());
        assert!(text.get(span.start..span.end).is_some(), "{span:?}");
        assert!(span.start >= last, "the map turns back at {at}");
        last = span.start;
    }
});
