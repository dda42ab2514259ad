//! Publishing packages, and taking them back.

use super::{PKG, Verbs, has_verb, is_dry};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

/// Tools, and the words that their operands start with.
#[rustfmt::skip]
static PUBLISHES: &[Verbs] = &[
    (&["npm", "pnpm", "bun", "deno", "jsr", "poetry", "uv", "flit", "hatch", "pdm", "rye", "elm", "nimble", "gleam", "wasm-pack", "wasmer", "apm", "rush", "beachball"], &[&["publish"]]),
    (&["yarn"], &[&["publish"], &["npm", "publish"], &["workspaces", "foreach", "npm", "publish"]]),
    (&["lerna", "changeset", "tsp", "ko"], &[&["publish"]]),
    (&["nx"], &[&["release"]]),
    (&["twine", "anaconda", "conan", "charmcraft", "rattler-build", "pixi", "cabal", "stack", "maturin", "luarocks"], &[&["upload"]]),
    (&["maturin", "rattler-build", "pixi"], &[&["publish"]]),
    (&["gem"], &[&["push"]]),
    (&["rake"], &[&["release"]]),
    (&["gem"], &[&["release"]]),
    (&["vsce", "ovsx"], &[&["publish"]]),
    (&["nuget", "choco", "cpush"], &[&["push"]]),
    (&["dotnet"], &[&["nuget", "push"]]),
    (&["pod"], &[&["trunk", "push"], &["repo", "push"]]),
    (&["mix"], &[&["hex.publish"]]),
    (&["rebar3"], &[&["hex", "publish"], &["hex", "cut"]]),
    (&["dart", "flutter"], &[&["pub", "publish"], &["pub", "lish"]]),
    (&["goreleaser", "release-plz", "jreleaser"], &[&["release"]]),
    (&["jreleaser"], &[&["full-release"], &["deploy"], &["publish"], &["upload"]]),
    (&["snapcraft"], &[&["upload"], &["push"], &["release"], &["promote"]]),
    (&["charmcraft"], &[&["release"]]),
    (&["web-ext"], &[&["sign"], &["submit"]]),
    (&["swift"], &[&["package-registry", "publish"]]),
    (&["lein"], &[&["deploy"], &["release"]]),
    (&["opam"], &[&["publish"]]),
    (&["dune-release"], &[&["publish"], &["opam"], &["distrib", "publish"]]),
    (&["fastlane"], &[&["deliver"], &["supply"], &["pilot", "upload"], &["release"], &["deploy"], &["beta"], &["upload_to_testflight"], &["upload_to_app_store"], &["upload_to_play_store"]]),
    (&["ansible-galaxy"], &[&["collection", "publish"], &["role", "import"]]),
    (&["pdk"], &[&["release"]]),
    (&["knife"], &[&["cookbook", "upload"], &["supermarket", "share"], &["upload"]]),
    (&["berks"], &[&["upload"]]),
    (&["vagrant"], &[&["cloud", "publish"], &["cloud", "version", "release"]]),
    (&["buf", "spin", "timoni", "cachix", "cloudsmith", "fury", "gemfury", "package_cloud"], &[&["push"]]),
    (&["spin", "timoni"], &[&["registry", "push"], &["mod", "push"], &["artifact", "push"]]),
    (&["helm"], &[&["push"], &["cm-push"]]),
    (&["jf", "jfrog"], &[&["rt", "upload"], &["rt", "u"], &["rt", "bp"], &["rt", "build-publish"], &["npm", "publish"], &["docker", "push"], &["mvn", "deploy"]]),
    (&["hf", "huggingface-cli"], &[&["upload"], &["upload-large-folder"]]),
    (&["kaggle"], &[&["datasets", "create"], &["datasets", "version"], &["kernels", "push"], &["models", "create"], &["models", "instances", "versions", "create"]]),
    (&["aptly"], &[&["publish", "repo"], &["publish", "snapshot"], &["publish", "update"], &["publish", "switch"]]),
    (&["copr-cli", "copr"], &[&["build"]]),
    (&["fedpkg", "rhpkg"], &[&["push"], &["build"], &["update"]]),
    (&["osc"], &[&["commit"], &["ci"], &["checkin"], &["submitrequest"], &["sr"]]),
    (&["gh", "glab", "hub"], &[&["release", "create"], &["release", "upload"]]),
    (&["cargo"], &[&["publish"], &["ws", "publish"], &["workspaces", "publish"]]),
    (&["podman", "nerdctl", "buildah", "docker"], &[&["push"], &["image", "push"], &["manifest", "push"], &["compose", "push"], &["buildx", "imagetools", "create"]]),
    (&["crane", "gcrane", "oras", "regctl"], &[&["push"], &["copy"], &["cp"], &["image", "copy"], &["append"]]),
    (&["docker-compose", "podman-compose"], &[&["push"]]),
];

