//! The two entry points of the Python Hermes, under their names.

use crate::flow::{Approver, Entry, GuardResult};
use crate::situation::CommandRequest;

/// All stages: what the terminal tool calls. [`Approver::check`] with its outcome as a plain object.
///
/// The environment that the reference reads, its callback and its backend are in the request.
pub fn check_all_command_guards(approver: &Approver, request: &CommandRequest) -> GuardResult {
    GuardResult::from(&approver.check(request))
}

/// The older entry point: no scanner is run, and `approvals.mode` is not looked at, so that
/// neither `off` nor `smart` counts; yolo does.
///
/// Different from the reference, the sudo guard and the person's own lists hold here, too: they
/// are never loosened.
pub fn check_dangerous_command(approver: &Approver, request: &CommandRequest) -> GuardResult {
    GuardResult::from(&approver.check_by(request, Entry::DetectorOnly))
}
