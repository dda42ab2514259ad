//! Says at once that a name is in no entry of a table, by its first letter and its length.
//!
//! Most names of programs are in few tables, and each is looked up in many.

/// For each first letter, the lengths that a table has.
pub(crate) struct NameFilter([u32; 128]);

/// Lengths from here on count as one.
const LONG: usize = 31;

impl NameFilter {
    /// The filter for these names.
    pub(crate) const fn of(names: &[&str]) -> Self {
        let mut filter = Self::empty();
        let mut rest = names;
        while let Some((name, more)) = rest.split_first() {
            filter = filter.with(name);
            rest = more;
        }
        filter
    }

    pub(crate) const fn empty() -> Self {
        Self([0; 128])
    }

    /// The same with one name more.
    #[allow(
        clippy::indexing_slicing,
        reason = "run when tables are compiled, and the letter is below 128"
    )]
    pub(crate) const fn with(mut self, name: &str) -> Self {
        if let Some((&first, _)) = name.as_bytes().split_first()
            && first < 128
        {
            let length = if name.len() < LONG { name.len() } else { LONG };
            self.0[first as usize] |= 1 << length;
        }
        self
    }

    /// False if the table certainly has no such name.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let Some(first) = name.bytes().next() else {
            return true;
        };
        let lengths = self.0.get(usize::from(first)).copied().unwrap_or(u32::MAX);
        lengths & (1 << name.len().min(LONG)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_table_always_passes() {
        let long = "a".repeat(80);
        let names = ["rm", "é", "", long.as_str(), "mkfs.ext4"];
        let filter = NameFilter::of(&names);
        assert!(names.iter().all(|name| filter.may_have(name)));
        assert!(!filter.may_have("rmdir") && !filter.may_have("ls"));
    }
}
