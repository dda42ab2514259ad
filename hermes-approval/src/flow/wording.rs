//! What the model is told about a command that may not run.

use super::outcome::{Headless, Stage};
use crate::display::one_line;
use crate::redact::redact;
use crate::verdict::Verdict;
use crate::{Answer, AnsweredBy};

/// The floor, the sudo guard, the person's own list, or nobody there.
pub(super) fn blocked(
    stage: Stage,
    verdict: &Verdict,
    by: Option<&str>,
    headless: Option<Headless>,
    description: Option<&str>,
) -> String {
    let why = description
        .or(verdict.reason.as_deref())
        .map_or("It needs approval.", str::trim);
    let instead = verdict
        .alternative
        .map(|text| format!(" Instead: {text}"))
        .unwrap_or_default();
    match stage {
        Stage::UserDeny => format!(
            "BLOCKED: the user's own rule `{}` forbids this command. No setting and no approval \
             lifts it; do not try it in another form.",
            shown(by.unwrap_or_default())
        ),
        Stage::Hardline => format!(
            "BLOCKED (hardline): {}{instead} Nothing lifts this: no approval, no mode, no yolo. If it \
             is really wanted, the user has to run it outside of the agent.",
            verdict.reason.as_deref().unwrap_or(why)
        ),
        Stage::SudoGuard => {
            "BLOCKED: this hands a password to sudo, and none is configured. Passwords \
             are not to be guessed. The user can set SUDO_PASSWORD, or run the command themselves."
                .to_owned()
        }
        _ => {
            let setting = headless.map_or("", Headless::setting);
            let place = match headless {
                Some(Headless::CronDenied) => "a cron job has nobody who could give it",
                _ => "nobody is there to give it",
            };
            format!(
                "BLOCKED: this command needs approval, and {place} ({setting}). {why}{instead} \
                 Trying again does not help."
            )
        }
    }
}

/// A request that was not approved.
pub(super) fn denied(answer: &Answer, description: &str, stop_turn: bool) -> String {
    let mut text = match answer.by {
        AnsweredBy::Person => "BLOCKED: the user has said no to this command.".to_owned(),
        AnsweredBy::Model => "BLOCKED: the auxiliary model has said no to this command.".to_owned(),
        AnsweredBy::Timeout => format!(
            "BLOCKED: nobody answered within {:.0} s, and the command was not run. Silence is no \
             consent.",
            answer.after.as_secs_f64()
        ),
        AnsweredBy::EndOfInput | AnsweredBy::NobodyThere => {
            "BLOCKED: this command needs approval, and nobody could be asked.".to_owned()
        }
        AnsweredBy::NotifyFailed => {
            "BLOCKED: the request for approval could not be brought to the user.".to_owned()
        }
        AnsweredBy::Closed => {
            "BLOCKED: the conversation was ended before the user had answered.".to_owned()
        }
        AnsweredBy::Interrupted => {
            "BLOCKED: the agent was told to stop before the user had answered.".to_owned()
        }
        AnsweredBy::Full => {
            "BLOCKED: too many requests for approval are waiting already.".to_owned()
        }
        AnsweredBy::Failed => "BLOCKED: the question for approval itself failed.".to_owned(),
    };
    if let Some(reason) = answer.reason.as_deref() {
        text.push_str(&format!(
            " Reason: {}.",
            shown(reason.trim_end_matches('.'))
        ));
    }
    if !description.is_empty() {
        text.push_str(&format!(" It was asked about because: {description}"));
    }
    text.push_str(match answer.by {
        AnsweredBy::Person => {
            " There is no consent: do not run it again, in another form, or by other means to the \
             same end. Ask what is wanted instead."
        }
        _ => " There is no consent: do not reach the same by other means. Go on with what needs none.",
    });
    if stop_turn {
        text.push_str(" End your turn now.");
    }
    text
}

fn shown(text: &str) -> String {
    one_line(redact(text).as_str())
}
