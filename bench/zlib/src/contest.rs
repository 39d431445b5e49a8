//! Contest of libraries, which take turns and are compared run by run.

use std::path::PathBuf;

use pelton_report::numbers::median;

/// Number of measurements, and place of the result.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// Number of counted runs of each library; their median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Folder for records, below which one is made for the day and the machine [default: no record]
    #[arg(long)]
    pub records: Option<PathBuf>,
}

impl Common {
    /// Returns the number of measurements of each library.
    pub fn runs(&self) -> usize {
        self.runs.into()
    }
}

/// Measurements of one library: for each metric a value of each run.
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

/// Returns the median of the ratios of two libraries' values in the same rounds.
pub fn paired(values: &[f64], to: &[f64]) -> f64 {
    median(&values.iter().zip(to).map(|(value, to)| value / to).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
