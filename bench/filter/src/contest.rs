//! Contest: contenders in turn, each timed by the processor time of the thread.

use pelton_report::numbers::median;

use crate::sys::cpu::thread_seconds;

/// A function over copy `i` of the data.
pub struct Contender<'a> {
    /// Name.
    pub name: String,
    /// Number of copies of the data.
    pub copies: usize,
    /// The function.
    pub run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contender<'a> {
    /// Makes a contender with a number of copies.
    pub fn new(name: impl Into<String>, copies: usize, run: impl FnMut(usize) + 'a) -> Self {
        Contender { name: name.into(), copies, run: Box::new(run) }
    }
}

/// Seconds per copy of each contender, by round.
pub struct Times {
    names: Vec<String>,
    rounds: Vec<Vec<f64>>,
}

/// Runs all contenders over their copies `laps` times, in `runs` rounds, each of which starts with
/// another one. Just before the clock counts, the contender runs on its first copy once more, so
/// that cached data is in the cache.
pub fn compete(runs: usize, laps: usize, mut all: Vec<Contender<'_>>) -> Times {
    let mut rounds = Vec::with_capacity(runs);
    let count = all.len();
    for round in 0..runs {
        let mut times = vec![0.0; count];
        for turn in 0..count {
            let Contender { copies, run, .. } = &mut all[(round + turn) % count];
            run(0);
            let start = thread_seconds();
            for _ in 0..laps {
                (0..*copies).for_each(&mut *run);
            }
            times[(round + turn) % count] = (thread_seconds() - start) / (laps * *copies) as f64;
        }
        rounds.push(times);
    }
    Times { names: all.into_iter().map(|contender| contender.name).collect(), rounds }
}

impl Times {
    /// Returns the names of the contenders.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the median of a contender's seconds.
    pub fn seconds(&self, name: &str) -> Option<f64> {
        let i = self.names.iter().position(|other| other == name)?;
        Some(median(&self.rounds.iter().map(|times| times[i]).collect::<Vec<_>>()))
    }

    /// Returns the median of the ratios of two contenders' seconds in the same rounds.
    pub fn ratio(&self, name: &str, to: &str) -> Option<f64> {
        let [i, k] = [name, to].map(|name| self.names.iter().position(|other| other == name));
        let (i, k) = (i?, k?);
        Some(median(&self.rounds.iter().map(|times| times[i] / times[k]).collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests;
