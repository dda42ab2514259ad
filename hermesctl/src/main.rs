//! hermesctl
fn main() {}
