//! `--profile`: a page that shows the work of queries over time.

use std::cell::RefCell;
use std::path::PathBuf;

use pelton::Query;
use pelton::profile::{Run, page};

use crate::failure::Failure;
use crate::output::write_whole;

/// The page's file, and the queries until now.
pub struct Profile {
    path: PathBuf,
    runs: RefCell<Vec<Run>>,
}

/// Maximum number of queries on one page: browsers are slow with larger files, and the last queries
/// are those of interest.
const MAX_QUERIES: usize = 100;

impl Profile {
    /// Makes a page without queries, which is not written yet.
    pub fn new(path: PathBuf) -> Self {
        Profile { path, runs: RefCell::default() }
    }

    /// Adds a query that has ended, and writes the page anew, so that it survives a later failure.
    pub fn add(&self, query: &mut Query) -> Result<(), Failure> {
        let mut runs = self.runs.borrow_mut();
        let title = format!("Query {}", runs.last().map_or(1, |last| number(last) + 1));
        runs.extend(query.take_profile(&title));
        if runs.len() > MAX_QUERIES {
            runs.remove(0);
        }
        write_whole(Some(&self.path), &page("pelton sql", &runs))
    }
}

/// Returns the number in a title.
fn number(run: &Run) -> usize {
    run.title.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
