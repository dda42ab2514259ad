//! hermes-home
