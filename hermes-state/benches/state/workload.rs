//! Sessions and messages as agents have them: short questions, long tool output, JSON calls, a tenth
//! of it in other scripts. A pure function of its seed.

use std::path::{Path, PathBuf};

use hermes_state::{JsonText, NewMessage, NewSession, Store, StoreOptions, Synchronous};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(crate) const SESSIONS: usize = 2_000;
pub(crate) const MESSAGES_EACH: usize = 100;
/// One session more, for reading.
pub(crate) const LONG_SESSION: &str = "bench_long";
pub(crate) const LONG_MESSAGES: usize = 2_000;

const SYLLABLES: [&str; 20] = [
    "ka", "to", "mi", "re", "sol", "an", "der", "lix", "pro", "va", "qui", "ne", "stra", "ble",
    "on", "ir", "cu", "pe", "dra", "fo",
];

/// A way of writing: where its letters begin and how many there are, what stands between words, and
/// how many of ten texts in other scripts are in it.
struct Script {
    first: u32,
    letters: u32,
    gap: &'static str,
    share: usize,
}

const SCRIPTS: [Script; 6] = [
    Script {
        first: 0x4e00,
        letters: 3000,
        gap: "",
        share: 5,
    }, // Han
    Script {
        first: 0x3041,
        letters: 86,
        gap: "",
        share: 1,
    }, // kana
    Script {
        first: 0xac00,
        letters: 2000,
        gap: " ",
        share: 1,
    }, // Hangul
    Script {
        first: 0x0e01,
        letters: 46,
        gap: "",
        share: 1,
    }, // Thai
    Script {
        first: 0x0430,
        letters: 32,
        gap: " ",
        share: 1,
    }, // Cyrillic
    Script {
        first: 0x0627,
        letters: 36,
        gap: " ",
        share: 1,
    }, // Arabic
];

/// Words, and how often they are said: few words are most of a text.
struct Vocabulary {
    words: Vec<String>,
    /// Cumulated weights.
    weights: Vec<f64>,
}

impl Vocabulary {
    fn new(words: Vec<String>) -> Vocabulary {
        let mut sum = 0.0;
        let weights = (0..words.len())
            .map(|n| {
                sum += 1.0 / (n as f64 + 2.7);
                sum
            })
            .collect();
        Vocabulary { words, weights }
    }

    fn word(&self, random: &mut StdRng) -> &str {
        let total = self.weights.last().copied().unwrap_or(1.0);
        let at = random.random_range(0.0..total);
        let n = self.weights.partition_point(|w| *w < at);
        &self.words[n.min(self.words.len() - 1)]
    }
}

pub(crate) struct Generator {
    random: StdRng,
    latin: Vocabulary,
    others: Vec<Vocabulary>,
}

#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) role: &'static str,
    pub(crate) content: String,
    pub(crate) tool_calls: Option<String>,
    pub(crate) tool_name: Option<&'static str>,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Generator {
        let mut random = StdRng::seed_from_u64(seed);
        let mut words = Vec::new();
        while words.len() < 20_000 {
            let n = random.random_range(1..=4);
            let word: String = (0..n)
                .map(|_| SYLLABLES[random.random_range(0..SYLLABLES.len())])
                .collect();
            words.push(word);
        }
        let others = SCRIPTS
            .iter()
            .map(|script| {
                let words = (0..4_000).map(|_| {
                    (0..random.random_range(1..=4))
                        .filter_map(|_| {
                            let letter = random.random_range(0..script.letters);
                            char::from_u32(script.first + letter)
                        })
                        .collect()
                });
                Vocabulary::new(words.collect())
            })
            .collect();
        Generator {
            random,
            latin: Vocabulary::new(words),
            others,
        }
    }

    /// The words of Latin script, the most frequent first.
    pub(crate) fn latin_words(&self) -> &[String] {
        &self.latin.words
    }

    /// The words of Han, the most frequent first.
    pub(crate) fn han_words(&self) -> &[String] {
        &self.others[0].words
    }

    fn word(&mut self) -> &str {
        self.latin.word(&mut self.random)
    }

    fn prose(&mut self, chars: usize) -> String {
        let mut text = String::with_capacity(chars + 16);
        while text.len() < chars {
            text.push_str(self.latin.word(&mut self.random));
            text.push(' ');
        }
        text
    }

    /// Text in another script.
    fn other(&mut self, chars: usize) -> String {
        let mut share = self.random.random_range(0..10);
        let mut which = 0;
        while share >= SCRIPTS[which].share {
            share -= SCRIPTS[which].share;
            which += 1;
        }
        let mut text = String::new();
        let mut left = chars;
        while left > 0 {
            let word = self.others[which].word(&mut self.random);
            text.push_str(word);
            text.push_str(SCRIPTS[which].gap);
            left = left.saturating_sub(word.chars().count());
            if left % 7 == 6 {
                text.push('，');
            }
        }
        text
    }

    /// Log-normal around the median.
    fn length(&mut self, median: f64, sigma: f64, cap: usize) -> usize {
        let uniform: f64 = (0..12).map(|_| self.random.random_range(0.0..1.0)).sum();
        let length = median * (sigma * (uniform - 6.0)).exp();
        (length as usize).clamp(3, cap)
    }

    pub(crate) fn message(&mut self, n: usize) -> Text {
        let other = self.random.random_range(0..10) == 0;
        match n % 5 {
            0 => {
                let length = self.length(60.0, 1.0, 8_000);
                let content = if other {
                    self.other(length)
                } else {
                    self.prose(length)
                };
                Text {
                    role: "user",
                    content,
                    tool_calls: None,
                    tool_name: None,
                }
            }
            1 | 3 => {
                let length = self.length(180.0, 1.0, 12_000);
                let mut content = self.prose(length);
                if other {
                    content.push_str(&self.other(length / 3));
                }
                let command = self.prose(40);
                Text {
                    role: "assistant",
                    content,
                    tool_calls: Some(format!(
                        "[{{\"id\": \"call_{n:08}\", \"type\": \"function\", \"function\": {{\"name\": \"terminal\", \"arguments\": \"{{\\\"command\\\": \\\"{command}\\\"}}\"}}}}]"
                    )),
                    tool_name: None,
                }
            }
            _ => {
                let length = self.length(400.0, 1.3, 30_000);
                let mut content = String::with_capacity(length + 128);
                while content.len() < length {
                    let (a, b, c) = (
                        self.word().to_owned(),
                        self.word().to_owned(),
                        self.word().to_owned(),
                    );
                    let line = self.random.random_range(1..900);
                    content.push_str(&format!(
                        "2025-11-03T11:{:02}:07 {a}[{line}]: /srv/{b}/{c}.rs:{line}\n",
                        line % 60
                    ));
                }
                Text {
                    role: "tool",
                    content,
                    tool_calls: None,
                    tool_name: Some("terminal"),
                }
            }
        }
    }
}

