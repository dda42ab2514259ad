//! hermes-fts
