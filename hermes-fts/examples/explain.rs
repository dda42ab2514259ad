//! Prints how a query is read: `cargo run --example explain -- 'docker-compose NOT "old way"'`

use hermes_fts::{Expr, MAX_QUERY_CHARS, Plan, Term, TermKind, sanitize};

fn main() {
    let input = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let query = sanitize(&input);
    println!("input       {input}");
    if query.truncated() {
        println!("            (only the first {MAX_QUERY_CHARS} characters are read)");
    }
    println!("expression  {query}");
    match query.plan() {
        Plan::Nothing => println!("plan        nothing to search for"),
        Plan::Words => println!("plan        word index"),
        Plan::Trigram(expression) => println!("plan        trigram index: {expression}"),
        Plan::Scan => println!("plan        scan of the rows"),
        other => println!("plan        {other:?}"),
    }
    if let Some(tree) = query.tree() {
        println!("asks for");
        print(tree, 1);
    }
}

fn print(expr: &Expr, depth: usize) {
    let indent = "  ".repeat(depth);
    let list = |title: &str, parts: &[&Expr]| {
        println!("{indent}{title}");
        parts.iter().for_each(|part| print(part, depth + 1));
    };
    match expr {
        Expr::Term(term) => println!("{indent}{}", describe(term)),
        Expr::And(parts) => list("all of", &parts.iter().collect::<Vec<_>>()),
        Expr::Or(parts) => list("one of", &parts.iter().collect::<Vec<_>>()),
        Expr::Not(wanted, unwanted) => {
            list("this", &[wanted]);
            list("but not", &[unwanted]);
        }
        other => println!("{indent}{other:?}"),
    }
}

fn describe(term: &Term) -> String {
    let kind = match term.kind() {
        TermKind::Word => "word",
        TermKind::Phrase => "phrase",
    };
    let open = if term.is_prefix() { ", may go on" } else { "" };
    format!("{kind} {}{open}", term.text())
}
