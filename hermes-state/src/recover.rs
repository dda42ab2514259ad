//! Reading a damaged database without SQLite: the file format, page by page.

pub(crate) mod header;
