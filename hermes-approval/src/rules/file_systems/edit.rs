//! Edits and renames that leave nothing of what was there, or that go through everything.

use crate::grammar::OptValue;
use crate::look::Look;
use crate::removal::sweep;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::Word;

/// Editors that change files in place.
const EDITORS: &[&str] = &[
    "awk", "ed", "ex", "gawk", "gsed", "nvim", "perl*", "ruby*", "sed", "vi", "vim",
];

pub(super) const TO_NOTHING: Rule = Rule {
    id: "fs.edit-to-nothing",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("empty a file")],
    reason: "This edit takes every line out of the files, and keeps no copy of them.",
    alternative: Some("Keep a copy beside each file: `sed -i.bak 's/a/b/' notes.txt`."),
    test: Test::Program(EDITORS, |look| {
        (edits_in_place(look) && leaves_nothing(look)).then(|| look.hit())
    }),
    matches: &[
        "sed -i d users.csv",
        "sed -i '1,$d' *.csv",
        "sed -i -e 's/.*//' src/main.c",
        "sed -ni '' app.json",
        "sed -i '1!d' users.csv",
        "git ls-files | xargs sed -i 's/^.*$//g'",
        "perl -pi -e '$_=\"\"' *.py",
        "perl -i -ne '' app.json",
        "perl -p -i -e 's/.*//s' a.c",
        "ruby -i -ne '' app.json",
        "gawk -i inplace '{}' users.csv",
        "ex -sc '%d|x' users.csv",
        "vim -es -c ':%d' -c wq users.csv",
        "printf '%s\\n' ,d w q | ed -s users.csv",
        "ed -s users.csv <<< $'1,$d\\nw\\nq'",
    ],
    near_misses: &[
        "sed -i.bak d users.csv",
        "sed -i '/^#/d' users.csv",
        "sed -i '1d' users.csv",
        "sed -n '' a.txt",
        "sed d a.txt",
        "sed -i 's/.*x//' a.txt",
        "perl -pi -e 's/a/b/' a.txt",
    ],
    safe: &[
        "sed -i '/^$/d' notes.md",
        "sed -i 's/[ \\t]*$//' notes.md",
        "sed -ni '/keep/p' notes.md",
        "perl -i -ne 'print unless /x/' notes.md",
        "gawk -i inplace '{ print $1 }' notes.md",
        "awk '{}' notes.md",
        "ed -s notes.md <<< $'1d\\nw\\nq'",
    ],
    ..Rule::ASK
};

/// True for an edit in place that keeps no copy under another name.
fn edits_in_place(look: &Look<'_>) -> bool {
    match look.name {
        "awk" | "gawk" => look.has_word("inplace"),
        "ed" | "ex" | "nvim" | "vi" | "vim" => !look.operands().is_empty(),
        _ => look.options().options.iter().any(|o| {
            let suffix = o.value.and_then(OptValue::known).unwrap_or("");
            o.is('i', "in-place") && suffix.is_empty()
        }),
    }
}

/// True if no line is left, by the script.
fn leaves_nothing(look: &Look<'_>) -> bool {
    let mut scripts = scripts(look).into_iter();
    match look.name {
        "sed" | "gsed" => {
            let silent = look.has('n', "quiet") || look.has('\0', "silent");
            scripts.any(|s| {
                s.split([';', '\n', '{', '}'])
                    .any(|statement| deletes_all(statement.trim()))
                    || silent && !s.contains(['p', 'P', 'w', 'i', 'a', 'c', 'r', '='])
            })
        }
        "perl" | "ruby" => {
            let prints = look.has('p', "");
            scripts.any(|s| {
                s.split([';', '\n']).any(|s| empties_line(s.trim()))
                    || !prints && look.has('n', "") && !s.contains("print") && !s.contains("put")
            })
        }
        "awk" | "gawk" => scripts.any(|s| matches!(s.trim(), "{}" | "0" | "{next}" | "NR<0")),
        _ => scripts.any(|s| {
            s.split(['|', '\n'])
                .any(|order| deletes_all(order.trim().trim_start_matches(':')))
        }),
    }
}

