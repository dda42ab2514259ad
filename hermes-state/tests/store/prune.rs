//! Prune: which sessions go, and what is left alone.

use std::ops::ControlFlow;

use hermes_state::{
    Age, Archived, AutoPrune, DeleteOptions, Error, NewMessage, NewSession, PruneFilter, Retention,
    SessionId, Store,
};

use crate::deleting::{go_on, talk};
use crate::support::child::{Process, spawn};
use crate::support::{Home, ask, assert_index_whole, content_of, messages_of, raw};

const DAY: f64 = 86_400.0;
const NOW: f64 = 1_800_000_000.0;

/// An ended session that began so many days ago, with one message at its start.
fn old(store: &Store, id: &str, days: f64) {
    old_of(store, id, "cli", days);
}

fn old_of(store: &Store, id: &str, source: &str, days: f64) {
    let time = NOW - days * DAY;
    store
        .create_session(&NewSession::new(id, source).started_at(time))
        .unwrap();
    store
        .append_message(&NewMessage::new(id, "user").content("hi").timestamp(time))
        .unwrap();
    set(
        store,
        id,
        &format!("ended_at = {time:?}, end_reason = 'user_exit'"),
    );
}

fn set(store: &Store, id: &str, what: &str) {
    raw(store.path())
        .execute(&format!("UPDATE sessions SET {what} WHERE id = ?1"), [id])
        .unwrap();
}

fn meant(store: &Store, filter: &PruneFilter) -> Vec<String> {
    let found = store.prune_candidates(filter).unwrap();
    found.sessions.iter().map(|s| s.id.to_string()).collect()
}

fn pruned(store: &Store, filter: &PruneFilter) -> Vec<String> {
    let done = store
        .prune(filter, &DeleteOptions::new(), &mut go_on)
        .unwrap();
    done.ids.iter().map(SessionId::to_string).collect()
}

#[test]
fn exp_04_the_old_half_of_a_chain_goes_and_the_rest_hangs_together() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for (n, days) in [200.0, 200.0, 200.0, 1.0, 0.5].iter().enumerate() {
        let mut new = NewSession::new(format!("k{n}"), "cli").started_at(NOW - days * DAY);
        if n > 0 {
            new = new.parent(format!("k{}", n - 1));
        }
        store.create_session(&new).unwrap();
        set(
            &store,
            &format!("k{n}"),
            &format!(
                "ended_at = {:?}, end_reason = 'compression'",
                NOW - days * DAY + 1.0
            ),
        );
    }
    let filter = PruneFilter::new().older_than_days(90.0);
    assert_eq!(meant(&store, &filter), ["k0", "k1", "k2"]);
    assert_eq!(pruned(&store, &filter), ["k0", "k1", "k2"]);
    let parent = |id: &str| store.session(id).unwrap().unwrap().parent_session_id;
    assert_eq!((parent("k3"), parent("k4").as_deref()), (None, Some("k3")));
}

#[test]
fn exp_09_a_session_with_recent_activity_is_kept_if_age_is_judged_by_it() {
    let home = Home::new();
    let store = home.store_at(NOW);
    old(&store, "ended yesterday", 200.0);
    set(
        &store,
        "ended yesterday",
        &format!("ended_at = {:?}", NOW - DAY),
    );
    old(&store, "spoken today", 200.0);
    store
        .append_message(
            &NewMessage::new("spoken today", "user")
                .content("again")
                .timestamp(NOW - 60.0),
        )
        .unwrap();
    old(&store, "quiet", 200.0);
    let filter = PruneFilter::new()
        .older_than_days(90.0)
        .age_by(Age::Activity);
    assert_eq!(pruned(&store, &filter), ["quiet"]);
    // As Hermes does.
    assert_eq!(
        meant(&store, &PruneFilter::new().older_than_days(90.0)).len(),
        2
    );
}

