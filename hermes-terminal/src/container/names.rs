//! Names of containers and folders, from those of tasks.

/// The longest part of a name that is a task's own.
const LONGEST: usize = 40;

/// A text that any program takes for a name: what is no letter or digit is left out.
pub(crate) fn slug(task: &str) -> String {
    let mut slug: String = task
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(LONGEST)
        .collect();
    if slug.is_empty() {
        slug.push('-');
    }
    slug
}

/// The folder of a task: its own name where that can be one, so that it is found again, and else
/// one that no other task has.
pub(crate) fn folder(task: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let can_be = !task.is_empty()
        && task.len() <= 100
        && task.chars().all(is_plain)
        && task.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && !task.ends_with([' ', '.']);
    if can_be {
        task.to_owned()
    } else {
        format!("{}~{}", slug(task), fingerprint(&[task]))
    }
}

/// The same for the same texts, in any version of this program (64 bits, FNV-1a).
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_names_stay_and_others_stay_apart() {
        for task in ["default", "my task", "20251130_1_a.b"] {
            assert_eq!(folder(task), task);
        }
        let odd = [
            "", ".", "..", "a/b", "a~b", "a:b", "../../x", "a ", "ä", "-x",
        ];
        let folders: std::collections::BTreeSet<_> = odd.iter().map(|task| folder(task)).collect();
        assert_eq!(folders.len(), odd.len(), "{folders:?}");
        assert_eq!(fingerprint(&["a", "b"]), fingerprint(&["a", "b"]));
        assert_ne!(fingerprint(&["a", "b"]), fingerprint(&["ab"]));
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
    }

    proptest! {
        #[test]
        fn no_task_leads_out_of_its_folder(task in any::<String>()) {
            let folder = folder(&task);
            prop_assert!(!folder.contains(['/', ':', ',', '\0']) && !folder.starts_with('.'));
            prop_assert!(!folder.is_empty() && folder.len() < 160);
            let slug = slug(&task);
            prop_assert!(!slug.is_empty() && slug.is_ascii());
        }
    }
}
