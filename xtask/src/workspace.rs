//! The workspace as cargo sees it: members, their targets and dependencies, and the whole graph.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Context, Result};
use crate::process::Program;

/// The members, from `cargo metadata --no-deps`.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target_dir: PathBuf,
    /// In the order of their names.
    pub(crate) members: Vec<Member>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its folder, relative to the root, with `/`.
    pub(crate) dir: String,
    /// Whether it is meant for a registry.
    pub(crate) published: bool,
    pub(crate) has_library: bool,
    pub(crate) examples: Vec<String>,
    /// Whether it has any feature, optional dependencies included.
    pub(crate) has_features: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

/// A package of the whole graph: any platform, all features, development dependencies too.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        let here = std::env::current_dir().context(|| "the current folder".to_owned())?;
        let metadata = metadata(&here, &["--no-deps"])?;
        Self::from_metadata(&metadata)
    }

    fn from_metadata(metadata: &Value) -> Result<Self> {
        let root = PathBuf::from(text(metadata, "workspace_root")?);
        let mut members = list(metadata, "packages")?
            .iter()
            .map(|package| member(package, &root))
            .collect::<Result<Vec<_>>>()?;
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            target_dir: PathBuf::from(text(metadata, "target_directory")?),
            root,
            members,
        })
    }

    pub(crate) fn published(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.published)
    }

    /// A program that cargo has built: `profile` is the folder's name (`debug`, `release`).
    pub(crate) fn binary(&self, profile: &str, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.target_dir.join(profile).join(file)
    }

    /// Every package of the graph, sorted by name and version.
    pub(crate) fn packages(&self) -> Result<Vec<Package>> {
        let metadata = metadata(&self.root, &["--all-features"])?;
        let mut packages = list(&metadata, "packages")?
            .iter()
            .map(|package| {
                Ok(Package {
                    name: text(package, "name")?.to_owned(),
                    version: text(package, "version")?.to_owned(),
                    license: package
                        .get("license")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(packages)
    }
}

fn metadata(dir: &Path, extra: &[&str]) -> Result<Value> {
    let bytes = Program::cargo(dir)
        .args(["metadata", "--format-version", "1"])
        .args(extra)
        .output()?;
    serde_json::from_slice(&bytes).context(|| "the output of cargo metadata".to_owned())
}

fn member(package: &Value, root: &Path) -> Result<Member> {
    let manifest = Path::new(text(package, "manifest_path")?);
    let dir = manifest
        .parent()
        .and_then(|dir| dir.strip_prefix(root).ok())
        .context(|| format!("{} is outside of the workspace", manifest.display()))?;
    let targets = list(package, "targets")?;
    let is_library = |target: &&Value| has_kind(target, "lib") || has_kind(target, "proc-macro");
    Ok(Member {
        name: text(package, "name")?.to_owned(),
        dir: dir.to_string_lossy().replace('\\', "/"),
        // `publish = false` is an empty list of registries.
        published: package
            .get("publish")
            .and_then(Value::as_array)
            .is_none_or(|registries| !registries.is_empty()),
        has_library: targets.iter().any(|target| is_library(&target)),
        examples: targets
            .iter()
            .filter(|target| has_kind(target, "example"))
            .map(|target| Ok(text(target, "name")?.to_owned()))
            .collect::<Result<_>>()?,
        has_features: package
            .get("features")
            .and_then(Value::as_object)
            .is_some_and(|features| !features.is_empty()),
        dependencies: list(package, "dependencies")?
            .iter()
            .map(dependency)
            .collect::<Result<_>>()?,
    })
}

fn dependency(value: &Value) -> Result<Dependency> {
    Ok(Dependency {
        name: text(value, "name")?.to_owned(),
        kind: match value.get("kind").and_then(Value::as_str) {
            Some("dev") => Kind::Dev,
            Some("build") => Kind::Build,
            _ => Kind::Normal,
        },
    })
}

fn has_kind(target: &Value, kind: &str) -> bool {
    target
        .get("kind")
        .and_then(Value::as_array)
        .is_some_and(|kinds| kinds.iter().any(|k| k == kind))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value
        .get(key)
        .and_then(Value::as_str)
        .context(|| format!("cargo metadata has no text {key:?}"))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value]> {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .context(|| format!("cargo metadata has no list {key:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_of_this_workspace_are_read() {
        let ws = Workspace::load().unwrap();
        let find = |name: &str| ws.members.iter().find(|m| m.name == name).unwrap();
        let xtask = find("xtask");
        assert!(!xtask.published && !xtask.has_library);
        assert_eq!(xtask.dir, "xtask");
        let fts = find("hermes-fts");
        assert!(fts.published && fts.has_library);
        let of_xtask = |name: &str| xtask.dependencies.iter().any(|d| d.name == name);
        assert!(of_xtask("hermes-testdata") && of_xtask("serde_json"));
    }
}