#[test]
fn exp_10_a_session_that_has_not_ended_is_never_pruned() {
    let home = Home::new();
    let store = home.store_at(NOW);
    store
        .create_session(&NewSession::new("open", "cli").started_at(0.0))
        .unwrap();
    for days in [1.0, 0.0] {
        let filter = PruneFilter::new().older_than_days(days);
        assert!(pruned(&store, &filter).is_empty());
    }
    assert!(pruned(&store, &PruneFilter::new()).is_empty());
}

#[test]
fn exp_19_a_retention_that_is_none_deletes_nothing() {
    let home = Home::new();
    let store = home.store_at(NOW);
    old(&store, "old", 400.0);
    for days in ["99999", "0"] {
        let mut policy = AutoPrune::default();
        policy.retention = days.parse().unwrap();
        policy.min_interval_hours = 0.0;
        let done = store.auto_prune(&policy, &mut go_on).unwrap();
        assert_eq!(done.deleted.ids, [], "{days}");
    }
    for days in ["-1", "abc", "", "nan", "inf", "1e999"] {
        assert!(
            matches!(days.parse::<Retention>(), Err(Error::Invalid { .. })),
            "{days}"
        );
    }
    for days in [-1.0, f64::NAN, f64::INFINITY] {
        let filter = PruneFilter::new().older_than_days(days);
        let outcome = store.prune(&filter, &DeleteOptions::new(), &mut go_on);
        assert!(matches!(outcome, Err(Error::Invalid { .. })), "{days}");
    }
    assert!(store.session("old").unwrap().is_some());
}

#[test]
fn every_filter_means_what_it_says() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for (n, id) in ["a", "b", "c", "d"].iter().enumerate() {
        old(&store, id, 10.0 * (n + 1) as f64);
    }
    set(
        &store,
        "a",
        "title = '50% done_deal', model = 'Hermes-4-70B', billing_provider = 'nous', user_id = 'u1'",
    );
    set(
        &store,
        "b",
        "title = '500 doneXdeal', model = 'hermes_4', end_reason = 'compression', input_tokens = 10, output_tokens = 5",
    );
    set(
        &store,
        "c",
        "source = 'cron', message_count = NULL, input_tokens = NULL, output_tokens = 3, estimated_cost_usd = 2.0, tool_call_count = NULL",
    );
    set(
        &store,
        "d",
        "message_count = 40, actual_cost_usd = 0.5, estimated_cost_usd = 9, tool_call_count = 6",
    );
    let all = PruneFilter::new;
    let cases: Vec<(&str, PruneFilter, &[&str])> = vec![
        ("age", all().older_than_days(25.0), &["d", "c"]),
        ("before", all().started_before(NOW - 30.0 * DAY), &["d"]),
        ("after", all().started_after(NOW - 20.0 * DAY), &["b", "a"]),
        ("source", all().source("cron"), &["c"]),
        (
            "sources",
            all().source("cron").source("cli"),
            &["d", "c", "b", "a"],
        ),
        ("no source", all().exclude_source("cli"), &["c"]),
        ("title", all().title_like("DONE"), &["b", "a"]),
        ("percent", all().title_like("50%"), &["a"]),
        ("underscore", all().title_like("done_deal"), &["a"]),
        ("model", all().model_like("s_4"), &["b"]),
        ("reason", all().end_reason("compression"), &["b"]),
        ("provider", all().provider("nous"), &["a"]),
        ("user", all().user_id("u1"), &["a"]),
        ("min messages", all().min_messages(2.0), &["d"]),
        ("max messages", all().max_messages(1.0), &["c", "b", "a"]),
        ("min tokens", all().min_tokens(3.0), &["c", "b"]),
        ("max tokens", all().max_tokens(3.0), &["d", "c", "a"]),
        ("min cost", all().min_cost(0.6), &["c"]),
        ("max cost", all().max_cost(0.5), &["d", "b", "a"]),
        ("min tools", all().min_tool_calls(1.0), &["d"]),
        ("max tools", all().max_tool_calls(0.0), &["c", "b", "a"]),
        (
            "both",
            all().source("cli").max_messages(1.0).older_than_days(15.0),
            &["b"],
        ),
    ];
    for (name, filter, expected) in &cases {
        assert_eq!(meant(&store, filter), *expected, "{name}");
    }
    for filter in [
        all().cwd_prefix("/x"),
        all().branch_like("x"),
        all().chat_id("x"),
        all().chat_type("x"),
        all().archived(Archived::Only),
    ] {
        let outcome = store.prune_candidates(&filter);
        assert!(
            matches!(outcome, Err(Error::Unsupported { found: 11, .. })),
            "{filter:?}"
        );
    }
    for (name, filter, expected) in cases {
        let home = Home::new();
        store.snapshot(home.path()).unwrap();
        assert_eq!(pruned(&home.store_at(NOW), &filter), expected, "{name}");
    }
}

