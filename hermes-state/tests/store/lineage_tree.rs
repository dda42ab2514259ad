//! The whole tree that a session is in.

use hermes_state::{Error, Lineage, Relation, Store};
use testdata::fixture;

use crate::support::newer::{Planted, empty_v22};
use crate::support::{Home, raw};

fn told(lineage: &Lineage) -> Vec<(&str, usize, Option<Relation>)> {
    let nodes = lineage.sessions.iter();
    nodes
        .map(|node| (node.id.as_str(), node.depth, node.relation))
        .collect()
}

#[test]
fn a_tree_is_the_same_from_wherever_in_it_one_looks() {
    let fixture = fixture("v11.db");
    let store = Store::open_read_only(fixture.path()).unwrap();
    let chain = [
        ("20251101_090000_root01", 0, None),
        ("20251101_100000_cmp002", 1, Some(Relation::Compression)),
        ("20251101_110000_tip003", 2, Some(Relation::Compression)),
    ];
    for (id, ..) in chain {
        let lineage = store.lineage(id).unwrap();
        assert_eq!(told(&lineage), chain);
        assert_eq!(lineage.compression_tip.as_str(), "20251101_110000_tip003");
        assert_eq!(lineage.resume_target.as_str(), id, "it has messages itself");
    }
    let branched = store.lineage("20251102_080100_branch").unwrap();
    assert_eq!(
        told(&branched),
        [
            ("20251102_080000_broot1", 0, None),
            ("20251102_080100_branch", 1, Some(Relation::Branch)),
        ]
    );
    let helpers = store.lineage("20251103_080000_orch01").unwrap();
    assert!(
        told(&helpers)[1..]
            .iter()
            .all(|node| node.2 == Some(Relation::Delegate))
    );
    assert!(matches!(
        store.lineage("nobody"),
        Err(Error::UnknownSession { .. })
    ));
}

#[test]
fn newer_stores_tell_by_their_marks() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    let planted = |id, parent, started, ended, model_config| {
        Planted {
            id,
            parent,
            started,
            ended,
            model_config,
            messages: &[1.0],
            ..Planted::default()
        }
        .into(&store);
    };
    planted("root", None, 1.0, Some((9.0, "compression")), None);
    planted(
        "helper",
        Some("root"),
        2.0,
        None,
        Some("{\"_delegate_from\": \"root\"}"),
    );
    planted(
        "branch",
        Some("root"),
        3.0,
        None,
        Some("{\"_branched_from\": \"root\"}"),
    );
    planted("next", Some("root"), 4.0, None, None);
    planted("child", Some("next"), 5.0, None, Some("no JSON"));
    let lineage = store.lineage("branch").unwrap();
    assert_eq!(
        told(&lineage),
        [
            ("root", 0, None),
            ("helper", 1, Some(Relation::Delegate)),
            ("branch", 1, Some(Relation::Branch)),
            ("next", 1, Some(Relation::Compression)),
            ("child", 2, Some(Relation::Child)),
        ]
    );
}

/// LIN-21: parents of each other end every walk, and each is there once.
#[test]
fn sessions_that_are_each_others_parents_are_each_there_once() {
    let home = Home::new();
    let store = home.store();
    for (id, started) in [("a", 1.0), ("b", 2.0)] {
        Planted {
            id,
            started,
            ended: Some((3.0, "compression")),
            ..Planted::default()
        }
        .into(&store);
    }
    raw(store.path())
        .execute_batch(
            "UPDATE sessions SET parent_session_id = CASE id WHEN 'a' THEN 'b' ELSE 'a' END",
        )
        .unwrap();
    for id in ["a", "b"] {
        let mut ids: Vec<String> = store
            .lineage(id)
            .unwrap()
            .sessions
            .into_iter()
            .map(|node| node.id.to_string())
            .collect();
        ids.sort();
        assert_eq!(ids, ["a", "b"]);
    }
}

#[test]
fn a_chain_of_thousands_is_no_trouble() {
    let home = Home::new();
    let store = home.store();
    raw(store.path())
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
             INSERT INTO sessions (id, source, started_at, parent_session_id)
             SELECT 's' || i, 'cli', i, CASE i WHEN 0 THEN NULL ELSE 's' || (i - 1) END FROM n",
        )
        .unwrap();
    let lineage = store.lineage("s2500").unwrap();
    assert_eq!(lineage.sessions.len(), 5_000);
    assert_eq!(lineage.sessions.last().unwrap().depth, 4_999);
}