#[rustfmt::skip]
const PUBLISHERS: &[&str] = &[
    "anaconda", "ansible-galaxy", "apm", "aptly", "bazel", "bazelisk", "beachball", "berks", "buf",
    "buildah", "bun", "cabal", "cachix", "cargo", "cargo-release", "changeset", "charmcraft", "choco",
    "clj", "clojure", "cloudsmith", "conan", "copr", "copr-cli", "cpan-upload", "cpush", "crane", "dart",
    "debrelease", "deno", "docker", "docker-compose", "dotnet", "dput", "dput-ng", "dune-release",
    "earthly", "elm", "fastlane", "fedpkg", "flit", "flutter", "fury", "gcrane", "gem", "gemfury", "gh",
    "glab", "gleam", "goreleaser", "gradle", "gradlew", "hatch", "helm", "hf", "hub", "huggingface-cli",
    "jf", "jfrog", "jreleaser", "jsr", "kaggle", "knife", "ko", "lein", "lerna", "luarocks", "maturin",
    "melos", "mill", "mix", "multi-semantic-release", "mvn", "mvnw", "nerdctl", "nimble", "np", "npm",
    "nuget", "nx", "opam", "oras", "osc", "ovsx", "package_cloud", "pdk", "pdm", "pixi", "pnpm", "pod",
    "podman", "podman-compose", "poetry", "publish-module", "publish-psresource", "publish-script",
    "python*", "rake", "rattler-build", "rebar3", "regctl", "release-it", "release-plz", "rhpkg", "rush",
    "rye", "sbt", "semantic-release", "skopeo", "snapcraft", "spin", "stack", "swift", "timoni", "tsp",
    "twine", "uv", "vagrant", "vsce", "wasm-pack", "wasmer", "web-ext", "xcrun", "yarn",
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
        "pnpm -r publish",
        "docker push acme/app:latest",
        "docker buildx build --push -t acme/app .",
        "docker compose push",
        "helm push app-1.0.tgz oci://registry.example.net",
        "skopeo copy docker://a docker://registry.example.net/a",
        "./gradlew publishToMavenCentral",
        "mvn nexus-staging:release",
        "sbt +publishSigned",
        "lein deploy clojars",
        "cabal upload --publish dist/x.tar.gz",
        "python setup.py sdist upload",
        "python -m flit publish",
        "cargo release --execute",
        "cargo workspaces publish",
        "maturin upload dist/*",
        "rebar3 hex publish",
        "fastlane ios release",
        "xcrun altool --upload-app -f x.ipa",
        "ansible-galaxy collection publish x.tar.gz",
        "gh release create v1",
        "hf upload me/x .",
        "dput ppa:me/x x.changes",
        "npx np",
        "bazel run //app:push",
        "melos publish --no-dry-run",
    ],
    near_misses: &[
        "npm publish --dry-run",
        "cargo publish --dry-run",
        "cargo publish -n",
        "npm pack",
        "goreleaser release --snapshot",
        "./gradlew publishToMavenLocal",
        "sbt publishLocal",
        "cargo release",
        "melos publish",
        "docker buildx build -t acme/app .",
    ],
    safe: &[
        "npm run build",
        "npm run publish-docs",
        "cargo package",
        "cargo build",
        "twine check dist/*",
        "mvn -q test",
        "mvn install",
        "dotnet publish -c Release",
        "docker pull alpine",
        "helm package x",
        "skopeo copy docker://a dir:x",
        "gh release list",
        "fastlane lanes",
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
    let words = || look.operands().iter().filter_map(|w| w.known());
    let publishes = match look.name {
        "semantic-release" | "multi-semantic-release" | "release-it" | "np" => true,
        "publish-module" | "publish-script" | "publish-psresource" => true,
        "dput" | "dput-ng" | "debrelease" | "cpan-upload" => !look.words().is_empty(),
        // Goals of a build may stand in any order.
        "mvn" | "mvnw" => words().any(|goal| {
            matches!(
                goal,
                "deploy" | "release:perform" | "central-publishing:publish" | "jib:build"
            ) || ["deploy:", "nexus-staging:", "jreleaser:"]
                .iter()
                .any(|plugin| goal.starts_with(plugin))
        }),
        "gradle" | "gradlew" => words().any(is_task),
        "sbt" | "mill" => words().any(|task| {
            let task = task.trim_start_matches('+');
            let task = task.rsplit(['/', '.', ' ']).next().unwrap_or(task);
            matches!(
                task,
                "publish" | "publishSigned" | "publishAll" | "ci-release" | "release"
            ) || task.starts_with("sonatype") && task.ends_with("Release")
        }),
        "clj" | "clojure" => words().any(|w| w == "deploy"),
        "bazel" | "bazelisk" => {
            look.verbs(&["run"])
                && words().any(|target| {
                    let name = target.rsplit(':').next().unwrap_or(target);
                    let last = name.rsplit(['.', '_', '-']).next().unwrap_or(name);
                    target.contains("//") && matches!(last, "push" | "publish" | "deploy")
                })
        }
        "xcrun" => look.verbs(&["altool"]) && has_start(look, "--upload-"),
        "skopeo" => {
            (look.verbs(&["copy"]) || look.verbs(&["sync"]))
                && words()
                    .next_back()
                    .is_some_and(|to| to.starts_with("docker://"))
                || look.verbs(&["sync"]) && look.has_word("--dest")
        }
        "earthly" => look.has('\0', "push"),
        "melos" => look.verbs(&["publish"]) && look.has_word("--no-dry-run"),
        "python" => publishes_as_module(look),
        "cargo" => {
            // `cargo +stable publish`
            let verb = words().find(|w| !w.starts_with('+'));
            let executes = look.has('x', "execute");
            verb == Some("publish")
                || has_verb(look, PUBLISHES)
                || matches!(verb, Some("release" | "smart-release")) && executes
        }
        "docker" | "podman" | "nerdctl" => {
            has_verb(look, PUBLISHES)
                || words().take(2).any(|w| matches!(w, "build" | "bake")) && look.has_word("--push")
        }
        "fastlane" => {
            has_verb(look, PUBLISHES)
                || matches!(look.operand(0), Some("ios" | "android" | "mac"))
                    && matches!(look.operand(1), Some("release" | "deploy" | "beta"))
        }
        _ => has_verb(look, PUBLISHES),
    };
    publishes.then(|| look.hit())
}

