//! hermes-state
