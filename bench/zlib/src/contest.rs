//! Libraries take turns, and are compared run by run.

/// What one library took: for each metric a value of each run.
#[derive(Clone, Debug, Default)]
pub struct Taken(pub Vec<Vec<f64>>);

impl Taken {
    fn add(&mut self, values: Vec<f64>) {
        self.0.resize(values.len(), vec![]);
        self.0.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
}

/// Runs each of the libraries `0..count` once a round, and begins each round with another one.
/// `run` returns a value for each metric, or why there is none.
pub fn turns(
    runs: usize,
    count: usize,
    mut run: impl FnMut(usize) -> Result<Vec<f64>, String>,
) -> Result<Vec<Taken>, String> {
    let mut taken = vec![Taken::default(); count];
    for round in 0..runs {
        for turn in 0..count {
            let library = (round + turn) % count;
            taken[library].add(run(library)?);
        }
    }
    Ok(taken)
}

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// The median of the ratios of two libraries' values in the same rounds.
pub fn paired(values: &[f64], to: &[f64]) -> f64 {
    median(&values.iter().zip(to).map(|(value, to)| value / to).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{median, paired, turns};

    #[test]
    fn libraries_take_turns_and_each_begins_a_round() {
        let mut order = Vec::new();
        let taken = turns(3, 3, |library| {
            order.push(library);
            Ok(vec![library as f64])
        });
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(taken.unwrap()[2].0, [[2.0; 3]]);
    }

    #[test]
    fn ratios_are_of_runs_in_the_same_round() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), 3.0);
        assert_eq!(paired(&[2.0, 30.0, 8.0], &[1.0, 10.0, 2.0]), 3.0);
    }
}
