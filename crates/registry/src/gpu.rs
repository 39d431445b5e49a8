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
    /// It.
    pub gpu: Gpu,
    /// What decompresses on it for scans of the CPU.
    pub device: Arc<dyn Device>,
    /// How its host build is to run; the defaults for a GPU.
    pub settings: CudaHostSettings,
    /// Bytes of host memory that a query may set aside what does not fit in the GPU's in.
    pub spill: u64,
}

/// Of the memory that is available this part may be set aside in, if nothing else was said: what is
/// pinned can't be paged out, and others need some, too.
const SPILL_SHARE: u64 = 2;

/// The same where the system does not say what is available.
const SPILL: u64 = 1 << 30;

impl OpenGpu {
    /// Opens what is wanted; `None` if that is no GPU.
    ///
    /// # Errors
    /// Which of driver, device, memory, NVRTC or g++ is missing, and what to do.
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
            Wanted::Cpu | Wanted::Iaa(_) | Wanted::IaaModel(_) => return None,
        };
        let spill = match spill {
            Some(bytes) => bytes as u64,
            None => available_memory().map_or(SPILL, |available| available / SPILL_SHARE),
        };
        let open = gpu.and_then(|gpu| Ok(OpenGpu { device: CudaDevice::new(&gpu)?, gpu, settings, spill }));
        Some(open.map_err(|error| error.to_string()))
    }

    /// Its name, as a user writes it.
    pub fn name(&self) -> &'static str {
        if self.gpu.properties().is_host { "cuda-host" } else { "cuda" }
    }

    /// What there is to say of it.
    pub(crate) fn report(&self) -> DeviceReport {
        report(self.gpu.properties())
    }
}

fn report(properties: &Properties) -> DeviceReport {
    let Properties { name, architecture: (major, minor), multiprocessors, memory, is_host } = properties;
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

/// Whether there is a GPU, or why it can't be used. Makes a context on it, which takes some tenths
/// of a second.
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

/// Bytes that can be had without paging, as Linux reckons it (proc(5), `MemAvailable`); `None`: the
/// system does not say.
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
