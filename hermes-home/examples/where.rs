//! Prints where the Hermes home of this process is, and why that one. Creates nothing.
//!
//! ```text
//! cargo run -p hermes-home --example where -- [PROFILE]
//! ```

use std::process::ExitCode;

use hermes_home::{Environment, Selection};

fn main() -> ExitCode {
    let selection = Selection::new().with_profile(std::env::args().nth(1));
    let explained = selection.explain(&Environment::from_process());
    for step in &explained.steps {
        let (verdict, source) = (step.verdict.as_str(), step.source.as_str());
        println!("{verdict:<12} {source:<15} {}", step.found);
    }
    let found = match explained.outcome {
        Ok(found) => found,
        Err(error) => {
            eprintln!("error: {}\n hint: {}", error.problem(), error.hint());
            return ExitCode::FAILURE;
        }
    };
    found.announce();
    let home = &found.home;
    println!();
    println!("home     {}", home.display());
    println!("because  {}", found.source);
    println!("profile  {}", home.profile());
    println!("root     {}", home.display_path(home.root()));
    println!("store    {}", home.display_path(home.state_db()));
    ExitCode::SUCCESS
}