/// Tasks of Gradle that publish to somewhere else than this machine.
fn is_task(task: &str) -> bool {
    let task = task.rsplit(':').next().unwrap_or(task);
    if task.contains("Local") {
        return false;
    }
    let to = ["All", "Plugins", "To"];
    let named = task.strip_prefix("publish").is_some_and(|rest| {
        rest.is_empty() || to.iter().any(|t| rest.starts_with(t)) || rest.ends_with("Repository")
    });
    named
        || matches!(
            task,
            "uploadArchives"
                | "artifactoryPublish"
                | "bintrayUpload"
                | "jib"
                | "jreleaserFullRelease"
                | "jreleaserDeploy"
                | "jreleaserUpload"
                | "jreleaserRelease"
                | "nmcpPublish"
        )
        || task.starts_with("closeAndRelease")
        || task.starts_with("releaseSonatype")
}

fn has_start(look: &Look<'_>, start: &str) -> bool {
    look.words()
        .iter()
        .any(|w| w.known_prefix().starts_with(start))
}

/// `python -m twine upload`, `python setup.py sdist upload`
fn publishes_as_module(look: &Look<'_>) -> bool {
    let Some(module) = super::sources::module(look) else {
        let script = look.word(0).unwrap_or("");
        return (script == "setup.py" || script.ends_with("/setup.py"))
            && (look.has_word("upload") || look.has_word("register"));
    };
    let verb = look.words().iter().position(|w| w.known() == Some("-m"));
    let verb = verb.and_then(|at| look.word(at + 2));
    matches!(
        (module, verb),
        ("twine", Some("upload"))
            | (
                "flit" | "poetry" | "hatch" | "pdm" | "uv" | "maturin",
                Some("publish")
            )
            | ("maturin", Some("upload"))
    )
}

#[rustfmt::skip]
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
            &["dist-tag", "add"],
            &["team", "rm"],
            &["org", "rm"],
            &["org", "set"],
            &["profile", "set"],
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
    (&["rebar3"], &[&["hex", "retire"], &["hex", "revert"], &["hex", "owner"]]),
    (&["anaconda"], &[&["remove"]]),
    (&["aptly"], &[&["publish", "drop"], &["repo", "drop"], &["repo", "remove"], &["snapshot", "drop"], &["mirror", "drop"]]),
    (&["reprepro"], &[&["remove"], &["clearvanished"], &["deleteunreferenced"]]),
    (&["cloudsmith"], &[&["delete"], &["rm"]]),
    (&["package_cloud", "fury", "gemfury"], &[&["yank"]]),
    (&["hf", "huggingface-cli"], &[&["repo", "delete"], &["repo-files", "delete"], &["repo", "settings"]]),
    (&["kaggle"], &[&["datasets", "delete"], &["models", "delete"], &["kernels", "delete"]]),
    (&["jf", "jfrog"], &[&["rt", "delete"], &["rt", "del"], &["rt", "move"], &["rt", "repo-delete"]]),
    (&["ansible-galaxy"], &[&["role", "delete"]]),
    (&["vagrant"], &[&["cloud", "box", "delete"], &["cloud", "version", "delete"], &["cloud", "version", "revoke"]]),
    (&["knife"], &[&["cookbook", "delete"], &["node", "delete"], &["client", "delete"], &["supermarket", "unshare"], &["environment", "delete"], &["role", "delete"]]),
    (&["snapcraft", "charmcraft"], &[&["close"]]),
];

#[rustfmt::skip]
const WITHDRAWERS: &[&str] = &[
    "anaconda", "ansible-galaxy", "aptly", "cargo", "charmcraft", "cloudsmith", "dotnet", "fury", "gem",
    "gemfury", "hf", "huggingface-cli", "jf", "jfrog", "kaggle", "knife", "mix", "npm", "nuget", "ovsx",
    "package_cloud", "pnpm", "pod", "rebar3", "reprepro", "snapcraft", "vagrant", "vsce", "yarn",
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
        "npm dist-tag add x@1 latest",
        "aptly publish drop stable",
        "hf repo delete me/x",
        "knife node delete n -y",
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
