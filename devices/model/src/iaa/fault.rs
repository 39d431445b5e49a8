//! What goes wrong, and at which descriptor: by rule, so that a run can be repeated.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Status};

/// Something that goes wrong with one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The queue does not take it (a dedicated queue loses it). Offered again it is another
    /// descriptor to the rules.
    QueueFull,
    /// A page of source 1 is missing. The device waits for it if the descriptor says to block on
    /// faults, which only takes time; if not, the operation does nothing but report where.
    ReadFault,
    /// As [`ReadFault`](Fault::ReadFault), for the destination, or the completion record where
    /// there is none.
    WriteFault,
    /// A page of source 1 is missing, and the system has none to give.
    UnresolvedReadFault,
    /// A page of the destination is missing, and the system has none to give.
    UnresolvedWriteFault,
    /// The operation runs as if the destination had half its size.
    OutputOverflow,
    /// The operation does nothing but report this.
    Analytics(AnalyticsError),
    /// The operation does nothing but report this: [`Status::HardwareError`], [`Status::Watchdog`]
    /// or any other.
    Status(Status),
    /// The operation never completes. Its completion record is never written.
    NoAnswer,
    /// From here on the device starts nothing, until every portal to its queues was closed.
    DeviceStops,
    /// The completion record is held back until so many others were written, or nothing else is
    /// left to do.
    Overtaken(u32),
    /// The completion record is written so much later, in real time.
    Late(Duration),
    /// The completion record says that so many bytes more (or fewer) were written than were.
    WrongSize(i32),
    /// The completion record has another CRC.
    WrongCrc,
    /// The completion record says that so many bits more, modulo 8, are in use of the last byte
    /// written.
    WrongBits(u8),
}

/// A descriptor as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Offered<'a> {
    /// Its number: how many were offered to the model's queues before it, without those that found
    /// a queue full.
    pub index: u64,
    /// The number of its queue in the model.
    pub queue: usize,
    /// The descriptor.
    pub descriptor: &'a Descriptor,
}

type Rule = Arc<dyn Fn(&Offered<'_>) -> Option<Fault> + Send + Sync>;

/// Rules that say which descriptor has which fault. The first one that has something to say is
/// followed.
#[derive(Clone, Default)]
pub struct Faults {
    rules: Vec<Rule>,
}

impl Faults {
    /// Nothing goes wrong.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// The descriptor with this number has this fault.
    pub fn at(self, index: u64, fault: Fault) -> Faults {
        self.rule(move |offered| (offered.index == index).then_some(fault))
    }

    /// Every `n`th descriptor has this fault: those with numbers n - 1, 2n - 1 and so on. None if
    /// `n` is 0.
    pub fn every(self, n: u64, fault: Fault) -> Faults {
        self.rule(move |offered| (n > 0 && offered.index % n == n - 1).then_some(fault))
    }

    /// One descriptor in `n`, on average, has one of these faults: which ones is random, but the
    /// same for the same seed.
    pub fn one_in(self, n: u64, seed: u64, faults: &[Fault]) -> Faults {
        let faults = faults.to_vec();
        self.rule(move |offered| {
            let random = scramble(seed ^ scramble(offered.index));
            let hit = n > 0 && !faults.is_empty() && random.is_multiple_of(n);
            hit.then(|| faults[(random / n.max(1)) as usize % faults.len()])
        })
    }

    /// A rule of one's own. It has to depend on nothing but its argument if a run is to be
    /// repeated.
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

/// A number as good as random for each number (the finaliser of SplitMix64).
fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
