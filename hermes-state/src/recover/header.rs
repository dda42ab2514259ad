//! The first 100 bytes of a database file.

/// Their number.
pub(crate) const LENGTH: usize = 100;

/// What every database begins with.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A header, as far as it makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) page_size: usize,
    /// Bytes at the end of each page that are not used.
    pub(crate) reserved: usize,
    /// 1: UTF-8; 2 and 3: UTF-16, little and big end first.
    pub(crate) encoding: u32,
    /// Pages, as the header says.
    pub(crate) pages: u32,
    /// The first page of the list of free pages.
    pub(crate) first_free: u32,
}

impl Header {
    /// Reads it, whatever its first 16 bytes are. `None` where the rest makes no sense.
    pub(crate) fn read(first: &[u8]) -> Option<Header> {
        let page_size = match be16(first, 16)? {
            1 => 65536,
            n => usize::from(n),
        };
        let fractions = first.get(21..24)?;
        let reserved = usize::from(*first.get(20)?);
        let encoding = be32(first, 56)?;
        let sensible = page_size.is_power_of_two()
            && (512..=65536).contains(&page_size)
            && fractions == [64, 32, 32]
            && page_size - reserved >= 480
            && encoding <= 3;
        sensible.then_some(Header {
            page_size,
            reserved,
            encoding,
            pages: be32(first, 28)?,
            first_free: be32(first, 32)?,
        })
    }
}

/// The bytes that a file with these first ones should have.
pub(crate) fn claimed_bytes(first: &[u8]) -> Option<u64> {
    let header = Header::read(first)?;
    // The number is valid only if it was written by the last program that changed the file.
    let valid = be32(first, 24) == be32(first, 92);
    let bytes = u64::from(header.pages) * u64::try_from(header.page_size).ok()?;
    valid.then_some(bytes)
}

/// Whether a file of so many bytes looks like a database, though it does not begin like one.
pub(crate) fn is_likely_database(first: &[u8], bytes: u64) -> bool {
    let Some(header) = Header::read(first) else {
        return false;
    };
    let page_size = u64::try_from(header.page_size).unwrap_or(u64::MAX);
    bytes >= page_size && bytes.is_multiple_of(page_size)
}

pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(field.try_into().ok()?))
}

pub(crate) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(field.try_into().ok()?))
}
