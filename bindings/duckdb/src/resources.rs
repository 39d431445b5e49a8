//! Devices, router and threads: one set for each combination of settings, kept until the process
//! ends.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pelton_bitpack::Kernels;
use pelton_job::{Limits, Router};
use pelton_pages::Dictionaries;
use pelton_registry::{ChoiceError, DeviceChoice, DeviceReport};
use tokio::runtime::Runtime;

use crate::error::{Error, Result};
use crate::scan::readers::Readers;
use crate::settings::Settings;

/// Scan ranges that a thread holds: the one that it decodes, and the next.
const WINDOWS_HELD: usize = 2;

/// Greatest decompressed size of a scan range where the file has a page index. The engine's own
/// ranges are larger; this size leaves memory to DuckDB, and TPC-H takes as long.
const MAX_WINDOW_BYTES: u64 = 8 << 20;

/// Least size of a scan range: a page of usual size.
const MIN_WINDOW_BYTES: u64 = 1 << 20;

/// Divisor of the share of memory for pages in flight. Scan ranges and dictionaries have the rest.
const DEVICES_SHARE: usize = 2;

/// Limit on cached dictionaries: enough for most of TPC-H's at scale factor 1. With a limit on
/// memory they get a sixteenth of that.
const DICTIONARY_BYTES: usize = 32 << 20;
const DICTIONARIES_SHARE: usize = 16;

/// Threads that open files; they mostly wait.
const OPENERS: usize = 2;

/// Most threads that read scan ranges. Each of DuckDB's threads has one range read ahead; more
/// readers than this do not make a disk faster.
const MAX_READERS: usize = 16;

/// Bytes of each thread's stack, as Rust's threads have by default.
const READER_STACK: usize = 2 << 20;

/// Devices, router and threads.
pub struct Resources {
    /// Runs the jobs.
    pub router: Arc<Router>,
    /// Opens files, several at a time.
    pub runtime: Runtime,
    /// Threads that read scan ranges.
    pub readers: Readers,
    /// Dictionary page cache.
    pub dictionaries: Arc<Dictionaries>,
    /// Kernels that evaluate conditions on encoded data.
    pub kernels: Kernels,
    /// Threads that decompress on the CPU; about the same number read scan ranges.
    pub threads: usize,
    /// Most decompressed bytes of a scan range.
    pub window_bytes: u64,
    /// Reports of the opened devices.
    pub reports: Vec<DeviceReport>,
    /// Memory for scan ranges.
    pub memory: Arc<Memory>,
}

impl Resources {
    fn open(settings: &Settings) -> Result<Resources> {
        let choice = choice(settings).map_err(|e| Error::Argument(e.to_string()))?;
        let opened = pelton_registry::open(settings.threads, choice.as_ref())
            .map_err(|e| Error::Unavailable(e.to_string()))?;
        let mut limits = Limits::default();
        let mut window_bytes = MAX_WINDOW_BYTES;
        let (mut kept, mut limit) = (DICTIONARY_BYTES, usize::MAX);
        if let Some(bytes) = settings.memory {
            let share = bytes / DEVICES_SHARE;
            kept = kept.min(bytes / DICTIONARIES_SHARE);
            limit = bytes - share - kept;
            limits.output_per_job = limits.output_per_job.min(bytes);
            limits.bytes_in_flight = limits.bytes_in_flight.min(share);
            limits.free_bytes = limits.free_bytes.min(share / 2);
            let window = limit / (WINDOWS_HELD * settings.threads);
            window_bytes = MAX_WINDOW_BYTES.min(window as u64).max(MIN_WINDOW_BYTES);
        }
        let router = opened.router(limits);
        let no_threads = |e| Error::Unavailable(format!("cannot start threads: {e}"));
        let runtime = pelton_registry::runtime(OPENERS, "pelton-open", READER_STACK).map_err(no_threads)?;
        let readers = settings.threads.clamp(1, MAX_READERS);
        let readers = Readers::start(readers, READER_STACK).map_err(no_threads)?;
        let kernels = Kernels::from_environment().map_err(|e| Error::Unavailable(e.to_string()))?;
        let memory = Arc::new(Memory::new(limit));
        let dictionaries = Dictionaries::new(kept);
        let reports = opened.reports;
        // DuckDB's interface has no place for a warning. A closed standard error is no reason to
        // fail.
        let mut errors = std::io::stderr();
        opened.notes.iter().for_each(|note| drop(writeln!(errors, "pelton: {note}")));
        let threads = settings.threads;
        Ok(Resources {
            router,
            runtime,
            readers,
            dictionaries,
            kernels,
            threads,
            window_bytes,
            reports,
            memory,
        })
    }
}