#[test]
fn archived_sessions_and_delegates_are_pruned_only_if_asked_for() {
    // Q30.
    let fixture = testdata::fixture("v22.db");
    raw(fixture.path())
        .execute_batch("UPDATE sessions SET ended_at = NULL")
        .unwrap();
    let store = hermes_state::StoreOptions::new()
        .clock(|| NOW)
        .open(fixture.path())
        .unwrap();
    for id in ["plain", "archived", "delegate", "orphan", "running"] {
        old(&store, id, 100.0);
    }
    set(
        &store,
        "plain",
        "cwd = '/work/a_b', git_branch = 'feature/x', chat_id = 'c1', chat_type = 'group'",
    );
    set(&store, "archived", "archived = 1, cwd = '/work/aXb/deep'");
    set(
        &store,
        "delegate",
        r#"parent_session_id = 'plain', model_config = '{"_delegate_from": "plain"}'"#,
    );
    set(
        &store,
        "running",
        r#"parent_session_id = 'plain', ended_at = NULL, model_config = '{"_delegate_from": "plain"}'"#,
    );
    set(
        &store,
        "orphan",
        r#"model_config = '{"_delegate_from": "__orphaned__"}'"#,
    );
    let filter = PruneFilter::new().older_than_days(90.0);
    let found = store.prune_candidates(&filter).unwrap();
    assert_eq!(found.sessions.len(), 1);
    assert_eq!(found.sessions[0].delegates, [SessionId::new("delegate")]);
    assert_eq!(
        (found.messages, found.sessions[0].archived),
        (2, Some(false))
    );
    assert_eq!(
        meant(&store, &filter.clone().archived(Archived::Only)),
        ["archived"]
    );
    assert_eq!(
        meant(&store, &filter.clone().archived(Archived::Include)),
        ["plain", "archived"]
    );
    assert_eq!(
        meant(&store, &filter.clone().with_delegates()),
        ["plain", "delegate", "orphan"]
    );
    for (filter, expected) in [
        (filter.clone().cwd_prefix("/work/a_b"), vec!["plain"]),
        (filter.clone().cwd_prefix("/work/"), vec!["plain"]),
        (filter.clone().cwd_prefix("/work/a"), vec![]),
        (filter.clone().branch_like("URE/"), vec!["plain"]),
        (
            filter.clone().chat_id("c1").chat_type("group"),
            vec!["plain"],
        ),
        (filter.clone().chat_id("c2"), vec![]),
    ] {
        assert_eq!(meant(&store, &filter), expected, "{filter:?}");
    }
    assert_eq!(pruned(&store, &filter), ["delegate", "plain"]);
    assert_eq!(
        store.session("running").unwrap().unwrap().parent_session_id,
        None
    );
    assert!(store.session("archived").unwrap().is_some());
    assert!(store.session("orphan").unwrap().is_some());
}

