//! Faults to inject, by rules, so that a run can be repeated.

use std::fmt;
use std::sync::Arc;

use pelton_device_nx::hw::{Completion, Crb};

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
            Fault::Suspend(_) => "suspended request",
            Fault::NoAnswer => "no answer",
        }
    }
}

/// A request for the rules.
#[derive(Clone, Copy, Debug)]
pub struct Offered<'a> {
    /// Number of requests offered before, without those that found no credit.
    pub index: u64,
    /// The engine.
    pub engine: usize,
    /// The request.
    pub request: &'a Crb,
}

type Rule = Arc<dyn Fn(&Offered<'_>) -> Option<Fault> + Send + Sync>;

/// Rules that assign faults to requests. The first rule with a fault counts.
#[derive(Clone, Default)]
pub struct Faults {
    rules: Vec<Rule>,
}

impl Faults {
    /// Returns no faults.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// Adds a fault of the request with this number.
    pub fn at(self, index: u64, fault: Fault) -> Faults {
        self.rule(move |offered| (offered.index == index).then_some(fault))
    }

    /// Adds one of these faults, in turns, to every `n`th request, the first one being number
    /// `n` - 1; to none if `n` is zero.
    pub fn in_turns(self, n: u64, faults: &[Fault]) -> Faults {
        let faults = faults.to_vec();
        self.rule(move |offered| {
            let number = offered.index + 1;
            let hit = n > 0 && !faults.is_empty() && number.is_multiple_of(n);
            hit.then(|| faults[(number / n) as usize % faults.len()])
        })
    }

    /// Adds a rule. A run can be repeated only if the rule depends on its argument alone.
    pub fn rule(mut self, rule: impl Fn(&Offered<'_>) -> Option<Fault> + Send + Sync + 'static) -> Faults {
        self.rules.push(Arc::new(rule));
        self
    }

    pub(super) fn find(&self, offered: &Offered<'_>) -> Option<Fault> {
        self.rules.iter().find_map(|rule| rule(offered))
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules", self.rules.len())
    }
}
