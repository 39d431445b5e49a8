//! Totals of the work of each kind.

use std::time::Duration;

use super::lanes::busy;
use super::span::{Kind, Span};

/// All work of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum {
    /// The kind.
    pub kind: Kind,
    /// Number of spans.
    pub count: usize,
    /// Time of all pieces together.
    pub total: Duration,
    /// Time in which at least one ran.
    pub busy: Duration,
    /// The part of `busy` in which work of another kind ran too.
    pub overlapped: Duration,
    /// Bytes of all pieces.
    pub bytes: u64,
}

impl Sum {
    /// Bytes by the time in which at least one piece ran, in 10⁹ a second; `None` where no bytes
    /// are counted.
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        let counted = self.bytes > 0 && !self.busy.is_zero();
        counted.then(|| self.bytes as f64 / self.busy.as_secs_f64() / 1e9)
    }
}

/// Returns the sums of the kinds that occur.
pub fn sums(spans: &[Span]) -> Vec<Sum> {
    let all = busy(spans.iter());
    let sum = |kind| {
        let of_kind = || spans.iter().filter(move |span| span.kind == kind);
        let busy_here = busy(of_kind());
        let others = busy(spans.iter().filter(|span| span.kind != kind));
        Sum {
            kind,
            count: of_kind().count(),
            total: of_kind().map(|span| span.end.saturating_sub(span.start)).sum(),
            busy: busy_here,
            overlapped: (busy_here + others).saturating_sub(all),
            bytes: of_kind().map(|span| span.bytes).sum(),
        }
    };
    Kind::ALL.into_iter().map(sum).filter(|sum| sum.count > 0).collect()
}
