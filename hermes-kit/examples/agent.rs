//! What an agent does with a model's tool calls: checks them, asks, runs them, records them.
//!
//! ```text
//! echo '{"name": "terminal", "arguments": {"command": "ls"}}' |
//!     cargo run -p hermes-kit --example agent -- a-session
//! ```

use std::error::Error;
use std::io::{self, BufRead};

use hermes_kit::Hermes;
use hermes_kit::toolkit::{BatchOptions, CallContext, ToolCall};

fn main() -> Result<(), Box<dyn Error>> {
    let session = std::env::args().nth(1).ok_or("which session?")?;
    let hermes = Hermes::builder()
        .approvals(|approver| approver.terminal_of_process())
        .situation(|situation| situation.at_terminal())
        .open()?;
    hermes.store()?.ensure_session(session.as_str())?;
    let context = CallContext::new()
        .with_session_id(&session)
        .with_task_id(&session);
    for line in io::stdin().lock().lines() {
        let call = ToolCall::from_model(&serde_json::from_str(&line?)?);
        let options = BatchOptions::default();
        let turn = hermes.run_turn(&session, None, vec![call], &options, &context);
        for result in &turn.results {
            println!("{result}");
        }
        turn.recorded?;
    }
    Ok(())
}
