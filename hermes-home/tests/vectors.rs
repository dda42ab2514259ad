//! What the recorded answers of the reference say, and where we differ on purpose.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use hermes_home::{Error, ProfileName, Selection, resolve};
use serde_json::Value;
use support::Sandbox;

type Difference = (String, &'static str);

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/../testdata/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the vectors are in testdata/vectors");
    let mut vectors: Value = serde_json::from_str(&text).expect("vectors are JSON");
    match vectors["cases"].take() {
        Value::Array(cases) => cases,
        other => panic!("{path}: cases is {other}"),
    }
}

type Reviewed = [(&'static str, &'static [&'static str], &'static str)];

/// The reviewed differences as the crate's documentation shows them: a row for each reason.
fn table() -> String {
    type Names<'a> = BTreeSet<&'a str>;
    let mut rows: Vec<(&str, Names, Names)> = Vec::new();
    for (id, functions, reason) in REVIEWED.iter().chain(REVIEWED_NAMES) {
        if !rows.iter().any(|(known, ..)| known == reason) {
            rows.push((reason, Names::new(), Names::new()));
        }
        let row = rows.iter_mut().find(|(known, ..)| known == reason);
        let (_, ids, all) = row.expect("the row of this reason");
        ids.insert(id);
        all.extend(*functions);
    }
    let mut text = String::from("| why | recorded cases | answers that differ |\n|---|---|---|\n");
    for (reason, ids, functions) in rows {
        let ids: Vec<_> = ids.into_iter().collect();
        let functions: Vec<_> = functions.iter().map(|name| format!("`{name}`")).collect();
        let (ids, functions) = (ids.join(", "), functions.join(", "));
        text.push_str(&format!("| {reason} | {ids} | {functions} |\n"));
    }
    text
}

#[test]
fn the_documented_differences_are_the_reviewed_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/DIFFERENCES.md");
    let documented = std::fs::read_to_string(path).expect("the table in the documentation");
    let table = table();
    assert_eq!(documented, table, "DIFFERENCES.md is to be:\n\n{table}");
}

/// Fails when a difference is not on the reviewed list, and when one on the list is none any more.
fn assert_reviewed(differences: &BTreeMap<Difference, String>, reviewed: &Reviewed) {
    let listed: BTreeSet<Difference> = reviewed
        .iter()
        .flat_map(|(id, functions, _)| functions.iter().map(|f| ((*id).to_owned(), *f)))
        .collect();
    let unexpected: Vec<_> = differences
        .iter()
        .filter(|(difference, _)| !listed.contains(*difference))
        .collect();
    assert!(
        unexpected.is_empty(),
        "not on the reviewed list: {unexpected:#?}"
    );
    let stale: Vec<_> = listed
        .iter()
        .filter(|one| !differences.contains_key(one))
        .collect();
    assert!(
        stale.is_empty(),
        "on the list, but no longer different: {stale:#?}"
    );
}

const HOME: &str = "constants.get_hermes_home()";
const DISPLAY: &str = "constants.display_hermes_home()";
const ROOT: &str = "constants.get_default_hermes_root()";
const CONFIG: &str = "constants.get_config_path()";
const ENV: &str = "constants.get_env_path()";
const SKILLS: &str = "constants.get_skills_dir()";
const NAME: &str = "profiles.get_active_profile_name()";
const DIR_CODER: &str = "profiles.get_profile_dir(Coder)";
const DIR_DEFAULT: &str = "profiles.get_profile_dir(DEFAULT)";
const CODER_EXISTS: &str = "profiles.profile_exists(coder)";
const GHOST_EXISTS: &str = "profiles.profile_exists(ghost)";
const SELECT_CODER: &str = "profiles.resolve_profile_env(Coder)";
const SELECT_GHOST: &str = "profiles.resolve_profile_env(ghost)";
const SELECT_DEFAULT: &str = "profiles.resolve_profile_env(default)";

const IMAGES: &str = "constants.get_hermes_dir(cache/images, image_cache)";
const ACTIVE: &str = "profiles.get_active_profile()";

const TRIMMED: &str =
    "a padded value is trimmed everywhere; the reference takes the padded text as its root";
