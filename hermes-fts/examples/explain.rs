//! Prints how a query is read: `cargo run --example explain -- 'docker-compose NOT "old way"'`

use hermes_fts::sanitize;

fn main() {
    let input = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    print!("{}", sanitize(&input).explain());
}