impl Resources {
    /// Returns the number of threads that have enough memory for their scan ranges.
    pub fn max_readers(&self) -> usize {
        let windows = self.memory.limit as u64 / self.window_bytes.max(1);
        (usize::try_from(windows).unwrap_or(usize::MAX) / WINDOWS_HELD).max(1)
    }
}

/// Returns the devices of the settings, else those of the environment; `None` for all that the
/// machine has.
fn choice(settings: &Settings) -> Result<Option<DeviceChoice>, ChoiceError> {
    match &settings.devices {
        Some(named) => named.parse().map(Some),
        None => DeviceChoice::from_environment(),
    }
}

type AllResources = Mutex<HashMap<Settings, Arc<Resources>>>;

static ALL_RESOURCES: LazyLock<AllResources> = LazyLock::new(Mutex::default);

/// Returns the resources for these settings, and opens them at the first call.
///
/// # Errors
/// A device is unknown or missing, or the system refuses threads.
pub fn resources(settings: &Settings) -> Result<Arc<Resources>> {
    let mut all_resources = ALL_RESOURCES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(resources) = all_resources.get(settings) {
        return Ok(resources.clone());
    }
    let resources = Arc::new(Resources::open(settings)?);
    all_resources.insert(settings.clone(), resources.clone());
    Ok(resources)
}

/// Returns all resources that were opened so far.
pub fn all_resources() -> Vec<Arc<Resources>> {
    let all_resources = ALL_RESOURCES.lock().unwrap_or_else(PoisonError::into_inner);
    all_resources.values().cloned().collect()
}

/// Maximum time that a thread waits for memory of other threads' scan ranges.
const PATIENCE: Duration = Duration::from_secs(10);

/// Memory with a limit.
#[derive(Debug)]
pub struct Memory {
    used: Mutex<usize>,
    /// Some memory was returned.
    returned: Condvar,
    limit: usize,
}

impl Memory {
    fn new(limit: usize) -> Self {
        Self { used: Mutex::new(0), returned: Condvar::new(), limit }
    }

    fn used(&self) -> MutexGuard<'_, usize> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes some memory; `None` if the limit does not allow it.
    pub fn reserve(self: &Arc<Self>, bytes: usize) -> Option<Reservation> {
        self.take(&mut self.used(), bytes)
    }

    /// Takes some memory, for which it waits as long as other scan ranges hold it; `None` if the
    /// limit does not allow it, or if they hold it for too long.
    pub fn wait_for(self: &Arc<Self>, bytes: usize) -> Option<Reservation> {
        let may_wait = |used: &mut usize| *used > 0 && bytes <= self.limit && bytes > self.limit - *used;
        let waited = self.returned.wait_timeout_while(self.used(), PATIENCE, may_wait);
        let (mut used, _) = waited.unwrap_or_else(PoisonError::into_inner);
        self.take(&mut used, bytes)
    }

    fn take(self: &Arc<Self>, used: &mut usize, bytes: usize) -> Option<Reservation> {
        *used = used.checked_add(bytes).filter(|used| *used <= self.limit)?;
        Some(Reservation { memory: self.clone(), bytes })
    }

    /// Returns the error for `needed` bytes beyond the limit.
    pub fn exhausted(&self, file: &str, needed: usize) -> Error {
        Error::OutOfMemory { file: file.to_owned(), needed, used: *self.used(), limit: self.limit }
    }
}

/// Memory that was taken, returned on drop.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *self.memory.used() -= self.bytes;
        self.memory.returned.notify_all();
    }
}
