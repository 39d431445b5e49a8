//! Faults to inject, by rules, so that a run can be repeated.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Status};

/// A fault of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The queue does not accept the descriptor; a dedicated queue loses it. To the rules, another
    /// attempt is another descriptor.
    QueueFull,
    /// A page of source 1 is missing. If the descriptor blocks on faults, the device waits, which
    /// only takes time. Otherwise the operation only reports the address.
    ReadFault,
    /// As [`ReadFault`](Fault::ReadFault), for the destination, or for the completion record if
    /// there is no destination.
    WriteFault,
    /// A page of source 1 is missing, and the system can't provide it.
    UnresolvedReadFault,
    /// A page of the destination is missing, and the system can't provide it.
    UnresolvedWriteFault,
    /// The operation runs as if the destination had half its size.
    OutputOverflow,
    /// The operation only reports this error.
    Analytics(AnalyticsError),
    /// The operation only reports this status, such as [`Status::HardwareError`] or
    /// [`Status::Watchdog`].
    Status(Status),
    /// The operation never completes, and its record is never written.
    NoAnswer,
    /// From now on the device starts no operation, until every portal to its queues was closed.
    DeviceStops,
    /// The completion record is delayed until this number of others were written, or none are left.
    Overtaken(u32),
    /// The completion record is delayed by this time, in real time.
    Late(Duration),
    /// The completion record has a wrong number of written bytes, by this difference.
    WrongSize(i32),
    /// The completion record has a wrong CRC.
    WrongCrc,
    /// The completion record has a wrong number of valid bits in the last byte, by this difference
    /// modulo 8.
    WrongBits(u8),
}

/// A descriptor for the rules.
#[derive(Clone, Copy, Debug)]
pub struct Offered<'a> {
    /// Number of descriptors offered before, without those that found a full queue.
    pub index: u64,
    /// The number of its queue in the model.
    pub queue: usize,
    /// The descriptor.
    pub descriptor: &'a Descriptor,
}

type Rule = Arc<dyn Fn(&Offered<'_>) -> Option<Fault> + Send + Sync>;

/// Rules that assign faults to descriptors. The first rule with a fault counts.
#[derive(Clone, Default)]
pub struct Faults {
    rules: Vec<Rule>,
}

impl Faults {
    /// Returns no faults.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// Adds a fault of the descriptor with this number.
    pub fn at(self, index: u64, fault: Fault) -> Faults {
        self.rule(move |offered| (offered.index == index).then_some(fault))
    }

    /// Adds a fault of every `n`th descriptor, the first one being number `n` - 1; of none if `n`
    /// is zero.
    pub fn every(self, n: u64, fault: Fault) -> Faults {
        self.rule(move |offered| (n > 0 && offered.index % n == n - 1).then_some(fault))
    }

    /// Adds one of these faults to one descriptor in `n`, on average, at random. The same seed
    /// gives the same faults.
    pub fn one_in(self, n: u64, seed: u64, faults: &[Fault]) -> Faults {
        let faults = faults.to_vec();
        self.rule(move |offered| {
            let random = scramble(seed ^ scramble(offered.index));
            let hit = n > 0 && !faults.is_empty() && random.is_multiple_of(n);
            hit.then(|| faults[(random / n.max(1)) as usize % faults.len()])
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

/// Returns a pseudo-random number for each number (the finaliser of SplitMix64).
fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
