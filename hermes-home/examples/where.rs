//! Prints where the Hermes home of this process is, and why.
//!
//! ```text
//! cargo run -p hermes-home --example where -- [PROFILE]
//! ```

use std::process::ExitCode;

use hermes_home::{Environment, Selection};

fn main() -> ExitCode {
    let selection = Selection::new().with_profile(std::env::args().nth(1));
    let found = match selection.resolve(&Environment::from_process()) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("error: {}\n hint: {}", error.problem(), error.hint());
            return ExitCode::FAILURE;
        }
    };
    for warning in &found.warnings {
        eprintln!("warning: {warning}");
    }
    let home = &found.home;
    println!("home     {}", home.display());
    println!("because  {}", found.source);
    println!("profile  {}", home.profile());
    println!("root     {}", home.display_path(home.root()));
    println!("store    {}", home.display_path(home.state_db()));
    ExitCode::SUCCESS
}
