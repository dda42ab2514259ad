//! Walks up process tables that are written down.

use std::ffi::OsString;

use super::{Process, listed, walk};

fn table(rows: &[(u32, u32, &str)]) -> impl FnMut(u32) -> Option<Process> {
    let rows: Vec<_> = rows
        .iter()
        .map(|(pid, parent, text)| (*pid, *parent, (*text).to_owned()))
        .collect();
    move |pid| {
        let (_, parent, text) = rows.iter().find(|(id, ..)| *id == pid)?;
        Some(Process {
            parent: *parent,
            arguments: text.split(' ').map(OsString::from).collect(),
        })
    }
}

#[test]
fn a_runner_anywhere_above_is_found() {
    let mut look = table(&[
        (1, 0, "/sbin/init"),
        (10, 1, "/usr/bin/cargo test -p x"),
        (20, 10, "/bin/sh -c hermesctl"),
        (30, 20, "hermesctl db check"),
    ]);
    let walk = walk(30, &mut look);
    assert!(walk.found.is_some() && walk.complete);
}

#[test]
fn a_walk_that_comes_to_the_top_without_a_runner_is_complete() {
    let mut look = table(&[(1, 0, "/sbin/init"), (30, 1, "hermesctl search cargo test")]);
    let walk = walk(30, &mut look);
    assert!(walk.found.is_none() && walk.complete);
}

#[test]
fn a_walk_that_meets_a_hidden_process_is_not_complete_and_finds_nothing() {
    let mut look = table(&[(20, 10, "/bin/sh"), (30, 20, "hermesctl")]);
    let walk = walk(30, &mut look);
    assert!(walk.found.is_none() && !walk.complete);
}

#[test]
fn a_table_that_goes_round_in_circles_ends() {
    let mut look = table(&[(20, 30, "/bin/sh"), (30, 20, "hermesctl")]);
    let walk = walk(30, &mut look);
    assert!(walk.found.is_none() && !walk.complete);
}

#[test]
fn the_list_of_ps_is_read() {
    let mut table = listed(
        "    1     0 /sbin/launchd\n  412     1 cargo nextest run\n\n x y\n  500   412 target/debug/x\n",
    );
    assert_eq!(table.len(), 3);
    let walk = walk(500, &mut |pid| table.remove(&pid));
    assert!(walk.found.is_some());
}