#[test]
fn archiving_takes_the_whole_compression_lineage() {
    let fixture = testdata::fixture("v22.db");
    let store = hermes_state::StoreOptions::new()
        .clock(|| NOW)
        .open(fixture.path())
        .unwrap();
    for (n, id) in ["k0", "k1", "k2", "branch"].iter().enumerate() {
        old(&store, id, 50.0 - n as f64);
    }
    set(&store, "k0", "end_reason = 'compression'");
    set(
        &store,
        "k1",
        "end_reason = 'compression', parent_session_id = 'k0'",
    );
    set(
        &store,
        "k2",
        "end_reason = 'done', parent_session_id = 'k1'",
    );
    set(
        &store,
        "branch",
        r#"parent_session_id = 'k1', model_config = '{"_branched_from": "k1"}'"#,
    );
    let lineage: Vec<SessionId> = ["k0", "k1", "k2"].map(SessionId::new).to_vec();
    assert_eq!(store.set_session_archived("k1", true).unwrap(), lineage);
    let archived = || -> String {
        ask(
            store.path(),
            "SELECT COALESCE(group_concat(id), '') FROM (SELECT id FROM sessions WHERE archived = 1 AND id GLOB '[kb]*' ORDER BY id)",
        )
    };
    assert_eq!(archived(), "k0,k1,k2");
    assert_eq!(store.set_session_archived("k2", false).unwrap(), lineage);
    assert_eq!(archived(), "");
    assert_eq!(
        store
            .archive(&PruneFilter::new().end_reason("done"))
            .unwrap(),
        lineage
    );
    assert_eq!(archived(), "k0,k1,k2");
    assert!(
        store
            .archive(&PruneFilter::new().end_reason("done"))
            .unwrap()
            .is_empty()
    );
    assert!(store.set_session_archived("none", true).unwrap().is_empty());

    let home = Home::new();
    let store = home.store();
    store.ensure_session("a").unwrap();
    let outcome = store.set_session_archived("a", true);
    assert!(matches!(
        outcome,
        Err(Error::Unsupported {
            needs: 14,
            found: 11,
            ..
        })
    ));
}

#[test]
fn ghosts_are_swept_and_orphaned_compressions_ended() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for (id, days, what) in [
        ("ghost", 2.0, "source = 'tui'"),
        ("fresh", 0.5, "source = 'tui'"),
        ("titled", 2.0, "source = 'tui', title = 'T'"),
        ("cli", 2.0, "source = 'cli'"),
        ("open", 2.0, "source = 'tui', ended_at = NULL"),
        ("root", 20.0, "end_reason = 'compression'"),
    ] {
        let time = NOW - days * DAY;
        store
            .create_session(&NewSession::new(id, "x").started_at(time))
            .unwrap();
        set(&store, id, &format!("ended_at = {time:?}"));
        set(&store, id, what);
    }
    let done = store.sweep_ghost_sessions(&DeleteOptions::new()).unwrap();
    assert_eq!(done.ids, [SessionId::new("ghost")]);

    for (id, days) in [
        ("orphan", 8.0),
        ("null", 8.0),
        ("used", 8.0),
        ("young", 6.0),
        ("bare", 8.0),
    ] {
        let time = NOW - days * DAY;
        store
            .create_session(&NewSession::new(id, "x").parent("root").started_at(time))
            .unwrap();
        if id != "bare" {
            store
                .append_message(&NewMessage::new(id, "user").content("x"))
                .unwrap();
        }
    }
    set(&store, "used", "api_call_count = 1");
    // The reference passes over a counter that is NULL.
    set(&store, "null", "api_call_count = NULL");
    assert_eq!(store.finalize_orphaned_compressions().unwrap(), 2);
    assert_eq!(store.finalize_orphaned_compressions().unwrap(), 0);
    let ended = store.session("orphan").unwrap().unwrap();
    assert_eq!(ended.end_reason.as_deref(), Some("orphaned_compression"));
    assert_eq!(ended.ended_at, Some(NOW));
}

