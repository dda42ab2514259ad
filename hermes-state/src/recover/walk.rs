//! From page to page of a tree, and to those that nothing leads to.

use super::page::{INDEX_INNER, INDEX_LEAF, Page, Pages, TABLE_INNER, TABLE_LEAF};
use super::record::{Row, Value, values, varint};

/// What is in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Index,
}

/// Which pages have been used, and what could not be read.
pub(super) struct Walk<'a> {
    pages: &'a Pages,
    used: Vec<bool>,
    /// Pages that make no sense where they stand.
    pub(super) damaged_pages: u64,
    /// Rows of readable pages that make no sense.
    pub(super) damaged_rows: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(pages: &'a Pages) -> Walk<'a> {
        let count = usize::try_from(pages.count).unwrap_or(usize::MAX);
        Walk {
            pages,
            used: vec![false; count.saturating_add(1)],
            damaged_pages: 0,
            damaged_rows: 0,
        }
    }

    /// Takes a page for whoever asks first.
    fn take(&mut self, number: u32) -> bool {
        let used = usize::try_from(number)
            .ok()
            .and_then(|number| self.used.get_mut(number));
        match used {
            Some(used) if number > 0 => !std::mem::replace(used, true),
            _ => false,
        }
    }

    /// The records of a tree, in order. Rows of an index have no number.
    pub(super) fn tree(&mut self, root: u32, kind: Kind, each: &mut dyn FnMut(Row)) {
        let mut stack = vec![root];
        while let Some(number) = stack.pop() {
            if !self.take(number) {
                self.damaged_pages += 1;
                continue;
            }
            let Some(page) = self.pages.page(number) else {
                self.damaged_pages += 1;
                continue;
            };
            match (kind, page.kind()) {
                (Kind::Table, TABLE_LEAF) | (Kind::Index, INDEX_LEAF) => {
                    self.records(&page, kind, each);
                }
                (Kind::Table, TABLE_INNER) | (Kind::Index, INDEX_INNER) => {
                    stack.extend(page.right_child());
                    for at in page.cells().into_iter().rev() {
                        stack.extend(page.u32(at));
                    }
                    if kind == Kind::Index {
                        self.records(&page, kind, each);
                    }
                }
                _ => self.damaged_pages += 1,
            }
        }
    }

    fn records(&mut self, page: &Page, kind: Kind, each: &mut dyn FnMut(Row)) {
        for at in page.cells() {
            let at = if page.is_inner() { at + 4 } else { at };
            match self.cell(page, at, kind) {
                Some(row) => each(row),
                None => self.damaged_rows += 1,
            }
        }
    }

    fn cell(&mut self, page: &Page, at: usize, kind: Kind) -> Option<Row> {
        let (length, used) = varint(&page.bytes, at)?;
        let mut at = at + used;
        let mut id = 0;
        if kind == Kind::Table {
            let (number, used) = varint(&page.bytes, at)?;
            id = i64::from_ne_bytes(number.to_ne_bytes());
            at += used;
        }
        let record = self.payload(page, at, usize::try_from(length).ok()?, kind)?;
        Some(Row {
            id,
            values: values(&record, self.pages.encoding)?,
        })
    }

    /// What a cell holds: as much as fits on its page, the rest on a chain of others.
    fn payload(&mut self, page: &Page, at: usize, length: usize, kind: Kind) -> Option<Vec<u8>> {
        let usable = self.pages.usable;
        let most = match kind {
            Kind::Table => usable - 35,
            Kind::Index => (usable - 12) * 64 / 255 - 23,
        };
        if length <= most {
            return page
                .bytes
                .get(at..at.checked_add(length)?)
                .map(<[u8]>::to_vec);
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let fitting = least + (length - least) % (usable - 4);
        let here = if fitting <= most { fitting } else { least };
        let end = at.checked_add(here)?;
        let mut record = page.bytes.get(at..end)?.to_vec();
        let mut next = page.u32(end)?;
        while record.len() < length {
            // A page of another row, or one that was there before, ends it.
            if !self.take(next) {
                return None;
            }
            let page = self.pages.page(next)?;
            let rest = (length - record.len()).min(usable - 4);
            record.extend_from_slice(page.bytes.get(4..4 + rest)?);
            next = page.u32(0)?;
        }
        Some(record)
    }

    /// Takes the pages that are free: what was deleted stays deleted.
    pub(super) fn take_free(&mut self) {
        let mut trunk = self.pages.first_free;
        while trunk != 0 && self.take(trunk) {
            let Some(page) = self.pages.page(trunk) else {
                return;
            };
            let most = self.pages.page_size / 4;
            let count = page
                .u32(4)
                .and_then(|n| usize::try_from(n).ok())
                .unwrap_or(0);
            for n in 0..count.min(most) {
                if let Some(leaf) = page.u32(8 + 4 * n) {
                    self.take(leaf);
                }
            }
            trunk = page.u32(0).unwrap_or(0);
        }
    }

    /// The rows of pages of tables that nothing has led to.
    pub(super) fn lost(&mut self, each: &mut dyn FnMut(Row)) {
        for number in 1..=self.pages.count {
            let unused = usize::try_from(number)
                .ok()
                .and_then(|number| self.used.get(number))
                .is_some_and(|used| !used);
            if !unused {
                continue;
            }
            if let Some(page) = self.pages.page(number)
                && page.kind() == TABLE_LEAF
                && self.take(number)
            {
                self.records(&page, Kind::Table, each);
            }
        }
    }

    /// Looks at the rows of all pages of tables, and takes none.
    pub(super) fn peek(pages: &Pages, each: &mut dyn FnMut(Row)) {
        let mut walk = Walk::new(pages);
        walk.lost(each);
    }
}

/// Whether a row is one of the table of definitions.
pub(super) fn is_definition(values: &[Value]) -> bool {
    let kinds: [&[u8]; 4] = [b"table", b"index", b"trigger", b"view"];
    matches!(
        values,
        [Value::Text(kind), Value::Text(_), Value::Text(_), Value::Integer(_), Value::Text(sql)]
            if kinds.contains(&kind.as_slice()) && sql.starts_with(b"CREATE ")
    )
}
