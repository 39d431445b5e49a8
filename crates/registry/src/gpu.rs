//! GPUs, and the host build of their kernels.

use std::fs;
use std::sync::Arc;

use pelton_device_cuda::{CudaDevice, CudaOptions, Gpu, HostOptions, Properties};
use pelton_job::Device;

use crate::choice::{CudaHostSettings, CudaSettings, Wanted};
use crate::report::{DeviceReport, one_line};

/// A GPU that was opened.
#[derive(Clone)]
pub struct OpenGpu {
    /// The GPU itself.
    pub gpu: Gpu,
    /// The device that decompresses on it for scans of the CPU.
    pub device: Arc<dyn Device>,
    /// Settings of its host build; the defaults for a GPU.
    pub settings: CudaHostSettings,
    /// Bytes of host memory for a query's spilled rows.
    pub spill: u64,
}

/// Divisor of the available memory that spilled rows may take by default. Pinned memory can't be
/// paged out, and other processes need some.
const SPILL_SHARE: u64 = 2;

/// Bytes for spilled rows if the system does not report its available memory.
const SPILL: u64 = 1 << 30;

impl OpenGpu {
    /// Opens a GPU; returns `None` for another device.
    ///
    /// # Errors
    /// Driver, device, memory, NVRTC or g++ is missing; the text names the next step.
    pub(crate) fn open(wanted: Wanted) -> Option<Result<OpenGpu, String>> {
        let (gpu, settings, spill) = match wanted {
            Wanted::Cuda(CudaSettings { ordinal, memory, spill }) => {
                let options = CudaOptions { ordinal, memory_limit: memory };
                (Gpu::cuda(options), CudaHostSettings::default(), spill)
            }
            Wanted::CudaHost(settings) => {
                let CudaHostSettings { memory: memory_limit, threads, spill, .. } = settings;
                let options = HostOptions { memory_limit, threads: threads.get(), ..HostOptions::default() };
                (Gpu::host(options), settings, spill)
            }
            _ => return None,
        };
        let spill = match spill {
            Some(bytes) => bytes as u64,
            None => available_memory().map_or(SPILL, |available| available / SPILL_SHARE),
        };
        let open = gpu.and_then(|gpu| Ok(OpenGpu { device: CudaDevice::new(&gpu)?, gpu, settings, spill }));
        Some(open.map_err(|error| error.to_string()))
    }

    /// Returns its name, as a user writes it.
    pub fn name(&self) -> &'static str {
        if self.gpu.properties().is_host { "cuda-host" } else { "cuda" }
    }

    /// Returns the report on it.
    pub(crate) fn report(&self) -> DeviceReport {
        report(self.gpu.properties())
    }
}

fn report(properties: &Properties) -> DeviceReport {
    let Properties { name, architecture: (major, minor), multiprocessors, memory, is_host, .. } = properties;
    let memory = *memory as f64 / f64::from(1 << 30);
    let (device, detail) = match is_host {
        true => ("cuda-host", format!("{name}, {multiprocessors} threads, {memory:.1} GiB; for tests")),
        false => {
            let what = format!("compute capability {major}.{minor}, {multiprocessors} multiprocessors");
            ("cuda", format!("{name}, {what}, {memory:.1} GiB"))
        }
    };
    DeviceReport { name: device.to_owned(), available: true, detail, enable: Vec::new() }
}

/// Returns the report on the first GPU, or the reason that it can't be used. Makes a context on
/// it, which takes some tenths of a second.
pub(crate) fn look() -> DeviceReport {
    match Gpu::cuda(CudaOptions::default()) {
        Ok(gpu) => report(gpu.properties()),
        Err(error) => DeviceReport {
            name: "cuda".to_owned(),
            available: false,
            detail: one_line(&error.to_string()),
            enable: Vec::new(),
        },
    }
}

/// Returns the bytes that can be allocated without paging (proc(5), `MemAvailable`), or `None` if
/// the system does not report them.
fn available_memory() -> Option<u64> {
    in_text(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn in_text(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests;
