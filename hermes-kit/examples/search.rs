//! Searches the store of the home that the environment points at:
//! `cargo run -p hermes-kit --example search -- docker compose`

use hermes_kit::Hermes;
use hermes_kit::state::SearchOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let query = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let hermes = Hermes::builder().read_only().open()?;
    println!("{} in {}", query, hermes.home().display());
    for found in hermes.store()?.search(&SearchOptions::new(query))?.matches {
        println!(
            "{} {} {}",
            found.session_id,
            found.role,
            found.snippet.unwrap_or_default()
        );
    }
    Ok(())
}
