//! Runs one target on its seeds and on mutations of them.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::mutate::Mutator;
use crate::targets::Target;

/// Duration, start and folder of a run.
pub struct Options {
    /// When to stop. Seeds are always run, all of them.
    pub time: Duration,
    /// Start of the sequence of mutations.
    pub seed: u64,
    /// The folder of `corpus/` and `crashes/`.
    pub folder: PathBuf,
    /// Maximum wall time of an input; [`SLOW`] unless a test sets another.
    pub slow: Duration,
}

/// Why a run stopped early.
#[derive(Debug)]
pub enum Failure {
    /// The target panicked on this input.
    Panicked(PathBuf),
    /// The target took longer than [`Options::slow`] on this input, [`TRIES`] times; the shortest
    /// of them.
    Slow(PathBuf, Duration),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(path) => write!(f, "panicked on the input saved as {}", path.display()),
            Self::Slow(path, time) => {
                let (time, path) = (time.as_secs_f64(), path.display());
                write!(f, "took {time:.1} s at least, each of {TRIES} times, on the input saved as {path}")
            }
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

/// Inputs are at most 64 KiB, for which every target takes milliseconds; a thousand times that is a
/// hang.
pub const SLOW: Duration = Duration::from_secs(10);

/// Number of slow runs in a row that make an input slow. A shared machine can stand still for
/// longer than [`SLOW`], but not in several runs of the same input.
pub const TRIES: u32 = 3;

/// Returns the number of inputs that were run.
pub fn run_target(target: &Target, options: &Options) -> Result<u64, Failure> {
    let crashes = options.folder.join("crashes");
    fs::create_dir_all(&crashes).map_err(|e| Failure::Io(crashes.clone(), e))?;
    let seeds = seeds(target, &options.folder)?;
    let mut running = Running::create(crashes.join(format!("{}.running", target.name)))?;
    let start = Instant::now();
    let mut mutator = Mutator::new(options.seed);
    let mut input = Vec::new();
    let mut executions = 0;
    while executions < seeds.len() as u64 || start.elapsed() < options.time {
        match seeds.get(executions as usize) {
            Some(seed) => input.clone_from(seed),
            None => mutator.mutate(&seeds, &mut input),
        }
        running.note(&input)?;
        let found = run_input(target, &input, options.slow);
        executions += 1;
        if let Err(found) = found {
            let path =
                running.keep(&crashes.join(format!("{}-{}-{executions}", target.name, options.seed)))?;
            return Err(match found {
                Found::Panic => Failure::Panicked(path),
                Found::Slow(took) => Failure::Slow(path, took),
            });
        }
    }
    running.remove()?;
    Ok(executions)
}

/// Fault found with an input.
enum Found {
    Panic,
    Slow(Duration),
}

/// Runs the target on `input`, up to [`TRIES`] times while it takes longer than `slow`.
fn run_input(target: &Target, input: &[u8], slow: Duration) -> Result<(), Found> {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        let started = Instant::now();
        catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(|_| Found::Panic)?;
        shortest = shortest.min(started.elapsed());
        if shortest <= slow {
            return Ok(());
        }
    }
    Err(Found::Slow(shortest))
}

/// Returns the target's own seeds, and the files of `corpus/TARGET/` in the order of their names.
fn seeds(target: &Target, folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let mut seeds = (target.seeds)();
    let corpus = folder.join("corpus").join(target.name);
    let mut paths = match fs::read_dir(&corpus) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| Failure::Io(corpus, e))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => vec![],
        Err(e) => return Err(Failure::Io(corpus, e)),
    };
    paths.sort();
    for path in paths {
        seeds.push(fs::read(&path).map_err(|e| Failure::Io(path, e))?);
    }
    Ok(seeds)
}

/// A file that holds the input being run, so that it outlives a process that dies.
struct Running {
    path: PathBuf,
    file: File,
}

impl Running {
    fn create(path: PathBuf) -> Result<Self, Failure> {
        let file = File::create(&path).map_err(|e| Failure::Io(path.clone(), e))?;
        Ok(Self { path, file })
    }

    fn note(&mut self, input: &[u8]) -> Result<(), Failure> {
        let mut write = || {
            self.file.rewind()?;
            self.file.write_all(input)?;
            self.file.set_len(input.len() as u64)
        };
        write().map_err(|e| Failure::Io(self.path.clone(), e))
    }

    fn keep(self, path: &Path) -> Result<PathBuf, Failure> {
        fs::rename(&self.path, path).map_err(|e| Failure::Io(self.path, e))?;
        Ok(path.to_path_buf())
    }

    fn remove(self) -> Result<(), Failure> {
        fs::remove_file(&self.path).map_err(|e| Failure::Io(self.path, e))
    }
}

#[cfg(test)]
mod tests;
