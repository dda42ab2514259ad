//! The root, and which profile of it a home is: by position alone.

use std::ffi::{OsStr, OsString};

use crate::files::Files;
use crate::path_text::{PathText, same_name};
use crate::{Platform, Profile, ProfileName};

/// Where a home stands.
pub(crate) struct Place {
    pub(crate) root: PathText,
    pub(crate) profile: Profile,
    /// Whether the home is a root, and so asks its own `active_profile`.
    pub(crate) is_root: bool,
}

/// How a home lies to the platform default.
enum Position {
    Same,
    Profile(ProfileName),
    Inside,
    Outside,
}

/// Finds the root of `home`. `default` is the platform default, if it is known.
pub(crate) fn place(files: &dyn Files, home: &PathText, default: Option<&PathText>) -> Place {
    let Some(default) = default else {
        return by_parent(files, home);
    };
    match position(files, home, default) {
        Position::Same => Place::root(default.clone(), Profile::Default),
        Position::Profile(name) => Place::of_profile(default.clone(), name),
        Position::Inside => Place::root(home.clone(), Profile::Custom),
        Position::Outside => by_parent(files, home),
    }
}

impl Place {
    pub(crate) fn of_profile(root: PathText, name: ProfileName) -> Self {
        // A folder in `profiles/` called `default` is not the default profile: that is the root.
        let profile = if name.is_default() {
            Profile::Custom
        } else {
            Profile::Named(name)
        };
        Self {
            root,
            profile,
            is_root: false,
        }
    }

    fn root(root: PathText, profile: Profile) -> Self {
        Self {
            root,
            profile,
            is_root: true,
        }
    }
}

fn position(files: &dyn Files, home: &PathText, default: &PathText) -> Position {
    let by_text = match home.has_parent_steps() {
        true => Position::Outside,
        false => position_by_text(home, default),
    };
    if matches!(by_text, Position::Same | Position::Profile(_)) {
        return by_text;
    }
    let real_home = real(files, home);
    let by_links = position_by_text(&real_home, &real(files, default));
    if !matches!(by_links, Position::Outside) {
        return by_links;
    }
    match linked_profile(files, &real_home, default) {
        Some(name) => Position::Profile(name),
        None => by_text,
    }
}

fn position_by_text(home: &PathText, default: &PathText) -> Position {
    match home.below(default) {
        None => Position::Outside,
        Some([]) => Position::Same,
        Some([profiles, name]) if is_profiles(home.platform(), profiles) => {
            match profile_name(home.platform(), name) {
                Some(name) => Position::Profile(name),
                None => Position::Inside,
            }
        }
        Some(_) => Position::Inside,
    }
}

/// A profile of the default root may be a link to a folder elsewhere, and the home that folder.
fn linked_profile(
    files: &dyn Files,
    real_home: &PathText,
    default: &PathText,
) -> Option<ProfileName> {
    let name = profile_name(real_home.platform(), real_home.file_name()?)?;
    let candidate = real(files, &default.join("profiles").join(&name));
    candidate.below(real_home)?.is_empty().then_some(name)
}

fn by_parent(files: &dyn Files, home: &PathText) -> Place {
    let resolved = home.has_parent_steps().then(|| real(files, home));
    let named = resolved.as_ref().unwrap_or(home);
    match profile_of_parent(named) {
        Some((root, name)) => Place::of_profile(root, name),
        None => Place::root(home.clone(), Profile::Default),
    }
}

fn profile_of_parent(home: &PathText) -> Option<(PathText, ProfileName)> {
    let name = profile_name(home.platform(), home.file_name()?)?;
    let parent = home.parent()?;
    is_profiles(home.platform(), parent.file_name()?).then_some(())?;
    Some((parent.parent()?, name))
}

fn is_profiles(platform: Platform, name: &OsStr) -> bool {
    same_name(platform, name, OsStr::new("profiles"))
}

/// Where case is ignored, a folder `Coder` is the profile `coder`.
fn profile_name(platform: Platform, dir: &OsStr) -> Option<ProfileName> {
    match platform {
        Platform::Unix => ProfileName::from_dir_name(dir),
        Platform::Windows => ProfileName::from_dir_name(&dir.to_ascii_lowercase()),
    }
}

/// The path without links, as far as it exists; the rest stays as it is written.
fn real(files: &dyn Files, path: &PathText) -> PathText {
    for count in (0..=path.parts().len()).rev() {
        let Ok(found) = files.canonicalize(&path.path_of_first(count)) else {
            continue;
        };
        let rest: Vec<OsString> = path.parts().iter().skip(count).cloned().collect();
        return PathText::parse(path.platform(), found.as_os_str())
            .without_verbatim()
            .join_all(rest)
            .folded();
    }
    path.clone().without_verbatim().folded()
}
