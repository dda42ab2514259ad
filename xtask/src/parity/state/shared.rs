//! One file that both sides have open.

use super::Amount;
use super::differences::Reviewed;
use crate::error::Result;
use crate::parity::environment::Environment;
use crate::workspace::Workspace;

/// The two take turns: each sees what the other wrote.
pub(super) fn in_turns(
    _ws: &Workspace,
    _environment: &Environment,
    _amount: Amount,
    _reviewed: &mut Reviewed,
) -> Result<Vec<String>> {
    Ok(Vec::new())
}

/// Both write at once.
pub(super) fn at_the_same_time(_ws: &Workspace, _environment: &Environment) -> Result<Vec<String>> {
    Ok(Vec::new())
}
