//! Faults to inject by rules over the requests that a model is offered, so that a run can be
//! repeated.

use std::fmt;
use std::sync::Arc;

/// A request for the rules.
#[derive(Debug)]
pub struct Offered<'a, D> {
    /// Number of requests offered before, without those that the queue did not accept.
    pub index: u64,
    /// The number of its queue in the model.
    pub queue: usize,
    /// The request's descriptor.
    pub descriptor: &'a D,
}

type Rule<D, F> = Arc<dyn Fn(&Offered<'_, D>) -> Option<F> + Send + Sync>;

/// Rules that assign faults `F` to requests by descriptors `D`. The first rule with a fault counts.
pub struct Faults<D, F> {
    rules: Vec<Rule<D, F>>,
}

impl<D, F> Clone for Faults<D, F> {
    fn clone(&self) -> Self {
        Faults { rules: self.rules.clone() }
    }
}

impl<D, F> Default for Faults<D, F> {
    fn default() -> Self {
        Faults { rules: Vec::new() }
    }
}

impl<D, F: Copy + Send + Sync + 'static> Faults<D, F> {
    /// Returns no faults.
    pub fn none() -> Self {
        Faults::default()
    }

    /// Adds a fault of the request with this number.
    pub fn at(self, index: u64, fault: F) -> Self {
        self.rule(move |offered| (offered.index == index).then_some(fault))
    }

    /// Adds a fault of every `n`th request, the first one being number `n` - 1; of none if `n` is
    /// zero.
    pub fn every(self, n: u64, fault: F) -> Self {
        self.in_turns(n, &[fault])
    }

    /// Adds one of these faults, in turns, to every `n`th request, as [`every`](Self::every) does.
    pub fn in_turns(self, n: u64, faults: &[F]) -> Self {
        let faults = faults.to_vec();
        self.rule(move |offered| {
            let number = offered.index + 1;
            let hit = n > 0 && !faults.is_empty() && number.is_multiple_of(n);
            hit.then(|| faults[(number / n) as usize % faults.len()])
        })
    }

    /// Adds one of these faults to one request in `n`, on average, at random. The same seed gives
    /// the same faults.
    pub fn one_in(self, n: u64, seed: u64, faults: &[F]) -> Self {
        let faults = faults.to_vec();
        self.rule(move |offered| {
            let random = scramble(seed ^ scramble(offered.index));
            let hit = n > 0 && !faults.is_empty() && random.is_multiple_of(n);
            hit.then(|| faults[(random / n.max(1)) as usize % faults.len()])
        })
    }

    /// Adds a rule. A run can be repeated only if the rule depends on its argument alone.
    pub fn rule(mut self, rule: impl Fn(&Offered<'_, D>) -> Option<F> + Send + Sync + 'static) -> Self {
        self.rules.push(Arc::new(rule));
        self
    }

    pub(crate) fn find(&self, offered: &Offered<'_, D>) -> Option<F> {
        self.rules.iter().find_map(|rule| rule(offered))
    }
}

impl<D, F> fmt::Debug for Faults<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules", self.rules.len())
    }
}

/// Returns a pseudo-random number for each number (the finaliser of SplitMix64).
pub(crate) fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
