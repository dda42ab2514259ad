//! Well-formed scripts: the scanner understands all of them, and finds the commands that another
//! parser finds.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_approval::{Coverage, Gap, Source, Span, corpus};
use tree_sitter::{Node, Parser};

use crate::support::posix;

/// Where systems keep shell scripts.
const FOLDERS: &[&str] = &[
    "/bin",
    "/etc",
    "/opt",
    "/sbin",
    "/usr/bin",
    "/usr/lib",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
];
const DEEPEST: usize = 5;
const LONGEST: u64 = 256 << 10;
const MOST: usize = 400;

/// The shell scripts of this machine that bash accepts.
fn scripts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        collect(Path::new(folder), DEEPEST, &mut found);
    }
    found.sort();
    found.dedup_by(|a, b| a.1 == b.1);
    found.truncate(MOST);
    found.retain(|(_, text)| bash_accepts(text));
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() && depth > 0 {
            collect(&path, depth - 1, found);
        } else if kind.is_file() && found.len() < 2 * MOST {
            found.extend(script(&path).map(|text| (path, text)));
        }
    }
}

fn script(path: &Path) -> Option<String> {
    if path.metadata().ok()?.len() > LONGEST {
        return None;
    }
    let text = String::from_utf8(std::fs::read(path).ok()?).ok()?;
    let first = text.lines().next()?.strip_prefix("#!")?;
    let program = first.split_whitespace().next_back()?.rsplit('/').next()?;
    matches!(program, "sh" | "bash" | "dash").then_some(text)
}

/// Commands that people type, of the testdata: bash accepts them, too.
fn typed() -> Vec<String> {
    let rows = corpus::read(&testdata::working_day()).unwrap();
    let texts = rows.into_iter().map(|row| row.command);
    texts.filter(|text| !text.contains('\0')).collect()
}

/// `bash -n` says nothing against it.
fn bash_accepts(text: &str) -> bool {
    let child = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return false;
    };
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output.status.success() && output.stderr.is_empty()
}

fn no_scripts(found: usize) -> bool {
    if found == 0 {
        eprintln!("nothing was compared: this machine has no bash, or no shell scripts");
    }
    found == 0
}

#[test]
fn scripts_that_bash_accepts_are_understood() {
    let scripts = scripts();
    if no_scripts(scripts.len()) {
        return;
    }
    let mut wrong = Vec::new();
    for (path, text) in &scripts {
        match posix(text).coverage {
            Coverage::Full => {}
            // Code of another language in it, that decides at run time what it does.
            Coverage::Partial(holes) if holes.iter().all(|h| h.gap == Gap::DynamicCode) => {}
            Coverage::Partial(holes) => {
                let hole = holes.iter().find(|h| h.gap != Gap::DynamicCode);
                let hole = hole.unwrap();
                let at = hole.span.start;
                let near: String = text
                    .get(at.saturating_sub(30)..)
                    .unwrap_or(&text[at..])
                    .chars()
                    .take(90)
                    .collect();
                wrong.push(format!("{}: {:?} near {near:?}", path.display(), hole.gap));
            }
            other => wrong.push(format!("{}: {other:?}", path.display())),
        }
    }
    println!("{} scripts", scripts.len());
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        scripts.len(),
        wrong.join("\n")
    );
}

/// The names of the programs that are called, and where they stand in the text.
type Calls = BTreeSet<(usize, String)>;

/// What tree-sitter's grammar of bash finds; none if it can't parse the text.
fn theirs(text: &str) -> Option<Calls> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    let tree = parser.parse(text, None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut calls = Calls::new();
    let mut left = vec![tree.root_node()];
    while let Some(node) = left.pop() {
        // Now and then it takes a piece of a word for a command: `[ -f $a/.$b.c ]`.
        let whole = !text[..node.start_byte()].ends_with('$');
        if whole && node.kind() == "command_name" {
            let name = plain(&text[node.byte_range()]);
            calls.extend(name.map(|name| (node.start_byte(), name)));
        }
        left.extend((0..node.child_count()).filter_map(|n| child(node, n)));
    }
    Some(calls)
}

fn child(node: Node<'_>, n: usize) -> Option<Node<'_>> {
    node.child(u32::try_from(n).ok()?)
}

/// What the analysis finds in the text itself, not in texts that its commands run: names, and where
/// they stand. In backticks with backslashes that is the whole of the backticks.
fn ours(text: &str) -> Vec<(Span, String)> {
    let analysis = posix(text);
    let all = analysis.invocations().iter();
    let typed = all.filter(|i| i.source == Source::Typed && i.parent.is_none());
    let programs = typed.filter_map(hermes_approval::Invocation::program);
    programs
        .filter_map(|word| Some((word.span, plain(word.known()?)?)))
        .collect()
}

/// A name without quotes and expansions. What one of the two takes for a keyword is left out, and
/// what the other parser takes for a name where its grammar is at a loss.
fn plain(name: &str) -> Option<String> {
    let letter = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    let keywords = [
        "coproc", "declare", "do", "done", "esac", "export", "fi", "for", "if", "local",
        "readonly", "test", "then", "time", "typeset", "unset",
    ];
    let counts = name.starts_with(|c: char| !c.is_ascii_digit())
        && name.chars().all(letter)
        && !keywords.contains(&name);
    counts.then(|| name.to_owned())
}

#[test]
fn the_commands_that_another_parser_finds_in_well_formed_texts_are_found() {
    let scripts = scripts()
        .into_iter()
        .map(|(path, text)| (path.display().to_string(), text));
    let typed = typed().into_iter().map(|text| (text.clone(), text));
    let (mut compared, mut wrong, mut more) = (0, Vec::new(), Vec::new());
    for (name, text) in scripts.chain(typed) {
        let Some(theirs) = theirs(&text) else {
            continue;
        };
        compared += 1;
        let ours = ours(&text);
        let missed: Vec<_> = theirs
            .iter()
            .filter(|(at, name)| {
                let same = |(span, own): &(Span, String)| {
                    own == name && span.start <= *at && *at < span.end
                };
                !ours.iter().any(same)
            })
            .collect();
        if !missed.is_empty() {
            wrong.push(format!("{name}: {missed:?}"));
        }
        let names: Vec<_> = theirs.iter().map(|(_, name)| name).collect();
        let new = |(span, name): &(Span, String)| span.of(&text) == name && !names.contains(&name);
        if ours.iter().any(new) {
            more.push(name);
        }
    }
    println!(
        "{compared} texts compared; it misses something in {}: {more:?}",
        more.len()
    );
    assert!(compared > 3000, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} of {compared}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // Its grammar loses its way now and then.
    assert!(more.len() * 100 < compared, "{more:?}");
}
