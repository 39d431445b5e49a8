//! File with the profiles of the latest queries, which the setting `profile` names.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use pelton_pages::OutputFile;
use pelton_query::{Error, Result};

use super::page::page;
use super::run::{Profiling, Recording, Run};

/// Maximum number of queries on one page: browsers are slow with larger files, and the last queries
/// are those of interest.
const MAX_QUERIES: usize = 100;

/// A page's file, and the queries until now.
pub(crate) struct Pages {
    path: PathBuf,
    recording: Recording,
    runs: Mutex<Runs>,
}

#[derive(Default)]
struct Runs {
    latest: Vec<Run>,
    count: usize,
}

/// A query that is being recorded, and the page that gets its profile when it has ended.
pub(crate) struct Profiled {
    pub profiling: Profiling,
    pub pages: Option<Arc<Pages>>,
}

impl Pages {
    /// Makes a page without queries, which is not written yet.
    pub fn new(path: PathBuf, recording: Recording) -> Self {
        Self { path, recording, runs: Mutex::default() }
    }

    /// Returns the page's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to record a query.
    pub fn start(self: Arc<Self>, query: &str) -> Profiled {
        Profiled { profiling: self.recording.start(query), pages: Some(self) }
    }

    /// Adds a query that has ended, and writes the page anew, so that it survives a later failure.
    ///
    /// # Errors
    /// The page can't be written.
    pub fn add(&self, profiling: &Profiling, notes: Vec<String>) -> Result<()> {
        let mut runs = self.runs.lock();
        runs.count += 1;
        let title = format!("Query {}", runs.count);
        runs.latest.push(profiling.take(&title, notes));
        if runs.latest.len() > MAX_QUERIES {
            runs.latest.remove(0);
        }
        let text = page("pelton sql", &runs.latest);
        self.write(text.as_bytes()).map_err(|error| {
            let path = self.path.display();
            Error::Execution(format!("the profile can't be written to {path}: {error}"))
        })
    }

    fn write(&self, text: &[u8]) -> std::io::Result<()> {
        let mut file = OutputFile::create(&self.path)?;
        file.write_all(text)?;
        file.commit()
    }
}
