//! Pseudo-random numbers for tests, fuzzing and benchmarks: a seed gives the same numbers in each
//! run and on each machine.
#![forbid(unsafe_code)]

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), for which every seed is a good one.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    #[expect(clippy::should_implement_trait, reason = "the sequence is endless, so no option is needed")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, which is above 0. Small bounds are hit evenly enough for
    /// tests.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Returns true with the given probability, 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= probability && probability > 0.0
    }

    /// Returns one of the choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// Returns the size of a test, such as its number of random cases or its longest input: `full`, or
/// that divided by the environment variable `PELTON_TEST_DIVISOR`, at least 1. Emulated processors
/// run tests with a divisor (`make test-cross`).
///
/// # Panics
/// If the variable is no number above 0.
pub fn reduced(full: usize) -> usize {
    (full / divisor()).max(1)
}

/// Returns a function that says for each case of a matrix, in turn, whether a test skips it: none,
/// or all but one of `PELTON_TEST_DIVISOR`, which are the same in each run.
///
/// # Panics
/// As [`reduced`].
pub fn sample() -> impl FnMut() -> bool {
    let (divisor, mut random) = (divisor(), Random::new(1));
    move || random.below(divisor) > 0
}

fn divisor() -> usize {
    std::env::var("PELTON_TEST_DIVISOR").map_or(1, |divisor| parsed(&divisor))
}

fn parsed(divisor: &str) -> usize {
    match divisor.parse() {
        Ok(divisor @ 1..) => divisor,
        _ => panic!("PELTON_TEST_DIVISOR is {divisor:?}: set it to a number above 0"),
    }
}

#[cfg(test)]
mod tests;
