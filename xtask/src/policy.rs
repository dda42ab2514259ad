//! What this workspace accepts, as tables: licences, second versions of a crate, and which crate
//! may depend on which. Read by `deps` and `layers`; printed as `deny.toml` by `deny`.

/// Licences a dependency may be under, by their SPDX names.
pub(crate) const LICENSES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    // The list of root certificates of Mozilla, as data.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// A crate that may be in the graph at this version besides another one.
#[derive(Debug)]
pub(crate) struct Duplicate {
    pub(crate) name: &'static str,
    /// The version to look away from: the older one, exactly.
    pub(crate) version: &'static str,
    pub(crate) reason: &'static str,
}

/// Second versions that are accepted for now. One that has gone from the graph must go from here.
pub(crate) const DUPLICATES: &[Duplicate] = &[
    Duplicate {
        name: "getrandom",
        version: "0.2.17",
        reason: "ring, below rustls, wants it; only in the feature smart-tls",
    },
    Duplicate {
        name: "hashbrown",
        version: "0.14.5",
        reason: "rowan, below yaml-edit, wants it",
    },
    Duplicate {
        name: "windows-sys",
        version: "0.52.0",
        reason: "ring, below rustls, wants it; on Windows, in the feature smart-tls",
    },
];

/// The crates of ours that a crate of ours may use. Anything else is refused.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    /// What it may depend on at run and build time.
    pub(crate) uses: &'static [&'static str],
}

const TESTDATA: &str = "hermes-testdata";
const FAULTS: &str = "hermes-faults";

/// The graph of DESIGN: dependencies go along these lines only.
pub(crate) const LAYERS: &[Layer] = &[
    Layer {
        name: "hermes-approval",
        uses: &[],
    },
    Layer {
        name: FAULTS,
        uses: &[],
    },
    Layer {
        name: "hermes-fts",
        uses: &[],
    },
    Layer {
        name: "hermes-home",
        uses: &[],
    },
    Layer {
        name: "hermes-kit",
        uses: &[
            "hermes-approval",
            "hermes-fts",
            "hermes-home",
            "hermes-state",
            "hermes-terminal",
            "hermes-tools",
        ],
    },
    Layer {
        name: "hermes-state",
        uses: &["hermes-fts", "hermes-home"],
    },
    Layer {
        name: "hermes-terminal",
        uses: &["hermes-home"],
    },
    Layer {
        name: "hermes-tools",
        uses: &[],
    },
    Layer {
        name: "hermesctl",
        uses: &["hermes-kit"],
    },
    Layer {
        name: TESTDATA,
        uses: &[],
    },
    Layer {
        name: "xtask",
        uses: &[TESTDATA],
    },
];

/// What any crate's tests may use besides what the crate itself may.
pub(crate) const FOR_TESTS: &[&str] = &[FAULTS, TESTDATA];

/// A dependency that only some crates may have.
#[derive(Debug)]
pub(crate) struct Confined {
    pub(crate) name: &'static str,
    /// Crates that may depend on it.
    pub(crate) to: &'static [&'static str],
    /// Crates whose tests may.
    pub(crate) tests_of: &'static [&'static str],
    pub(crate) reason: &'static str,
}

pub(crate) const CONFINED: &[Confined] = &[Confined {
    name: "rusqlite",
    to: &["hermes-state", FAULTS],
    tests_of: &["hermes-fts"],
    reason: "only hermes-state opens a store, so that another engine can stand behind its API; \
                 the tests of hermes-fts ask a real SQLite whether it accepts an expression; hermes-faults stands below it",
}];
