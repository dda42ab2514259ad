//! Publishing packages, and taking them back.

use super::{PKG, Verbs, has_verb, is_dry};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

static PUBLISHES: &[Verbs] = &[
    (
        &[
            "npm", "pnpm", "bun", "deno", "jsr", "cargo", "poetry", "uv", "flit", "hatch", "pdm",
        ],
        &[&["publish"]],
    ),
    (&["yarn"], &[&["publish"], &["npm", "publish"]]),
    (&["lerna"], &[&["publish"]]),
    (&["changeset"], &[&["publish"]]),
    (&["twine"], &[&["upload"]]),
    (&["gem"], &[&["push"]]),
    (&["rake"], &[&["release"]]),
    (&["mvn", "mvnw"], &[&["deploy"], &["release:perform"]]),
    (&["vsce", "ovsx"], &[&["publish"]]),
    (&["nuget"], &[&["push"]]),
    (&["dotnet"], &[&["nuget", "push"]]),
    (&["pod"], &[&["trunk", "push"]]),
    (&["mix"], &[&["hex.publish"]]),
    (&["dart", "flutter"], &[&["pub", "publish"]]),
    (&["luarocks"], &[&["upload"]]),
    (&["goreleaser"], &[&["release"]]),
    (&["anaconda"], &[&["upload"]]),
    (&["conan"], &[&["upload"]]),
    (&["snapcraft"], &[&["upload"], &["push"], &["release"]]),
];

#[rustfmt::skip]
const PUBLISHERS: &[&str] = &[
    "anaconda", "bun", "cargo", "changeset", "conan", "dart", "deno", "dotnet", "flit",
    "flutter", "gem", "goreleaser", "gradle", "gradlew", "hatch", "jsr", "lerna", "luarocks", "mix",
    "mvn", "mvnw", "npm", "nuget", "ovsx", "pdm", "pnpm", "pod", "poetry", "python*", "rake",
    "semantic-release", "snapcraft", "twine", "uv", "vsce", "yarn",
];

pub(super) const PUBLISH: Rule = Rule {
    id: "pkg.publish",
    severity: Severity::High,
    keys: &[Key::ours("publish a package")],
    reason: "This publishes something under your name; what is out can't be called back.",
    alternative: Some("See what would go out with `npm publish --dry-run` or `cargo package`."),
    test: Test::Program(PUBLISHERS, publishes),
    matches: &[
        "npm publish",
        "npm publish --access public",
        "cargo publish",
        "cargo +stable publish -p x",
        "twine upload dist/*",
        "python -m twine upload dist/*",
        "poetry publish --build",
        "uv publish",
        "gem push x.gem",
        "mvn -q deploy",
        "mvn clean deploy",
        "./gradlew publish",
        "dotnet nuget push x.nupkg",
        "npx vsce publish",
        "goreleaser release",
        "npx semantic-release",
    ],
    near_misses: &[
        "npm publish --dry-run",
        "cargo publish --dry-run",
        "cargo publish -n",
        "npm pack",
        "goreleaser release --snapshot",
        "./gradlew publishToMavenLocal",
    ],
    safe: &[
        "npm run build",
        "npm run publish-docs",
        "cargo package",
        "cargo build",
        "twine check dist/*",
        "mvn -q test",
        "mvn install",
        "npm test",
        "mix test",
        "dart pub get",
    ],
    ..PKG
};

fn publishes(look: &Look<'_>) -> Option<Hit> {
    if is_dry(look) {
        return None;
    }
    let publishes = match look.name {
        "semantic-release" => true,
        // Goals of a build may stand in any order.
        "mvn" | "mvnw" => ["deploy", "release:perform", "deploy:deploy"]
            .iter()
            .any(|goal| look.has_word(goal)),
        "gradle" | "gradlew" => look.operands().iter().any(|w| {
            w.known().is_some_and(|task| {
                let task = task.rsplit(':').next().unwrap_or(task);
                task == "publish" || task.starts_with("publishAll") || task == "publishPlugins"
            })
        }),
        "python" => {
            super::sources::module(look) == Some("twine")
                && super::sources::module_words(look)
                    .is_some_and(|words| words.first().and_then(|w| w.known()) == Some("upload"))
        }
        // `cargo +stable publish`
        "cargo" => {
            look.operands()
                .iter()
                .filter_map(|w| w.known())
                .find(|w| !w.starts_with('+'))
                == Some("publish")
        }
        _ => has_verb(look, PUBLISHES),
    };
    publishes.then(|| look.hit())
}

static WITHDRAWS: &[Verbs] = &[
    (
        &["npm", "pnpm"],
        &[
            &["unpublish"],
            &["deprecate"],
            &["owner", "add"],
            &["owner", "rm"],
            &["access", "grant"],
            &["access", "revoke"],
            &["access", "set"],
            &["access", "public"],
            &["team", "destroy"],
            &["token", "create"],
            &["token", "revoke"],
            &["dist-tag", "rm"],
        ],
    ),
    (&["yarn"], &[&["npm", "unpublish"], &["npm", "deprecate"]]),
    (&["cargo"], &[&["yank"], &["owner"]]),
    (&["gem"], &[&["yank"], &["owner"]]),
    (&["mix"], &[&["hex.retire"]]),
    (&["nuget"], &[&["delete"]]),
    (&["dotnet"], &[&["nuget", "delete"]]),
    (&["pod"], &[&["trunk", "delete"], &["trunk", "deprecate"]]),
    (&["vsce", "ovsx"], &[&["unpublish"]]),
];

#[rustfmt::skip]
const WITHDRAWERS: &[&str] = &[
    "cargo", "dotnet", "gem", "mix", "npm", "nuget", "ovsx", "pnpm", "pod", "vsce", "yarn",
];

pub(super) const WITHDRAW: Rule = Rule {
    id: "pkg.withdraw",
    severity: Severity::High,
    keys: &[Key::ours("withdraw a package or change its owners")],
    reason: "This takes a package from everybody who uses it, or changes who may publish it.",
    alternative: Some("Look at what is out first: `npm view x versions`."),
    test: Test::Program(WITHDRAWERS, |look| {
        let lists = look.name == "cargo" && look.verbs(&["owner"]) && look.has('l', "list");
        (has_verb(look, WITHDRAWS) && !lists).then(|| look.hit())
    }),
    matches: &[
        "npm unpublish x --force",
        "npm deprecate x \"no\"",
        "cargo yank x --version 1.0.0",
        "cargo owner --add bob x",
        "gem yank x -v 1.0.0",
        "npm owner add bob x",
    ],
    near_misses: &["npm owner ls x", "npm view x", "cargo owner --list x"],
    safe: &["npm outdated", "cargo search yank"],
    ..PKG
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_looked_at() {
        for (table, tools) in [(PUBLISHES, PUBLISHERS), (WITHDRAWS, WITHDRAWERS)] {
            for name in table.iter().flat_map(|(names, _)| *names) {
                assert!(tools.contains(name), "{name}");
            }
        }
    }
}
