//! What every command can be asked for.

use std::path::PathBuf;

/// How often to measure, and where to keep the result.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// Counted runs of each library, of which the median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Folder for records, below which one is made for the day and the machine [default: no record]
    #[arg(long)]
    pub records: Option<PathBuf>,
}

impl Common {
    /// How many times each library is measured.
    pub fn runs(&self) -> usize {
        self.runs.into()
    }
}
