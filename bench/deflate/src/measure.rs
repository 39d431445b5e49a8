//! Measurement of speed: contenders in turn, each timed by the processor time of the thread.

use pelton_report::numbers::median;

use crate::sys::cpu::thread_seconds;

/// Seconds that each of the contenders `0..count` takes: the median of `runs`.
///
/// Every round runs each of them once, and starts with another one.
pub fn medians(runs: usize, count: usize, mut run: impl FnMut(usize)) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(runs); count];
    for round in 0..runs {
        for turn in 0..count {
            let contender = (round + turn) % count;
            let start = thread_seconds();
            run(contender);
            times[contender].push(thread_seconds() - start);
        }
    }
    times.iter().map(|times| median(times)).collect()
}

/// Returns the geometric mean; not a number if there are no values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

#[cfg(test)]
mod tests;
