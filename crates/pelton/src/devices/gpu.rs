//! GPUs, and the host build of their kernels.

use std::sync::Arc;

use pelton_device_cuda::{CudaDevice, CudaOptions, Gpu, HostOptions, Properties};
use pelton_gpu::GpuAccelerator;
use pelton_job::Device;
use pelton_query::{Accelerator, ScanContext};

use super::faults::FailEvery;
use super::{DeviceReport, one_line};
use crate::choice::{CudaHostSettings, CudaSettings, Wanted};

/// A GPU that was opened.
#[derive(Clone)]
pub(crate) struct OpenGpu {
    pub(crate) gpu: Gpu,
    /// What decompresses on it for scans of the CPU.
    pub(crate) device: Arc<dyn Device>,
    settings: CudaHostSettings,
}

impl OpenGpu {
    /// Opens what is wanted; `None` if that is no GPU.
    ///
    /// # Errors
    /// Which of driver, device, memory, NVRTC or g++ is missing, and what to do.
    pub(crate) fn open(wanted: Wanted) -> Option<Result<OpenGpu, String>> {
        let (gpu, settings) = match wanted {
            Wanted::Cuda(CudaSettings { ordinal, memory }) => {
                let options = CudaOptions { ordinal, memory_limit: memory };
                (Gpu::cuda(options), CudaHostSettings::default())
            }
            Wanted::CudaHost(settings) => {
                let CudaHostSettings { memory: memory_limit, threads, .. } = settings;
                let options = HostOptions { memory_limit, threads: threads.get(), ..HostOptions::default() };
                (Gpu::host(options), settings)
            }
            Wanted::Cpu | Wanted::Iaa | Wanted::IaaModel(_) => return None,
        };
        let open = gpu.and_then(|gpu| Ok(OpenGpu { device: CudaDevice::new(&gpu)?, gpu, settings }));
        Some(open.map_err(|error| error.to_string()))
    }

    /// What runs parts of queries on it.
    ///
    /// # Errors
    /// The kernels that all queries use can't be compiled.
    pub(crate) fn accelerator(&self, scan: ScanContext) -> Result<Arc<dyn Accelerator>, String> {
        let passes = self.settings.passes.get() as u64;
        let accelerator = GpuAccelerator::with_passes(self.gpu.clone(), scan, passes);
        let accelerator = accelerator.map_err(|failure| failure.0)?;
        Ok(match self.settings.fault_every {
            Some(every) => Arc::new(FailEvery::new(Arc::new(accelerator), every)),
            None => Arc::new(accelerator),
        })
    }

    /// Its name, as a user writes it.
    pub(crate) fn name(&self) -> &'static str {
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

/// Whether there is a GPU, or why it can't be used. Makes a context on it, which takes some tenths of a second.
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