const OWN_ROOT: &str = "other folders inside the default home are their own root";
const EXPANDED: &str = "~ is expanded; the reference makes a folder called ~";
const ABSOLUTE: &str = "a relative path is made absolute once";

/// Every place below the root follows when the root differs.
const BY_ROOT: &[&str] = &[
    ROOT,
    DIR_CODER,
    DIR_DEFAULT,
    CODER_EXISTS,
    SELECT_CODER,
    SELECT_DEFAULT,
];

const REVIEWED: &Reviewed = &[
    ("homes-0004", BY_ROOT, TRIMMED),
    ("homes-0004", &[NAME], TRIMMED),
    ("homes-0005", BY_ROOT, TRIMMED),
    ("homes-0005", &[NAME], TRIMMED),
    ("homes-0010", BY_ROOT, TRIMMED),
    ("homes-0010", &[NAME], TRIMMED),
    ("homes-0011", BY_ROOT, TRIMMED),
    ("homes-0011", &[NAME], TRIMMED),
    ("homes-0005", &[ACTIVE], TRIMMED),
    ("homes-0011", &[ACTIVE], TRIMMED),
    ("homes-0019", BY_ROOT, OWN_ROOT),
    ("homes-0019", &[ACTIVE], OWN_ROOT),
    ("homes-0021", &[ACTIVE], OWN_ROOT),
    ("homes-0020", BY_ROOT, OWN_ROOT),
    ("homes-0021", BY_ROOT, OWN_ROOT),
    (
        "homes-0025",
        &[DISPLAY],
        "the user's home itself is ~; the reference shows ~/.",
    ),
    ("homes-0034", BY_ROOT, EXPANDED),
    ("homes-0034", &[HOME, CONFIG, ENV, SKILLS, IMAGES], EXPANDED),
    ("homes-0035", BY_ROOT, EXPANDED),
    ("homes-0035", &[HOME, CONFIG, ENV, SKILLS, IMAGES], EXPANDED),
    (
        "homes-0037",
        &[
            HOME,
            DISPLAY,
            ROOT,
            CONFIG,
            ENV,
            SKILLS,
            IMAGES,
            DIR_CODER,
            DIR_DEFAULT,
            SELECT_DEFAULT,
        ],
        ABSOLUTE,
    ),
    ("homes-0035", &[ACTIVE], EXPANDED),
    ("homes-0042", BY_ROOT, OWN_ROOT),
    (
        "homes-0055",
        &[ACTIVE],
        "a name is read in small letters everywhere; the reference gives back what the file says",
    ),
];

#[test]
fn homes_resolve_as_the_reference_says_or_as_reviewed() {
    let mut differences = BTreeMap::new();
    let cases = cases("homes.json");
    assert!(!cases.is_empty());
    for case in &cases {
        let id = case["id"].as_str().expect("an id");
        assert_eq!(case["0.19.0"], "same", "{id}: which release is right?");
        let recorded = case["0.13.0"].as_object().expect("answers");
        let ours = our_answers(case);
        for (function, theirs) in recorded {
            let (function, ours) = ours
                .get_key_value(function.as_str())
                .unwrap_or_else(|| panic!("{function} is neither compared nor listed"));
            let theirs = match theirs.get("err") {
                Some(error) => format!("error {}", error["type"]),
                None => theirs.as_str().map_or(theirs.to_string(), str::to_owned),
            };
            if *ours != theirs {
                let both = format!("ours {ours}, theirs {theirs}");
                differences.insert((id.to_owned(), *function), both);
            }
        }
    }
    assert_reviewed(&differences, REVIEWED);
}

