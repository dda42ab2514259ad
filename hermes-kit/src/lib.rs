//! hermes-kit
