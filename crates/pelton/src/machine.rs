//! Threads and devices of an engine, which the settings `threads`, `memory` and `device` replace.

use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;
use pelton_device_cuda::Gpu;
use pelton_job::{Limits, Router};
use pelton_query::plan::{Devices, Host, MakeScan, SCAN_SHARE};
use pelton_query::{Error, Result};
use pelton_registry::{DeviceChoice, DeviceReport, OpenGpu, Opened};
use pelton_settings::{DEVICE, MEMORY, Settings, THREADS};

use crate::accelerator;
use crate::threads::Threads;

/// Value of the setting `device` for the devices of the environment, or those of the machine.
pub(crate) const AUTO: &str = "auto";

/// Divisor of the memory limit for freed buffers of pages that the router keeps.
const FREE_SHARE: usize = 32;

/// The function of [`on_memory_limit`].
static ON_MEMORY_LIMIT: OnceLock<fn(bool)> = OnceLock::new();

/// Has a function called whenever an engine opens or changes its setting `memory`, with whether
/// there is a limit: a program's allocator returns freed memory to the system then. The first
/// function of a process stays.
pub fn on_memory_limit(change: fn(bool)) {
    _ = ON_MEMORY_LIMIT.set(change);
}

/// Threads, opened devices, and the router over them.
pub(crate) struct Machine {
    pub threads: Arc<Threads>,
    pub router: Arc<Router>,
    pub opened: Opened,
    /// The GPU, if it runs parts of queries.
    pub gpu: Option<Gpu>,
    /// Values that it was opened with.
    count: usize,
    device: String,
}

/// The present machine of an engine.
pub(crate) struct CurrentMachine(RwLock<Arc<Machine>>);

impl CurrentMachine {
    /// Opens the devices and starts the threads. Returns them with notes about requested devices
    /// that are not used.
    ///
    /// # Errors
    /// A device other than a GPU is unknown or missing, or the system gives no threads.
    pub fn open(values: &Settings, scan: &MakeScan<'_>) -> Result<(Self, Devices, Vec<String>)> {
        let (machine, devices, notes) = Machine::open(values, scan, None)?;
        Ok((Self(RwLock::new(Arc::new(machine))), devices, notes))
    }

    /// Returns the same machine for another engine, which may replace it.
    pub fn branch(&self) -> Self {
        Self(RwLock::new(self.get()))
    }

    /// Returns the present machine.
    pub fn get(&self) -> Arc<Machine> {
        self.0.read().clone()
    }
}

impl Host for CurrentMachine {
    fn open(&self, values: &Settings, scan: &MakeScan<'_>) -> Result<Devices> {
        let (machine, devices, mut notes) = Machine::open(values, scan, Some(&self.get()))?;
        let is_same = machine.opened.notes == self.get().opened.notes;
        if let (false, Some(note)) = (is_same, notes.pop()) {
            return Err(Error::Query(note));
        }
        *self.0.write() = Arc::new(machine);
        Ok(devices)
    }
}

impl Machine {
    /// Returns the known devices, accelerators first.
    pub fn devices(&self) -> Vec<DeviceReport> {
        let reports = &self.opened.reports;
        pelton_registry::accelerators(reports).into_iter().chain(reports.iter().cloned()).collect()
    }

    /// Opens a machine, with the parts of an earlier one that have not changed.
    fn open(
        values: &Settings,
        scan: &MakeScan<'_>,
        earlier: Option<&Machine>,
    ) -> Result<(Self, Devices, Vec<String>)> {
        let count = values.count(&THREADS).unwrap_or(1);
        let device = values.text(&DEVICE).unwrap_or(AUTO).to_owned();
        let opened = match earlier {
            Some(earlier) if earlier.device == device && earlier.count == count => earlier.opened.clone(),
            Some(earlier) if earlier.device == device => earlier.opened.with_threads(count),
            _ => open_devices(count, &device)?,
        };
        let threads = match earlier {
            Some(earlier) if earlier.count == count => earlier.threads.clone(),
            _ => {
                let running = Threads::start(count)
                    .map_err(|error| Error::Execution(format!("cannot start {count} threads: {error}")))?;
                Arc::new(running)
            }
        };
        let mut limits = Limits::default();
        let memory_limit = values.size(&MEMORY);
        if let Some(change) = ON_MEMORY_LIMIT.get() {
            change(memory_limit.is_some());
        }
        if let Some(bytes) = memory_limit {
            limits.output_per_job = limits.output_per_job.min(bytes);
            limits.bytes_in_flight = limits.bytes_in_flight.min(bytes / SCAN_SHARE);
            limits.free_bytes = limits.free_bytes.min(bytes / FREE_SHARE);
        }
        let router = opened.router(limits);
        let scan = scan(router.clone())?;
        let mut notes = opened.notes.clone();
        let gpu = opened.gpu.as_ref();
        let accelerator = gpu.map(|gpu| accelerator::over(gpu, scan.clone())).transpose();
        let accelerator = accelerator.unwrap_or_else(|why| {
            notes.push(pelton_registry::without(gpu.map_or("the GPU", OpenGpu::name), &why));
            None
        });
        let gpu = gpu.filter(|_| accelerator.is_some()).map(|open| open.gpu.clone());
        Ok((Self { threads, router, opened, gpu, count, device }, Devices { scan, accelerator }, notes))
    }
}

fn open_devices(threads: usize, device: &str) -> Result<Opened> {
    let refused = |error: &dyn std::fmt::Display| Error::Query(error.to_string());
    let choice = match device.trim() {
        AUTO => DeviceChoice::from_environment().map_err(|error| refused(&error))?,
        named => Some(named.parse::<DeviceChoice>().map_err(|error| refused(&error))?),
    };
    pelton_registry::open(threads, choice.as_ref()).map_err(|error| refused(&error))
}
