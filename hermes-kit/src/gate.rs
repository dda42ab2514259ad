//! The approval engine as the gate of the terminal.

use std::cell::RefCell;

use hermes_approval::{Approver, Backend, CommandRequest, Situation};
use hermes_terminal::{Approval, Gate, GateRequest};
use hermes_tools::CallContext;

/// Asks an [`Approver`] before a command starts.
#[derive(Debug)]
pub struct ApprovalGate {
    approver: Approver,
    situation: Situation,
}

/// The call that a command is started for, for the time of the start.
struct Caller {
    session: Option<String>,
    call: Option<String>,
    span: tracing::Span,
}

thread_local! {
    static CALLER: RefCell<Option<Caller>> = const { RefCell::new(None) };
}

/// Starts commands for this call.
pub(crate) fn for_call<T>(context: &CallContext, start: impl FnOnce() -> T) -> T {
    struct Back(Option<Caller>);
    impl Drop for Back {
        fn drop(&mut self) {
            let before = self.0.take();
            CALLER.with(|caller| *caller.borrow_mut() = before);
        }
    }
    let caller = Caller {
        session: context.session_id().map(str::to_owned),
        call: context.tool_call_id().map(str::to_owned),
        span: context
            .span()
            .map_or_else(tracing::Span::none, Clone::clone),
    };
    let before = CALLER.with(|slot| slot.borrow_mut().replace(caller));
    let _back = Back(before);
    start()
}

impl ApprovalGate {
    /// Decides with this approver. Conversation, backend and directory of each command take the
    /// place of those of the situation.
    pub fn new(approver: Approver, situation: Situation) -> ApprovalGate {
        ApprovalGate {
            approver,
            situation,
        }
    }

    fn request(&self, asked: &GateRequest<'_>) -> (CommandRequest, tracing::Span) {
        let mut situation = self
            .situation
            .clone()
            .on(Backend::new(asked.backend, asked.host_access));
        situation.env.cwd = asked.directory.to_str().map(str::to_owned);
        situation.sudo_password |= asked.sudo_password;
        CALLER.with(|caller| {
            let caller = caller.borrow();
            let caller = caller.as_ref();
            if let Some(session) = caller.and_then(|caller| caller.session.clone()) {
                situation.session_key = session;
            }
            let request = CommandRequest::new(asked.command, situation);
            let request = match caller.and_then(|caller| caller.call.clone()) {
                Some(call) => request.of_call(String::new(), call),
                None => request,
            };
            let span = caller.map_or_else(tracing::Span::none, |caller| caller.span.clone());
            (request, span)
        })
    }
}

impl Gate for ApprovalGate {
    fn approve(&self, asked: &GateRequest<'_>) -> Approval {
        let (request, span) = self.request(asked);
        let outcome = self.approver.check(&request);
        let verdict = match outcome.approved {
            true => "allowed",
            false => "denied",
        };
        span.record(
            "verdict",
            tracing::field::display(format_args!("{verdict} ({})", outcome.stage.name())),
        );
        if !outcome.approved {
            let message = outcome.message.unwrap_or_else(|| "BLOCKED.".to_owned());
            return Approval::Denied { message };
        }
        let note = (!outcome.notes.is_empty()).then(|| outcome.notes.join("; "));
        Approval::Allowed { note }
    }
}