#[test]
fn size_06_of_five_processes_one_prunes() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for n in 0..20 {
        old(&store, &format!("s{n}"), 100.0);
    }
    store
        .create_session(&NewSession::new("open", "cli").started_at(1.0))
        .unwrap();
    let path = home.path();
    let mut processes: Vec<Process> = (0..5)
        .map(|_| spawn("auto-prune", &[path.to_str().unwrap(), &NOW.to_string()]))
        .collect();
    for process in &mut processes {
        assert_eq!(process.line().as_deref(), Some("ready"));
    }
    for process in &mut processes {
        process.go();
    }
    let mut said: Vec<String> = processes
        .into_iter()
        .flat_map(|process| process.finish().0)
        .collect();
    said.sort();
    assert_eq!(said, ["20", "skipped", "skipped", "skipped", "skipped"]);
    assert_eq!(
        ask::<String>(&path, "SELECT value FROM state_meta"),
        "1800000000.0"
    );
    assert!(store.session("open").unwrap().is_some());
}

/// The child's side.
pub(crate) fn auto_prune(path: &str, now: f64) {
    use crate::support::child::{say, wait_to_go};
    let store = hermes_state::StoreOptions::new()
        .clock(move || now)
        .open(path)
        .unwrap();
    say("ready");
    wait_to_go();
    let done = store.auto_prune(&AutoPrune::default(), &mut go_on).unwrap();
    if done.skipped {
        say("skipped");
    } else {
        say(done.deleted.ids.len());
    }
}

#[test]
fn the_interval_of_automatic_prunes_is_read_as_hermes_writes_it() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for (value, runs) in [
        ("1799999000.5", false),
        ("1800000900.0", false),
        ("1799000000", true),
        (" 1799999000.5 ", false),
        ("soon", true),
        ("", true),
    ] {
        raw(&home.path())
            .execute(
                "INSERT OR REPLACE INTO state_meta VALUES ('last_auto_prune', ?1)",
                [value],
            )
            .unwrap();
        let done = store.auto_prune(&AutoPrune::default(), &mut go_on).unwrap();
        assert_eq!(done.skipped, !runs, "{value}");
    }
}

#[test]
fn size_09_each_source_has_its_own_retention() {
    let home = Home::new();
    let store = home.store_at(NOW);
    old_of(&store, "cron", "cron", 30.0);
    old_of(&store, "chat", "telegram", 30.0);
    old_of(&store, "old chat", "telegram", 100.0);
    old_of(&store, "keep", "notes", 1000.0);
    let mut policy = AutoPrune::default();
    policy
        .by_source
        .insert("cron".into(), Retention::days(7.0).unwrap());
    policy.by_source.insert("notes".into(), Retention::FOREVER);
    let done = store.auto_prune(&policy, &mut go_on).unwrap();
    assert_eq!(done.deleted.ids, ["cron", "old chat"].map(SessionId::new));
}

#[test]
fn size_07_a_vacuum_follows_only_if_it_is_worth_it() {
    vacuum_after_a_prune(300);
}

/// One of so many sessions, and half of them.
pub(crate) fn vacuum_after_a_prune(sessions: usize) {
    for (pruned, vacuums) in [(1, false), (sessions / 2, true)] {
        let home = Home::new();
        let store = home.store_at(NOW);
        for n in 0..sessions {
            let id = format!("s{n}");
            let age = if n < pruned { 100.0 } else { 1.0 };
            talk(
                &store,
                &NewSession::new(id.as_str(), "cli").started_at(NOW - age * DAY),
                &id,
                5,
            );
            set(&store, &id, "ended_at = started_at");
        }
        let mut policy = AutoPrune::default();
        policy.age = Age::Start;
        policy.vacuum = true;
        let done = store.auto_prune(&policy, &mut go_on).unwrap();
        assert_eq!(done.deleted.ids.len(), pruned);
        assert_eq!(
            done.vacuumed.is_some(),
            vacuums,
            "{:?}",
            done.vacuum_refused
        );
        if let Some(done) = done.vacuumed {
            assert!(done.bytes_after < done.bytes_before);
        }
        drop(store);
        assert_index_whole(&home.path());
    }
}

