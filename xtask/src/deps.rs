//! The dependency check: licences, duplicate versions, and the layers of the workspace.

use std::collections::BTreeMap;
use std::fs;

use crate::error::{Context, Error, Result};
use crate::policy::{CONFINED, DUPLICATES, Duplicate, FOR_TESTS, LAYERS, LICENSES};
use crate::workspace::{Package, Workspace};
use crate::{deny, layers, license};

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    match arguments {
        [] => check(ws),
        [flag] if flag == "--write" => {
            let path = ws.root.join(deny::FILE);
            fs::write(&path, deny::rendered()).context(|| format!("writing {}", path.display()))?;
            println!("wrote {}", deny::FILE);
            Ok(())
        }
        other => Err(Error::usage(format!("deps does not take {other:?}"))),
    }
}

/// Checks the whole graph: every platform, all features, development dependencies too.
pub(crate) fn check(ws: &Workspace) -> Result<()> {
    let packages = ws.packages()?;
    let mut found = refused_licenses(&packages, LICENSES);
    found.extend(duplicates(&packages, DUPLICATES));
    found.extend(layers::misplaced(&ws.members, LAYERS, FOR_TESTS));
    found.extend(layers::escaped(&ws.members, CONFINED));
    for line in &found {
        println!("   {line}");
    }
    if !found.is_empty() {
        return Err(Error::failed(format!(
            "{} findings in the dependencies (the rules are in xtask/src/policy.rs)",
            found.len()
        )));
    }
    println!(
        "   {} packages: licences accepted, no unexpected second version, layers kept",
        packages.len()
    );
    Ok(())
}

fn refused_licenses(packages: &[Package], accepted: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let Package { name, version, .. } = package;
        let Some(expression) = &package.license else {
            found.push(format!("{name} {version}: names no licence"));
            continue;
        };
        match license::satisfied(expression, accepted) {
            Ok(true) => {}
            Ok(false) => found.push(format!(
                "{name} {version}: licence {expression:?} is not accepted"
            )),
            Err(error) => found.push(format!("{name} {version}: {error}")),
        }
    }
    found
}

/// Crates that are there in more than one version, less those on the list; and entries of the
/// list that allow nothing.
fn duplicates(packages: &[Package], allowed: &[Duplicate]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions
            .entry(&package.name)
            .or_default()
            .push(&package.version);
    }
    let listed = |name: &str, version: &str| {
        allowed
            .iter()
            .any(|entry| entry.name == name && entry.version == version)
    };
    let mut found = Vec::new();
    for (name, versions) in &versions {
        let unlisted = versions.iter().filter(|version| !listed(name, version));
        if unlisted.count() > 1 {
            found.push(format!(
                "{name}: is there as {}; agree on one, or list the older with a reason",
                versions.join(" and ")
            ));
        }
    }
    for entry in allowed {
        let needed = versions
            .get(entry.name)
            .is_some_and(|found| found.len() > 1 && found.contains(&entry.version));
        if !needed {
            found.push(format!(
                "{} {}: is no duplicate any more; take it off the list ({})",
                entry.name, entry.version, entry.reason
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, license: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: license.map(str::to_owned),
        }
    }

    #[test]
    fn a_second_version_is_found_unless_it_is_listed() {
        let packages = [
            package("a", "1.0.0", None),
            package("a", "2.0.0", None),
            package("b", "1.0.0", None),
        ];
        assert_eq!(duplicates(&packages, &[]).len(), 1);
        let listed = [Duplicate {
            name: "a",
            version: "1.0.0",
            reason: "c has not moved yet",
        }];
        assert_eq!(duplicates(&packages, &listed), [""; 0]);
    }

    #[test]
    fn an_entry_that_allows_nothing_is_found() {
        let entry = |name, version| {
            [Duplicate {
                name,
                version,
                reason: "once needed",
            }]
        };
        let packages = [package("a", "2.0.0", None)];
        for listed in [
            entry("a", "1.0.0"),
            entry("a", "2.0.0"),
            entry("gone", "1.0.0"),
        ] {
            assert_eq!(duplicates(&packages, &listed).len(), 1, "{listed:?}");
        }
    }

    #[test]
    fn a_licence_is_missing_refused_or_accepted() {
        let packages = [
            package("none", "1.0.0", None),
            package("strict", "1.0.0", Some("GPL-3.0-only")),
            package("broken", "1.0.0", Some("MIT OR")),
            package("fine", "1.0.0", Some("MIT OR GPL-3.0-only")),
        ];
        let found = refused_licenses(&packages, &["MIT"]);
        let named: Vec<&str> = found
            .iter()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert_eq!(named, ["none", "strict", "broken"]);
    }

    #[test]
    fn every_listed_duplicate_says_why() {
        for entry in DUPLICATES {
            assert!(entry.reason.len() > 10, "{entry:?}");
        }
    }
}
