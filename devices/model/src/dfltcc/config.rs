//! Configuration of a model: its own decisions, and faults to inject by rules, so that a run can be
//! repeated.

use std::fmt;
use std::sync::Arc;

use pelton_device_dfltcc::Function;

use crate::faults::scramble;

/// Bytes after which a call returns by itself with condition code 3.
const MAX_AMOUNT: usize = 1 << 20;
/// Maximum bytes of a call that is chosen to return early.
const EARLY_AMOUNT: u64 = 64 << 10;
/// Maximum bytes of output that a compression holds back.
const MAX_HELD: u64 = 40;

/// A fault of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The call does nothing and reports this ending code with condition code 2; without one, that
    /// the source has ended.
    Ends(u8),
    /// The call does nothing and reports that the target is full.
    TargetFull,
    /// The call and all that continue it do nothing and report condition code 3.
    NoProgress,
    /// The call reports one byte more of the source than there is.
    ReadsTooMuch,
    /// The call reports one byte more of the target than there is.
    WritesTooMuch,
    /// The check value has a wrong bit.
    WrongCheckValue,
    /// The processor's code panics, as a defect of the model would.
    Panics,
}

type Rule = Arc<dyn Fn(u64, Function) -> Option<Fault> + Send + Sync>;

/// Rule that assigns faults to calls, by their number from 0 and their function.
#[derive(Clone, Default)]
pub struct Faults(Option<Rule>);

impl Faults {
    /// Returns no faults.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// Returns a fault of the call with this number.
    pub fn at(number: u64, fault: Fault) -> Faults {
        Faults::rule(move |index, _| (index == number).then_some(fault))
    }

    /// Returns a rule. A run can be repeated only if the rule depends on its arguments alone.
    pub fn rule(rule: impl Fn(u64, Function) -> Option<Fault> + Send + Sync + 'static) -> Faults {
        Faults(Some(Arc::new(rule)))
    }

    pub(super) fn find(&self, index: u64, function: Function) -> Option<Fault> {
        self.0.as_ref().and_then(|rule| rule(index, function))
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a rule" } else { "none" })
    }
}

/// Configuration of a model.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seed of the model's decisions, and of the contents of its hash table.
    pub seed: u64,
    /// Interval in calls of those that return early with condition code 3, at times with nothing
    /// done. Other calls return after a megabyte.
    pub again_every: Option<u64>,
    /// Whether calls may use what the architecture allows beyond the minimum: hold output back
    /// after the source has ended, and report a full target before the end of a stream that fills
    /// it.
    pub is_awkward: bool,
    /// Faults to inject.
    pub faults: Faults,
}

impl Default for Config {
    /// Returns a model without faults that makes use of all it may.
    fn default() -> Config {
        Config { seed: 0, again_every: None, is_awkward: true, faults: Faults::none() }
    }
}

/// The model's decisions about one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of uncompressed data after which the call returns.
    pub amount: usize,
    /// Bytes of output that a compression holds back.
    pub held: usize,
    /// Whether a stream that fills its target ends with the next call.
    pub ends_late: bool,
    /// Seed of the hash table's contents.
    pub seed: u64,
}

impl Config {
    /// Returns the plan of a call. `offsets` are those of the operands in their pages, on which the
    /// machine's output depends, too.
    pub(super) fn plan(&self, index: u64, offsets: [usize; 2]) -> Plan {
        let random = scramble(self.seed ^ scramble(index));
        let early = self.again_every.is_some_and(|every| index % every.max(1) == every.max(1) - 1);
        let amount = match random >> 8 & 7 {
            _ if !early => MAX_AMOUNT,
            0 => 0,
            1 => 1,
            _ => (1 + (random >> 16) % EARLY_AMOUNT) as usize,
        };
        let held =
            if self.is_awkward && random & 3 == 0 { (1 + (random >> 40) % MAX_HELD) as usize } else { 0 };
        let page = offsets.map(|offset| (offset % 4096) as u64);
        let seed = scramble(self.seed ^ page[0] << 12 ^ page[1]);
        Plan { amount, held, ends_late: self.is_awkward && random & 0x10 != 0, seed }
    }
}