/// The known scripts: values of `-e` and `-c`, orders behind `+`, what comes in for `ed`, or the
/// first operand.
fn scripts<'a>(look: &Look<'a>) -> Vec<&'a str> {
    let editor = matches!(look.name, "ed" | "ex" | "nvim" | "vi" | "vim");
    let mut found = Vec::new();
    for option in &look.options().options {
        let script = match editor {
            true => option.is('c', "cmd"),
            false => option.is('e', "expression") || option.is_short('E'),
        };
        if script {
            found.extend(option.value.and_then(OptValue::known));
        }
    }
    if editor {
        let orders = look.words().iter().filter_map(Word::known);
        found.extend(orders.filter_map(|text| text.strip_prefix('+')));
        found.extend(look.input());
    } else if found.is_empty() {
        let known = look.operands().iter().filter_map(|w| w.known());
        let operands: Vec<&str> = known.filter(|text| *text != "inplace").take(3).collect();
        // `sed -i '' SCRIPT FILE` of BSD has an empty word in front of the script.
        let at = usize::from(operands.len() > 2 && operands.first() == Some(&""));
        found.extend(operands.get(at));
    }
    found
}

/// Addresses of every line.
const ALL: &[&str] = &["", "%", ",", "1,$", "0,$", "1~1", "/.*/", "/^/", "/$/"];

/// Addresses of every line but one at an end.
const NEARLY_ALL: &[&str] = &["1!", "$!", "2,$", "1,$-1"];

/// `d`, `1,$d`, `s/.*//`
fn deletes_all(statement: &str) -> bool {
    if let Some(address) = statement.strip_suffix('d') {
        let address = address.trim();
        return ALL.contains(&address) || NEARLY_ALL.contains(&address);
    }
    let substitute = statement.trim_start_matches(['%', '1', ',', '$']);
    empties_line(substitute)
}

/// `s/.*//`, `$_ = ""`: nothing of a line is left.
fn empties_line(statement: &str) -> bool {
    let mut signs = statement.chars();
    if let (Some('s'), Some(mark)) = (signs.next(), signs.next())
        && !mark.is_alphanumeric()
    {
        let mut parts = signs.as_str().split(mark);
        let pattern = parts.next().unwrap_or("").trim_matches(['^', '$']);
        return matches!(pattern, ".*" | ".+" | ".\\+" | "[\\s\\S]*") && parts.next() == Some("");
    }
    let Some(value) = statement.strip_prefix("$_") else {
        return matches!(statement, "undef $_" | "undef");
    };
    let value = value.trim_start().strip_prefix('=').map(str::trim);
    matches!(value, Some("\"\"" | "''" | "q()" | "undef"))
}

pub(super) const EVERYTHING: Rule = Rule {
    id: "fs.edit-everything",
    class: "fs-find",
    severity: Severity::Medium,
    keys: &[Key::ours("edit everything that a search finds")],
    reason: "This edits every file below a folder, those of version control and binaries too.",
    alternative: Some("Name the kind of file: `find . -name '*.md' -exec sed -i 's/a/b/' {} +`."),
    test: Test::Program(
        &[
            "awk", "dos2unix", "ed", "ex", "gawk", "gsed", "perl*", "ruby*", "sed", "unix2dos",
            "vim",
        ],
        |look| {
            let by = look.repeated_by()?;
            let edits = look.name.contains("2") || edits_in_place(look);
            let wide = |i| sweep(look, i).is_some_and(|s| s.tree().is_some());
            let swept = edits && (wide(by) || look.scope.look(by).upstream().any(wide));
            swept.then(|| look.hit())
        },
    ),
    matches: &[
        "find . -type f -exec sed -i 's/a//g' {} +",
        "find . -type f | xargs sed -i 's/a/b/'",
        "find . -type f -print0 | xargs -0 perl -pi -e 's/a/b/'",
        "find . -type f -exec dos2unix {} +",
    ],
    near_misses: &[
        "find . -name '*.md' -exec sed -i 's/a/b/' {} +",
        "find . -type f -exec sed -n 1p {} +",
    ],
    safe: &[
        "find . -type f -name '*.md' -exec sed -i 's/[ \\t]*$//' {} +",
        "grep -rl a src | xargs sed -i 's/a/b/g'",
        "git ls-files '*.md' | xargs sed -i 's/a/b/'",
    ],
    ..Rule::ASK
};

