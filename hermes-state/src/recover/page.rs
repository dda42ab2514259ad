//! The pages of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::header::{Header, LENGTH};

/// Sizes that are tried where the header does not say one, the usual first.
const SIZES: [usize; 8] = [4096, 1024, 8192, 16384, 2048, 32768, 65536, 512];

/// Pages that are looked at to see whether a size is the right one.
const LOOKS: u32 = 64;

/// What the first byte of a page of a tree says.
pub(super) const INDEX_INNER: u8 = 2;
pub(super) const TABLE_INNER: u8 = 5;
pub(super) const INDEX_LEAF: u8 = 10;
pub(super) const TABLE_LEAF: u8 = 13;

pub(super) struct Pages {
    file: File,
    pub(super) page_size: usize,
    /// Bytes of a page that hold something.
    pub(super) usable: usize,
    /// Their number, by the length of the file.
    pub(super) count: u32,
    pub(super) encoding: u32,
    pub(super) first_free: u32,
}

impl Pages {
    pub(super) fn open(path: &Path) -> io::Result<Pages> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut first = Vec::new();
        file.by_ref()
            .take(u64::try_from(LENGTH).unwrap_or(100))
            .read_to_end(&mut first)?;
        let mut pages = Pages {
            file,
            page_size: 4096,
            usable: 4096,
            count: 0,
            encoding: 1,
            first_free: 0,
        };
        match Header::read(&first) {
            Some(header) => {
                pages.set_size(header.page_size, length);
                pages.usable = header.page_size - header.reserved;
                pages.encoding = header.encoding;
                pages.first_free = header.first_free;
            }
            None => pages.guess_size(length),
        }
        Ok(pages)
    }

    fn set_size(&mut self, page_size: usize, length: u64) {
        let size = u64::try_from(page_size).unwrap_or(u64::MAX);
        self.page_size = page_size;
        self.usable = page_size;
        // A last page that is cut short is read as if zeros followed.
        self.count = u32::try_from(length.div_ceil(size)).unwrap_or(u32::MAX);
    }

    fn guess_size(&mut self, length: u64) {
        let mut best = (0, 4096);
        for size in SIZES {
            self.set_size(size, length);
            let sensible = (2..=self.count.min(LOOKS))
                .filter(|number| {
                    self.page(*number)
                        .is_some_and(|p| p.is_sensible(self.usable))
                })
                .count();
            if sensible > best.0 {
                best = (sensible, size);
            }
        }
        self.set_size(best.1, length);
    }

    /// A page by its number, from 1. `None` where there is none, or it cannot be read.
    pub(super) fn page(&self, number: u32) -> Option<Page> {
        if number == 0 || number > self.count {
            return None;
        }
        let size = u64::try_from(self.page_size).ok()?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(u64::from(number - 1) * size))
            .ok()?;
        let mut bytes = Vec::with_capacity(self.page_size);
        file.take(size).read_to_end(&mut bytes).ok()?;
        bytes.resize(self.page_size, 0);
        Some(Page {
            bytes,
            begin: if number == 1 { LENGTH } else { 0 },
        })
    }
}

/// One page.
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    /// Where its own header begins.
    begin: usize,
}

impl Page {
    pub(super) fn kind(&self) -> u8 {
        self.bytes.get(self.begin).copied().unwrap_or(0)
    }

    pub(super) fn is_inner(&self) -> bool {
        matches!(self.kind(), INDEX_INNER | TABLE_INNER)
    }

    pub(super) fn u16(&self, at: usize) -> Option<usize> {
        super::header::be16(&self.bytes, at).map(usize::from)
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        super::header::be32(&self.bytes, at)
    }

    /// The last child of an inner page.
    pub(super) fn right_child(&self) -> Option<u32> {
        self.u32(self.begin + 8)
    }

    /// Where its cells begin.
    pub(super) fn cells(&self) -> Vec<usize> {
        let header = if self.is_inner() { 12 } else { 8 };
        let array = self.begin + header;
        // A cell takes four bytes at least, and two in this list.
        let most = self.bytes.len() / 4;
        let count = self.u16(self.begin + 3).unwrap_or(0).min(most);
        (0..count)
            .filter_map(|n| self.u16(array + 2 * n))
            .filter(|at| *at >= array)
            .collect()
    }

    /// Whether it looks like a page of a tree.
    fn is_sensible(&self, usable: usize) -> bool {
        let known = matches!(
            self.kind(),
            INDEX_INNER | TABLE_INNER | INDEX_LEAF | TABLE_LEAF
        );
        let count = self.u16(self.begin + 3).unwrap_or(usize::MAX);
        known && count > 0 && count * 4 <= usable && self.cells().iter().all(|at| *at < usable)
    }
}