pub(crate) fn new_message(session: &str, text: &Text) -> NewMessage {
    let mut message = NewMessage::new(session, text.role).content(text.content.as_str());
    if let Some(calls) = &text.tool_calls {
        message = message.tool_calls(JsonText::parse(calls.as_str()).unwrap());
    }
    if let Some(name) = text.tool_name {
        message = message.tool_name(name);
    }
    message
}

/// A folder for what a run makes, emptied at its start.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = folder().join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub(crate) fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("bench-state")
}

/// Another number for another content.
const BIG: &str = "big-2.db";

/// The store of 202,000 messages, made if it is not there.
pub(crate) fn big() -> PathBuf {
    let path = folder().join(BIG);
    if path.exists() {
        return path;
    }
    std::fs::create_dir_all(folder()).unwrap();
    let draft = folder().join("big-draft.db");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(draft.with_extension(format!("db{suffix}")));
    }
    println!("making the big store, once …");
    build(&draft, SESSIONS, MESSAGES_EACH, Some(LONG_MESSAGES));
    std::fs::rename(&draft, &path).unwrap();
    path
}

/// A store of so many messages, made if it is not there.
pub(crate) fn sized(messages: usize) -> PathBuf {
    let path = folder().join(format!("{messages}-{BIG}"));
    if !path.exists() {
        std::fs::create_dir_all(folder()).unwrap();
        println!("making a store of {messages} messages, once …");
        let draft = scratch("draft").join("state.db");
        build(&draft, messages / MESSAGES_EACH, MESSAGES_EACH, None);
        std::fs::rename(&draft, &path).unwrap();
    }
    path
}

/// A store of so many sessions and messages, and one long session if asked for.
pub(crate) fn build(path: &Path, sessions: usize, each: usize, long: Option<usize>) {
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(path)
        .unwrap();
    let mut generator = Generator::new(1);
    let mut n = 0;
    let all = (0..sessions)
        .map(|s| (format!("bench_{s:06}"), each))
        .chain(long.map(|long| (LONG_SESSION.to_owned(), long)));
    for (s, (id, count)) in all.enumerate() {
        let start = 1.7e9 + s as f64 * 10_800.0;
        let source = ["cli", "cli", "telegram", "discord", "cron"][s % 5];
        let prompt = generator.prose(3_000);
        store
            .create_session(
                &NewSession::new(id.as_str(), source)
                    .model("bench-model")
                    .system_prompt(prompt)
                    .started_at(start),
            )
            .unwrap();
        let messages: Vec<NewMessage> = (0..count)
            .map(|m| {
                let text = generator.message(n);
                n += 1;
                new_message(&id, &text).timestamp(start + m as f64)
            })
            .collect();
        for batch in messages.chunks(100) {
            store.append_messages(batch).unwrap();
        }
        if s % 3 == 0 {
            store.end_session(&id, "user_exit").unwrap();
        }
    }
}

/// A copy to be written on.
pub(crate) fn copy(from: &Path, name: &str) -> PathBuf {
    let to = scratch(name).join("state.db");
    Store::open_read_only(from).unwrap().snapshot(&to).unwrap();
    to
}

/// The same, page by page as it is: of a store that is at rest. It is on disk then: else the first
/// commit in the copy would wait until all of it is.
pub(crate) fn copy_file(from: &Path, name: &str) -> PathBuf {
    let to = scratch(name).join("state.db");
    std::fs::copy(from, &to).unwrap();
    std::fs::File::open(&to).unwrap().sync_all().unwrap();
    to
}
