//! Trees that are selected as a whole.

use crate::environment::AnalysisEnv;
use crate::paths::is_windows;

/// A tree that is selected as a whole, from the least to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tree {
    /// The working directory.
    Here,
    /// A directory above it.
    Above,
    /// The home of Hermes.
    HermesHome,
    /// The home of somebody else.
    OtherHome,
    /// The user's own home.
    Home,
    /// A tree that the system can't do without.
    System,
    /// The root of the file system, or of a drive.
    Root,
}

impl Tree {
    /// The tree that a path selects that code of another language names; `~` is the home.
    pub fn of_text(path: &str, env: &AnalysisEnv) -> Option<Self> {
        let home = |rest: &str| format!("{}{rest}", env.user_home);
        match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => of(&home(rest), true, env),
            _ => of(&super::normal(path), true, env),
        }
    }

    /// True for a system tree by its plain path.
    pub(crate) fn is_system(path: &str) -> bool {
        SYSTEM.binary_search(&path).is_ok()
    }

    /// True for what can't be put right: the root, a system tree, the user's home.
    pub fn is_vital(self) -> bool {
        self >= Self::Home
    }
}

/// The system trees, in order.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "/Applications", "/Library", "/System", "/System/Library", "/Users", "/bin", "/boot", "/boot/efi",
    "/dev", "/efi", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/nix/store",
    "/private", "/private/etc", "/private/var", "/proc", "/root", "/run", "/sbin", "/sys", "/usr",
    "/usr/bin", "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/sbin",
    "/usr/share", "/var", "/var/db", "/var/lib",
];

/// Trees of a Windows drive, below `X:`, in small letters.
const WINDOWS: &[&str] = &[
    "/program files",
    "/program files (x86)",
    "/programdata",
    "/users",
    "/windows",
    "/windows/system32",
];

/// The tree that a path without `.` and `..` selects; in a pattern, parts at the end that fit
/// everything select what is in front of them.
pub(super) fn of(path: &str, pattern: bool, env: &AnalysisEnv) -> Option<Tree> {
    if is_windows(path) {
        return of_drive(path);
    }
    if path.is_empty() {
        return None;
    }
    let mut path = path.trim_end_matches('/');
    while let Some(last) = path
        .rsplit('/')
        .next()
        .filter(|p| pattern && fits_everything(p))
    {
        if last.len() == path.len() {
            return Some(Tree::Here);
        }
        path = path.get(..path.len() - last.len() - 1).unwrap_or("");
    }
    match path {
        "" => Some(Tree::Root),
        "." => Some(Tree::Here),
        ".." => Some(Tree::Above),
        _ if path.ends_with("/..") => Some(Tree::Above),
        _ if !path.starts_with('/') => None,
        _ if path == env.user_home.trim_end_matches('/') => Some(Tree::Home),
        _ if SYSTEM.binary_search(&path).is_ok() => Some(Tree::System),
        _ if path == env.hermes_home.trim_end_matches('/') => Some(Tree::HermesHome),
        _ if env.cwd.as_deref() == Some(path) => Some(Tree::Here),
        _ if is_home(path) => Some(Tree::OtherHome),
        _ => None,
    }
}

/// `*`, `.*`, `?*`, `[a-z]*`, `.[!.]*`: nothing in it but signs of a pattern, sets and dots.
pub(super) fn fits_everything(part: &str) -> bool {
    let mut star = false;
    let mut set = false;
    for c in part.chars() {
        match c {
            '[' if !set => set = true,
            ']' => set = false,
            _ if set => {}
            '*' | '?' => star = true,
            '.' => {}
            _ => return false,
        }
    }
    star && part != ".." && part != "."
}

fn is_home(path: &str) -> bool {
    let mut parts = path.split('/').skip(1);
    matches!(parts.next(), Some("home" | "Users"))
        && parts.next().is_some_and(|name| !name.is_empty())
        && parts.next().is_none()
}

/// `C:\`, `C:\*`, `C:\Windows`, `C:\Users\name`.
fn of_drive(path: &str) -> Option<Tree> {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let rest = path.get(2..)?.trim_end_matches(['*', '.']);
    let rest = rest.trim_end_matches('/');
    if rest.is_empty() {
        return Some(Tree::Root);
    }
    if WINDOWS.binary_search(&rest).is_ok() {
        return Some(Tree::System);
    }
    let below = rest.strip_prefix("/users/")?;
    (!below.contains('/')).then_some(Tree::Home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str) -> Option<Tree> {
        of(path, true, &AnalysisEnv::new("/home/sam"))
    }

    #[test]
    fn tables_are_in_order() {
        assert!(SYSTEM.is_sorted());
        assert!(WINDOWS.is_sorted());
    }

    #[test]
    fn whole_trees_are_told_from_what_lies_in_them() {
        use Tree::*;
        for (path, expected) in [
            ("/", Some(Root)),
            ("/*", Some(Root)),
            ("/*/*", Some(Root)),
            ("/[a-z]*", Some(Root)),
            ("/??*", Some(Root)),
            ("/etc", Some(System)),
            ("/etc/", Some(System)),
            ("/usr/lib/*", Some(System)),
            ("/etc/nginx", None),
            ("/home/sam", Some(Home)),
            ("/home/sam/.*", Some(Home)),
            ("/home/sam/x", None),
            ("/home/eve", Some(OtherHome)),
            ("/home/eve/x", None),
            ("/home/sam/.hermes", Some(HermesHome)),
            ("*", Some(Here)),
            (".", Some(Here)),
            ("..", Some(Above)),
            ("../..", Some(Above)),
            ("../lib", None),
            ("*.log", None),
            ("/tmp/*", None),
            ("C:\\", Some(Root)),
            ("c:/*", Some(Root)),
            ("C:\\Windows", Some(System)),
            ("C:\\data", None),
        ] {
            assert_eq!(tree(path), expected, "{path}");
        }
        assert_eq!(
            of("/*", false, &AnalysisEnv::new("/home/sam")),
            None,
            "quoted"
        );
    }
}
