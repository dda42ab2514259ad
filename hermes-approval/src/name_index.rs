//! Finds a name in a table that is known at compile time, with one comparison.
//!
//! Each program's name is looked up in many tables, and most of them don't have it.

/// Where each name of a table stands. `SLOTS` is a power of two, at least twice the number of names.
pub(crate) struct NameIndex<const SLOTS: usize>([u16; SLOTS]);

impl<const SLOTS: usize> NameIndex<SLOTS> {
    /// The index of these names.
    pub(crate) const fn of(names: &[&str]) -> Self {
        let mut index = Self::empty();
        let mut rest = names;
        let mut at = 0;
        while let Some((name, more)) = rest.split_first() {
            index = index.with(name, at);
            rest = more;
            at += 1;
        }
        index
    }

    pub(crate) const fn empty() -> Self {
        assert!(SLOTS.is_power_of_two());
        Self([0; SLOTS])
    }

    /// The same with one name more.
    #[allow(
        clippy::indexing_slicing,
        reason = "run when tables are compiled, and the slot is below their number"
    )]
    pub(crate) const fn with(mut self, name: &str, at: u16) -> Self {
        assert!(2 * at as usize + 2 <= SLOTS, "the index needs more slots");
        let mut slot = hash(name.as_bytes()) & (SLOTS - 1);
        while self.0[slot] != 0 {
            slot = (slot + 1) & (SLOTS - 1);
        }
        self.0[slot] = at + 1;
        self
    }

    /// The place of a name in its table; `named` gives the name at a place.
    #[inline]
    pub(crate) fn find<'t>(
        &self,
        name: &str,
        named: impl Fn(usize) -> Option<&'t str>,
    ) -> Option<usize> {
        let mut slot = hash(name.as_bytes()) & (SLOTS - 1);
        // At least half of the slots are free.
        while let Some(at) = self.0.get(slot).copied()?.checked_sub(1) {
            let at = usize::from(at);
            if named(at)? == name {
                return Some(at);
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        None
    }

    /// True if a table of names has this one.
    #[inline]
    pub(crate) fn has(&self, table: &[&str], name: &str) -> bool {
        self.find(name, |at| table.get(at).copied()).is_some()
    }
}

/// The [`NameIndex`] of a table of rows that have their names in a field: `index_of!(TABLE, name)`.
macro_rules! index_of {
    ($table:expr, $field:tt) => {{
        let mut index = $crate::name_index::NameIndex::empty();
        let mut rest = $table;
        let mut at = 0;
        while let Some((row, more)) = rest.split_first() {
            index = index.with(row.$field, at);
            rest = more;
            at += 1;
        }
        index
    }};
}
pub(crate) use index_of;

/// Four letters and the length: names of programs differ in them, mostly.
#[allow(
    clippy::indexing_slicing,
    reason = "the places are below the length, which is not 0"
)]
#[inline]
const fn hash(name: &[u8]) -> usize {
    let length = name.len();
    if length == 0 {
        return 0;
    }
    let first = name[0] as u32;
    let second = name[length / 3] as u32;
    let third = name[length / 2] as u32;
    let last = name[length - 1] as u32;
    let mixed = (first | second << 8 | third << 16 | last << 24)
        ^ (length as u32).wrapping_mul(0x0101_0149);
    (mixed.wrapping_mul(0x9e37_79b1) >> 15) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let long = "a".repeat(80);
        let names = ["rm", "é", "", long.as_str(), "mkfs.ext4", "rn", "nm", "mr"];
        let index = NameIndex::<16>::of(&names);
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, |at| names.get(at).copied()), Some(at));
        }
        for other in ["rmdir", "ls", "a", "rmm", "mkfs.ext3"] {
            assert!(!index.has(&names, other), "{other}");
        }
    }
}
