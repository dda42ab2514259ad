//! What the scan makes of texts.

use proptest::prelude::*;

use super::{Ending, SimpleCommand, commands};

fn shown(text: &str) -> String {
    let show = |command: &SimpleCommand| {
        let ending = match command.ending {
            Ending::Done => "",
            Ending::Background => " &",
            Ending::Pipe => " |",
            Ending::Condition => " &&",
        };
        format!("[{}]{ending}", command.words.join("·"))
    };
    let shown: Vec<String> = commands(text).iter().map(show).collect();
    shown.join(" ")
}

#[test]
fn commands_are_found_and_data_is_not() {
    for (text, wanted) in [
        ("ls -la /tmp", "[ls·-la·/tmp]"),
        ("a; b\nc", "[a] [b] [c]"),
        ("a && b || c | d |& e", "[a] && [b] && [c] | [d] | [e]"),
        ("sleep 5 &", "[sleep·5] &"),
        ("sleep 5& echo", "[sleep·5] & [echo]"),
        ("(sleep 5) &", "[sleep·5] &"),
        ("(a; b &)", "[a] [b] &"),
        (
            "echo 'a & b' \"c & $(d & e) \\\" f\" g\\&",
            "[echo·a & b·c & $(d & e) \" f·g&]",
        ),
        (
            "echo $(a & b) `c & d` ${x:-\"y & z\"}",
            "[echo·$(a & b)·`c & d`·${x:-\"y & z\"}]",
        ),
        ("a >x 2>&1 &>y b >&2 c", "[a·b·c]"),
        ("a 2>&1 &", "[a] &"),
        ("a <<< 'b & c' d", "[a·d]"),
        ("cat <<E; b\nc &\nE\nd", "[cat] [b] [d]"),
        ("cat <<-'E F' x\n\tc &\n\tE F\nd", "[cat·x] [d]"),
        ("diff <(a & b) >(c)", "[diff·<(a & b)·>(c)]"),
        ("a # b & c\nd", "[a] [d]"),
        ("a#b", "[a#b]"),
        ("a \\\n b", "[a·b]"),
        ("echo 'never closed & x", "[echo·never closed & x]"),
        ("", ""),
        ("&&& ;; ||", ""),
    ] {
        assert_eq!(shown(text), wanted, "{text:?}");
    }
}

#[test]
fn long_texts_of_anything_take_time_in_proportion() {
    for piece in [
        "$(", "`", "\"", "'", "(", "<<E\n", "a&", "\\", "${", "<(", "x ",
    ] {
        let text = piece.repeat(300_000);
        assert!(commands(&text).len() <= 300_001);
    }
}

proptest! {
    #[test]
    fn quoted_words_come_back_as_they_were(words in proptest::collection::vec("[^']{0,12}", 1..6)) {
        let text: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let found = commands(&text.join(" "));
        prop_assert_eq!(found, [SimpleCommand { words, ending: Ending::Done }]);
    }

    #[test]
    fn any_text_can_be_scanned(text in "[a&|;<>()'\"`$\\\\{}#\n -]{0,60}") {
        commands(&text);
    }
}
