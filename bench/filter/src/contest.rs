//! Contenders in turn, each timed by what the thread used of the processor.

use crate::sys::cpu::thread_seconds;

/// Somebody who does something with copy `i` of the data.
pub struct Contender<'a> {
    /// Who.
    pub name: String,
    /// How many copies of the data it has.
    pub copies: usize,
    /// What it does.
    pub run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contender<'a> {
    /// Somebody with so many copies.
    pub fn new(name: impl Into<String>, copies: usize, run: impl FnMut(usize) + 'a) -> Self {
        Contender { name: name.into(), copies, run: Box::new(run) }
    }
}

/// Seconds per copy that each took, in every round.
pub struct Times {
    names: Vec<String>,
    rounds: Vec<Vec<f64>>,
}

/// Has all go through their copies `laps` times, in `runs` rounds, each of which starts with
/// another one. Just before the clock counts everybody has the first copy once more, so that what
/// is to be in a cache is.
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
    /// Who took part.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The median of one's seconds.
    pub fn seconds(&self, name: &str) -> Option<f64> {
        let i = self.names.iter().position(|other| other == name)?;
        Some(median(self.rounds.iter().map(|times| times[i]).collect()))
    }

    /// The median of the ratios of one's seconds to another's in the same round.
    pub fn ratio(&self, name: &str, to: &str) -> Option<f64> {
        let [i, k] = [name, to].map(|name| self.names.iter().position(|other| other == name));
        let (i, k) = (i?, k?);
        Some(median(self.rounds.iter().map(|times| times[i] / times[k]).collect()))
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::{Contender, Times, compete, median};

    #[test]
    fn contenders_take_turns_and_each_starts_a_round() {
        let order = std::cell::RefCell::new(vec![]);
        let contender = |name: &'static str, copies| {
            Contender::new(name, copies, {
                let order = &order;
                move |copy| order.borrow_mut().push((name, copy))
            })
        };
        let times = compete(2, 1, vec![contender("a", 1), contender("b", 2)]);
        assert_eq!(times.names(), ["a", "b"]);
        let (a, b) = ([("a", 0); 2], [("b", 0), ("b", 0), ("b", 1)]);
        assert_eq!(*order.borrow(), [&a[..], &b, &b, &a].concat());
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let times = Times { names, rounds: vec![vec![2.0, 1.0], vec![9.0, 3.0], vec![40.0, 10.0]] };
        assert_eq!((times.ratio("a", "b"), times.seconds("b")), (Some(3.0), Some(3.0)));
        assert_eq!((times.ratio("a", "c"), times.seconds("c")), (None, None));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
    }
}