pub(super) const RENAME: Rule = Rule {
    id: "fs.mass-rename",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("rename files over one another")],
    reason: "This gives many files new names, and overwrites what has such a name already.",
    alternative: Some("See the new names first: `rename -n 's/a/b/' *.txt`."),
    test: Test::Program(
        &[
            "file-rename",
            "mcp",
            "mmv",
            "perl-rename",
            "prename",
            "rename",
            "zcp",
            "zmv",
        ],
        renames,
    ),
    matches: &[
        "rename -f 's/.*/x/' *",
        "prename --force s/a/b/ *.txt",
        "rename 's/.*/x/' *.txt",
        "mmv -d '*' x",
        "mmv -o '*.txt' all",
        "zmv -f '*' x",
    ],
    near_misses: &["rename -n -f 's/.*/x/' *", "mmv '*.txt' '#1.md'"],
    safe: &[
        "rename 's/\\.htm$/.html/' *.htm",
        "rename .jpeg .jpg *.jpeg",
        "prename -v 's/ /_/g' *.mp3",
        "mmv -n '*.tar.gz' '#1.tgz'",
    ],
    ..Rule::ASK
};

fn renames(look: &Look<'_>) -> Option<Hit> {
    if look.has('n', "no-act") || look.has('\0', "dry-run") || look.has('\0', "nono") {
        return None;
    }
    let forced = match look.name {
        "mmv" | "mcp" => look.has('d', "delete") || look.has('o', "overwrite"),
        _ => look.has('f', "force"),
    };
    // `s/.*/x/`: one name for all.
    let one_name = look
        .operands()
        .first()
        .and_then(|w| w.known())
        .is_some_and(|s| {
            s.strip_prefix("s/").is_some_and(|s| {
                let pattern = s.split('/').next().unwrap_or("").trim_matches(['^', '$']);
                matches!(pattern, ".*" | ".+")
            }) && !s.contains(['$', '\\', '&'])
        });
    (forced || one_name).then(|| look.hit())
}

/// Programs that print what is in the files that they are given.
#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "awk", "cat", "cut", "expand", "fmt", "fold", "gawk", "grep", "head", "iconv", "jq", "nl", "perl*", "rev", "sed",
    "shuf", "sort", "tac", "tail", "uniq", "xmllint", "yq",
];

pub(super) const OWN_INPUT: Rule = Rule {
    id: "fs.overwrite-input",
    class: "fs-other",
    severity: Severity::Medium,
    keys: &[Key::ours("empty a file")],
    reason: "The shell empties the file before the command gets to read it.",
    alternative: Some("Write to another file first: `sort a.txt > a.new`."),
    test: Test::Program(FILTERS, |look| {
        let mut redirects = look.invocation.redirects.iter().filter(|r| r.truncates());
        let own = redirects.find_map(|r| {
            let target = r.target.as_ref()?;
            let path = target.known().filter(|path| !path.starts_with("/dev/"))?;
            let read = look.operands().iter().any(|w| w.known() == Some(path));
            read.then_some(target)
        })?;
        Some(look.hit_word(own))
    }),
    matches: &[
        "sort a.txt > a.txt",
        "sed 's/a/b/' a.txt > a.txt",
        "jq . a.json > a.json",
    ],
    near_misses: &["sort a.txt >> a.txt", "sort a.txt > b.txt"],
    safe: &["sort a.txt > b.txt", "cat a.txt > /dev/null"],
    ..Rule::ASK
};
