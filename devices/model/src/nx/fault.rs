//! Faults that the model of an NX-GZIP injects.

use pelton_device_nx::hw::{Completion, Crb, Status};

/// A fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The paste finds no credit. To the rules, another attempt is another request.
    Busy,
    /// The window is suspended from this paste on. Earlier requests complete.
    SuspendWindow,
    /// The request completes, and its credit does not come back.
    LostCredit,
    /// A page of the source is missing: code 250 with its address. Nothing is done.
    SourceFault,
    /// The same for a page of the target.
    TargetFault,
    /// The same for an address that the request does not name.
    ForeignFault,
    /// The request only reports this code, as terminated.
    Code(Completion),
    /// The request only reports this status and this number of processed source bytes.
    Answer(Status, u32),
    /// The request is suspended after this number of bytes behind its history, as by a byte limit.
    Suspend(usize),
    /// The request never completes, and its status is never written.
    NoAnswer,
}

impl Fault {
    /// Returns the name, without the parameter.
    pub(super) fn name(self) -> &'static str {
        match self {
            Fault::Busy => "busy",
            Fault::SuspendWindow => "suspended window",
            Fault::LostCredit => "lost credit",
            Fault::SourceFault => "source fault",
            Fault::TargetFault => "target fault",
            Fault::ForeignFault => "foreign fault",
            Fault::Code(_) => "code",
            Fault::Answer(..) => "answer",
            Fault::Suspend(_) => "suspended request",
            Fault::NoAnswer => "no answer",
        }
    }
}

/// A request for the rules; its queue is that of an engine.
pub type Offered<'a> = crate::faults::Offered<'a, Crb>;
/// Rules that assign faults to requests.
pub type Faults = crate::faults::Faults<Crb, Fault>;