fn our_answers(case: &Value) -> BTreeMap<&'static str, String> {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.write("home/.hermes/image_cache/one.png", "x");
    for folder in ["opt/data/profiles/worker", "rel"] {
        sandbox.mkdir(folder);
    }
    sandbox.link("link", sandbox.profile("coder"));
    sandbox.link("link2", sandbox.default());
    if let Some(active) = case["active_profile"].as_str() {
        sandbox.activate(active);
    }
    let (root, home) = (sandbox.path(""), sandbox.home());
    let (root, home) = (
        root.to_str().expect("UTF-8").trim_end_matches('/'),
        home.to_str().expect("UTF-8"),
    );
    let env = match case["HERMES_HOME"].as_str() {
        Some(value) => sandbox.env_at(value.replace("<HOME>", home).replace("<ROOT>", root)),
        None => sandbox.env(),
    };
    let tree = sandbox.tree();

    let recorded_form = |text: &str| text.replace(home, "<HOME>").replace(root, "<ROOT>");
    let path = |path: &std::path::Path| recorded_form(path.to_str().expect("UTF-8"));
    let select = |name: &str| {
        let selection = Selection::new().with_profile(name.to_owned());
        match selection.resolve(&env) {
            Ok(chosen) => path(chosen.home.path()),
            Err(Error::ProfileNotFound { .. }) => "error \"FileNotFoundError\"".to_owned(),
            Err(error) => panic!("{error}"),
        }
    };
    let name = |text| ProfileName::parse(text).expect("a name");
    let found = resolve(&env).expect("a home").home;
    let exists = |text| found.profile_exists(&name(text)).expect("an answer");
    let answers = BTreeMap::from([
        (HOME, path(found.path())),
        (DISPLAY, recorded_form(&found.display())),
        (ROOT, path(found.root())),
        (CONFIG, path(&found.config_file())),
        (ENV, path(&found.env_file())),
        (SKILLS, path(&found.skills_dir())),
        (NAME, found.profile().to_string()),
        (IMAGES, path(&found.image_cache_dir())),
        (ACTIVE, found.profiles().active().name().to_string()),
        (DIR_CODER, path(&found.profile_dir(&name("Coder")))),
        (DIR_DEFAULT, path(&found.profile_dir(&name("DEFAULT")))),
        (CODER_EXISTS, exists("coder").to_string()),
        (GHOST_EXISTS, exists("ghost").to_string()),
        (SELECT_CODER, select("Coder")),
        (SELECT_GHOST, select("ghost")),
        (SELECT_DEFAULT, select("default")),
    ]);
    assert_eq!(sandbox.tree(), tree, "asking made something");
    answers
}

const NORMALIZE: &str = "normalize";
const VALIDATE: &str = "validate";

const REVIEWED_NAMES: &Reviewed = &[
    (
        "profile_names-0006",
        &[VALIDATE],
        "default is reserved for creation",
    ),
    (
        "profile_names-0029",
        &[VALIDATE],
        "the rule has no hole for a newline at the end",
    ),
    (
        "profile_names-0029",
        &[NORMALIZE],
        "a line break in a name is refused, also at its end",
    ),
    (
        "profile_names-0038",
        &[VALIDATE],
        "the rule has no hole for a newline at the end",
    ),
    (
        "profile_names-0038",
        &[NORMALIZE],
        "a line break in a name is refused, also at its end",
    ),
];

/// The reference normalises first and validates what comes out; we do both at once. So what it
/// normalises to must be what we parse to, whenever that is a valid name; and its check of the
/// untouched text must be ours of a directory's name together with the reserved ones.
#[test]
fn profile_names_are_read_as_the_reference_says_or_as_reviewed() {
    let mut differences = BTreeMap::new();
    let cases = cases("profile_names.json");
    assert!(!cases.is_empty());
    for case in &cases {
        let id = case["id"].as_str().expect("an id");
        assert_eq!(case["0.19.0"], "same", "{id}: which release is right?");
        let input = case["input"].as_str().expect("an input");

        let normalized = case["0.13.0"][NORMALIZE]
            .as_str()
            .and_then(|name| ProfileName::from_dir_name(name.as_ref()));
        let parsed = ProfileName::parse(input).ok();
        if parsed != normalized {
            let both = format!("ours {parsed:?}, theirs {normalized:?}");
            differences.insert((id.to_owned(), NORMALIZE), both);
        }

        let accepted = case["0.13.0"][VALIDATE].is_null();
        let ours = ProfileName::from_dir_name(input.as_ref()).is_some_and(|n| !n.is_reserved());
        if ours != accepted {
            let both = format!("ours {ours}, theirs {accepted}");
            differences.insert((id.to_owned(), VALIDATE), both);
        }
    }
    assert_reviewed(&differences, REVIEWED_NAMES);
}
