//! Who may depend on whom: the crate graph, and dependencies that are confined to one crate.

use crate::policy::{Confined, Layer};
use crate::workspace::{Kind, Member};

/// Every dependency between crates of ours that the table does not allow, and every crate of ours
/// that the table does not know.
pub(crate) fn misplaced(members: &[Member], layers: &[Layer], for_tests: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for member in members {
        let Some(layer) = layers.iter().find(|layer| layer.name == member.name) else {
            found.push(format!(
                "{}: has no line in LAYERS (xtask/src/policy.rs); say what it may depend on",
                member.name
            ));
            continue;
        };
        for dependency in &member.dependencies {
            let name = dependency.name.as_str();
            let ours = members.iter().any(|m| m.name == name);
            let allowed = layer.uses.contains(&name)
                || (dependency.kind == Kind::Dev && for_tests.contains(&name));
            if ours && !allowed {
                found.push(format!(
                    "{}: must not depend on {name}{}; it may use: {}",
                    member.name,
                    if dependency.kind == Kind::Dev {
                        ", not even in tests"
                    } else {
                        ""
                    },
                    if layer.uses.is_empty() {
                        "no crate of ours".to_owned()
                    } else {
                        layer.uses.join(", ")
                    }
                ));
            }
        }
    }
    found
}

/// Every dependency on something that is confined to other crates.
pub(crate) fn escaped(members: &[Member], confined: &[Confined]) -> Vec<String> {
    let mut found = Vec::new();
    for rule in confined {
        for member in members {
            let name = member.name.as_str();
            let allowed = |kind: Kind| {
                rule.to.contains(&name) || (kind == Kind::Dev && rule.tests_of.contains(&name))
            };
            let escapes = member
                .dependencies
                .iter()
                .any(|d| d.name == rule.name && !allowed(d.kind));
            if escapes {
                found.push(format!(
                    "{name}: must not depend on {}: {}",
                    rule.name, rule.reason
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{CONFINED, FOR_TESTS, LAYERS};
    use crate::workspace::Dependency;

    fn member(name: &str, dependencies: &[(&str, Kind)]) -> Member {
        Member {
            name: name.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|&(name, kind)| Dependency {
                    name: name.to_owned(),
                    kind,
                })
                .collect(),
            ..Member::default()
        }
    }

    #[test]
    fn dependencies_go_along_the_lines_only() {
        let good = [
            member("hermes-home", &[]),
            member(
                "hermes-fts",
                &[("hermes-testdata", Kind::Dev), ("regex", Kind::Normal)],
            ),
            member("hermes-state", &[("hermes-fts", Kind::Normal)]),
            member("hermes-testdata", &[]),
        ];
        assert_eq!(misplaced(&good, LAYERS, FOR_TESTS), [""; 0]);

        let bad = [
            member("hermes-home", &[("hermes-fts", Kind::Dev)]),
            member("hermes-fts", &[("hermes-testdata", Kind::Normal)]),
            member("hermes-state", &[("hermes-kit", Kind::Normal)]),
            member("hermes-kit", &[]),
            member("hermes-testdata", &[]),
            member("hermes-new", &[]),
        ];
        let found = misplaced(&bad, LAYERS, FOR_TESTS);
        let named: Vec<&str> = found
            .iter()
            .filter_map(|line| line.split(':').next())
            .collect();
        assert_eq!(
            named,
            ["hermes-home", "hermes-fts", "hermes-state", "hermes-new"]
        );
    }

    #[test]
    fn only_one_crate_opens_a_store() {
        let members = [
            member("hermes-state", &[("rusqlite", Kind::Normal)]),
            member("hermes-fts", &[("rusqlite", Kind::Dev)]),
        ];
        assert_eq!(escaped(&members, CONFINED), [""; 0]);
        let members = [
            member("hermesctl", &[("rusqlite", Kind::Dev)]),
            member("hermes-fts", &[("rusqlite", Kind::Normal)]),
        ];
        assert_eq!(escaped(&members, CONFINED).len(), 2);
    }

    #[test]
    fn the_table_of_layers_has_no_circle_and_no_unknown_name() {
        // Repeatedly take away what depends on nothing that is left: a circle would stay.
        let mut left: Vec<&Layer> = LAYERS.iter().collect();
        while !left.is_empty() {
            let names: Vec<&str> = left.iter().map(|layer| layer.name).collect();
            let before = left.len();
            left.retain(|layer| layer.uses.iter().any(|used| names.contains(used)));
            assert!(left.len() < before, "a circle among {names:?}");
        }
        for layer in LAYERS {
            for used in layer.uses {
                assert!(LAYERS.iter().any(|l| l.name == *used), "{used}");
            }
        }
    }
}