#[test]
fn size_12_a_dry_run_tells_sessions_messages_and_bytes_and_changes_nothing() {
    let home = Home::new();
    let store = home.store_at(NOW);
    talk(
        &store,
        &NewSession::new("a", "cli").started_at(0.0),
        "a",
        200,
    );
    set(&store, "a", "ended_at = 1.0");
    let before = content_of(&home.path());
    let bytes = store.info().unwrap().bytes;
    let found = store
        .prune_candidates(&PruneFilter::new().older_than_days(1.0))
        .unwrap();
    assert_eq!((found.sessions.len(), found.messages), (1, 200));
    let text: usize = messages_of(&store, "a")
        .iter()
        .map(|m| m.content.as_ref().unwrap().plain_text().len())
        .sum();
    assert_eq!(found.text_bytes, text as u64);
    assert!(
        found.bytes > found.text_bytes && found.bytes < bytes,
        "{} of {bytes}",
        found.bytes
    );
    assert_eq!(content_of(&home.path()), before);

    // Refused while somebody else has the file open, by whatever program.
    let path = home.path();
    let mut other = spawn("hold", &[path.to_str().unwrap()]);
    assert_eq!(other.line().as_deref(), Some("held"));
    if cfg!(target_os = "linux") {
        for outcome in [store.check_vacuum(), store.vacuum().map(drop)] {
            let Err(Error::Locked { holders, .. }) = outcome else {
                panic!("{outcome:?}")
            };
            assert_eq!(holders.first().map(|h| h.pid), Some(other.id()));
        }
    }
    other.finish();
    store.check_vacuum().unwrap();
    store.vacuum().unwrap();
    assert_eq!(messages_of(&store, "a").len(), 200);
}

#[test]
fn a_session_reopened_before_its_turn_is_kept() {
    let home = Home::new();
    let store = home.store_at(NOW);
    for n in 0..60 {
        let id = format!("s{n:02}");
        talk(
            &store,
            &NewSession::new(id.as_str(), "cli").started_at(n as f64),
            &id,
            60,
        );
        set(&store, &id, "ended_at = 100.0");
    }
    let done = store
        .prune(
            &PruneFilter::new().older_than_days(1.0),
            &DeleteOptions::new(),
            &mut |done| {
                if done.batches == 1 {
                    store.reopen_session("s59").unwrap();
                }
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(
        (done.ids.len(), done.kept),
        (59, vec![SessionId::new("s59")])
    );
    assert_eq!(messages_of(&store, "s59").len(), 60);
}

#[test]
fn size_01_the_bytes_are_told_by_object() {
    let home = Home::new();
    let store = home.store();
    talk(&store, &NewSession::new("a", "cli"), "a", 500);
    let sizes = store.object_sizes().unwrap();
    let info = store.info().unwrap();
    let all: u64 = sizes.iter().map(|object| object.bytes).sum();
    assert_eq!(all + info.free_bytes, info.bytes);
    for part in ["messages", "sessions", "word index", "trigram index"] {
        assert!(sizes.iter().any(|object| object.part == part), "{part}");
    }
    let index = sizes
        .iter()
        .find(|object| object.name == "idx_messages_session")
        .unwrap();
    assert_eq!((index.part, index.estimated), ("messages", false));
}

#[test]
fn size_13_a_store_written_message_by_message_opens_at_once_and_its_index_stays_merged() {
    open_after_single_writes(3_000);
}

pub(crate) fn open_after_single_writes(messages: usize) {
    let home = Home::new();
    let mut options = hermes_state::StoreOptions::new();
    options = options.synchronous(hermes_state::Synchronous::Normal);
    let store = options.open(home.path()).unwrap();
    store.ensure_session("s").unwrap();
    for n in 0..messages {
        store
            .append_message(&NewMessage::new("s", "user").content(format!("number {n}")))
            .unwrap();
    }
    drop(store);
    let began = std::time::Instant::now();
    let store = home.store();
    assert!(
        began.elapsed() < std::time::Duration::from_millis(200),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(store.index_trouble(), None);
    for table in ["messages_fts", "messages_fts_trigram"] {
        let segments: i64 = ask(
            &home.path(),
            &format!("SELECT COUNT(DISTINCT segid) FROM {table}_idx"),
        );
        assert!(segments < 100, "{table}: {segments}");
    }
}
