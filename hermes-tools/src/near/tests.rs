//! Which names are near.

use super::*;

const TOOLS: [&str; 9] = [
    "memory",
    "patch",
    "process",
    "read_file",
    "search_files",
    "terminal",
    "web_extract",
    "web_search",
    "write_file",
];

fn near(unknown: &str) -> Vec<&'static str> {
    nearest(unknown, TOOLS.into_iter())
}

#[test]
fn what_other_agents_call_a_tool_leads_to_it_first() {
    for (unknown, meant) in [
        ("shell", "terminal"),
        ("bash", "terminal"),
        ("run_command", "terminal"),
        ("cat", "read_file"),
        ("grep", "search_files"),
        ("str_replace", "patch"),
        ("apply_patch", "patch"),
        ("google", "web_search"),
        ("search", "web_search"),
        ("fetch", "web_extract"),
        ("Edit", "patch"),
        ("WebFetch", "web_extract"),
    ] {
        assert_eq!(near(unknown).first(), Some(&meant), "{unknown}");
    }
}

#[test]
fn a_usual_name_leads_nowhere_when_its_tool_is_not_there() {
    assert_eq!(near("python"), Vec::<&str>::new());
    assert_eq!(nearest("shell", ["zoom"].into_iter()), Vec::<&str>::new());
}

#[test]
fn another_spelling_or_a_name_space_is_the_same_name() {
    for unknown in [
        "ReadFile",
        "readFile",
        "read-file",
        "READ_FILE",
        "functions.read_file",
        "default_api:read_file",
        "tools/read_file",
        "read_fileread_file",
        "raed_file",
        "read_fil",
    ] {
        assert_eq!(near(unknown).first(), Some(&"read_file"), "{unknown}");
    }
}

#[test]
fn what_is_like_nothing_gets_no_hint() {
    for unknown in ["zzz", "", "x", "...", "___", "🙂", &"a".repeat(10_240)] {
        assert_eq!(near(unknown), Vec::<&str>::new(), "{unknown:.20}");
    }
}

#[test]
fn at_most_three_names_come_back_and_always_the_same() {
    let names: Vec<String> = (0..200).map(|i| format!("mcp_server_tool_{i}")).collect();
    let once = nearest("mcp_server_tool_x", names.iter().map(String::as_str));
    assert_eq!(once.len(), 3);
    assert_eq!(
        nearest("mcp_server_tool_x", names.iter().map(String::as_str)),
        once
    );
}
