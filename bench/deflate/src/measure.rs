//! How speed is measured: contenders in turn, each timed by what the thread used of the processor.

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
    times.into_iter().map(median).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The geometric mean; not a number if there are no values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

#[cfg(test)]
mod tests {
    use super::{geometric_mean, median, medians};

    #[test]
    fn contenders_take_turns_and_each_starts_a_round() {
        let mut order = Vec::new();
        assert_eq!(medians(3, 3, |contender| order.push(contender)).len(), 3);
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
    }

    #[test]
    fn means() {
        assert_eq!(median(vec![5.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
        assert!((geometric_mean([1.0, 4.0, 16.0]) - 4.0).abs() < 1e-12);
        assert!(geometric_mean([]).is_nan());
    }
}
