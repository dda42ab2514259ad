//! Tokens of well-known services, told by how they begin.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// How a token begins, and how many characters follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("whsec_", 16),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("gldt-", 12),
    ("glrt-", 12),
    ("glptt-", 12),
    ("xoxb-", 10),
    ("xoxa-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xoxe-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 16),
    ("GOCSPX-", 16),
    ("hf_", 16),
    ("r8_", 16),
    ("gsk_", 16),
    ("xai-", 16),
    ("pplx-", 16),
    ("nvapi-", 16),
    ("fal_", 16),
    ("csk-", 16),
    ("tvly-", 12),
    ("exa_", 16),
    ("lsv2_", 16),
    ("npm_", 16),
    ("pypi-", 16),
    ("rubygems_", 16),
    ("crates_io_", 16),
    ("cio", 30),
    ("dckr_pat_", 12),
    ("dop_v1_", 16),
    ("doo_v1_", 16),
    ("SG.", 16),
    ("sntrys_", 16),
    ("lin_api_", 16),
    ("hvs.", 16),
    ("hvb.", 16),
    ("shpat_", 16),
    ("shpss_", 16),
    ("shpca_", 16),
    ("sq0atp-", 16),
    ("sq0csp-", 16),
    ("figd_", 16),
    ("ATATT3", 16),
    ("phx_", 16),
    ("PMAK-", 16),
    ("secret_", 30),
    ("ntn_", 16),
    ("pat_", 30),
    ("bb_live_", 12),
    ("AGE-SECRET-KEY-1", 16),
];

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(PREFIXES.iter().map(|(prefix, _)| prefix))
            .ok()
    });
    let Some(finder) = FINDER.as_ref() else {
        return;
    };
    let bytes = text.as_bytes();
    // The end of the run of token characters that was looked at last, so that none is walked twice.
    let mut run_end = 0;
    let mut taken = 0;
    for found in finder.find_iter(text) {
        if found.start() < taken || !begins_a_word(bytes, found.start()) {
            continue;
        }
        if run_end < found.end() {
            run_end = bytes
                .iter()
                .enumerate()
                .skip(found.end())
                .find_map(|(at, byte)| (!is_of_token(*byte)).then_some(at))
                .unwrap_or(bytes.len());
        }
        let least = PREFIXES
            .get(found.pattern().as_usize())
            .map_or(usize::MAX, |(_, least)| *least);
        if run_end - found.end() >= least {
            secrets.push(found.start()..run_end);
            taken = run_end;
        }
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn begins_a_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| !byte.is_ascii_alphanumeric())
}
