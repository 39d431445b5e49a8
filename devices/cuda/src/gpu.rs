//! A GPU, or what stands in for one.

use std::sync::Arc;

use crate::buffer::{Buffer, Memory, Pinned};
use crate::driver::CudaRuntime;
use crate::host::{HostRuntime, Order};
use crate::meter::Meter;
use crate::module::Module;
use crate::profile::Profiler;
use crate::source::Source;
use crate::stream::Stream;
use crate::{Error, Result};

/// A handle to a GPU; clones are the same GPU.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub runtime: Runtime,
    pub properties: Properties,
    pub profiler: Profiler,
    pub meter: Meter,
}

/// What runs the work.
pub(crate) enum Runtime {
    Host(HostRuntime),
    Cuda(CudaRuntime),
}

/// What a GPU is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The device's name.
    pub name: String,
    /// Compute capability, major and minor; (0, 0) for the host build.
    pub architecture: (u32, u32),
    /// Streaming multiprocessors; for the host build the threads that run blocks.
    pub multiprocessors: u32,
    /// Bytes of memory that the device has; for the host build its limit.
    pub memory: usize,
    /// Whether it is the host build.
    pub is_host: bool,
}

/// Which GPU, and how much of it.
#[derive(Clone, Debug, Default)]
pub struct CudaOptions {
    /// The device, counted from 0 as `nvidia-smi` and CUDA_VISIBLE_DEVICES have it.
    pub ordinal: usize,
    /// Bytes that buffers may take together; nine tenths of what is free if not given.
    pub memory_limit: Option<usize>,
}

/// How the host build is to be.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Bytes that buffers may take together; 4 GiB if not given.
    pub memory_limit: Option<usize>,
    /// Kernels are built with AddressSanitizer and UndefinedBehaviorSanitizer; see
    /// [`crate::sanitizer`].
    pub sanitize: bool,
    /// Threads that share the blocks of a launch, at least 1. With 1 a run is the same each time.
    /// With `sanitize` it is 1.
    pub threads: usize,
    /// The order in which the threads of a block run; that of PELTON_HOST_ORDER, else forward, if
    /// not given.
    pub order: Option<Order>,
}

impl Default for HostOptions {
    fn default() -> HostOptions {
        HostOptions { memory_limit: None, sanitize: false, threads: 1, order: None }
    }
}

/// What the host build's buffers may take if nothing else is said: much for a test, and less than
/// the machine has.
const HOST_MEMORY: usize = 4 << 30;

impl Gpu {
    /// This machine's processor as a GPU, for tests: kernels are built by g++ and run as
    /// docs/gpu-host-build.md says.
    ///
    /// # Errors
    /// No g++; or `sanitize` in a process without AddressSanitizer.
    pub fn host(options: HostOptions) -> Result<Gpu> {
        let runtime = HostRuntime::open(&options)?;
        let limit = options.memory_limit.unwrap_or(HOST_MEMORY);
        let properties = Properties {
            name: "host build of the kernels".into(),
            architecture: (0, 0),
            multiprocessors: runtime.threads() as u32,
            memory: limit,
            is_host: true,
        };
        Ok(Gpu::of(Runtime::Host(runtime), properties, limit, Profiler::new(None)))
    }

    /// An NVIDIA GPU.
    ///
    /// # Errors
    /// The driver, a device or NVRTC is missing or too old: which, and what to do.
    pub fn cuda(options: CudaOptions) -> Result<Gpu> {
        let (runtime, properties, limit) = CudaRuntime::open(&options)?;
        let profiler = Profiler::new(Some(runtime.context.clone()));
        Ok(Gpu::of(Runtime::Cuda(runtime), properties, limit, profiler))
    }

    fn of(runtime: Runtime, properties: Properties, limit: usize, profiler: Profiler) -> Gpu {
        let inner = Inner { runtime, properties, profiler, meter: Meter::new(limit) };
        Gpu { inner: Arc::new(inner) }
    }

    /// What it is.
    pub fn properties(&self) -> &Properties {
        &self.inner.properties
    }

    /// Compiles a source, or takes it from the cache on disk.
    ///
    /// # Errors
    /// The compiler refuses it, or it can't be loaded.
    pub fn compile(&self, source: &Source) -> Result<Module> {
        Module::compile(self, source)
    }

    /// Memory with undefined contents, at an address that is a multiple of 256. It is returned when
    /// dropped.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], of the limit or of the device.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer> {
        let meter = &self.inner.meter;
        meter.take(bytes)?;
        let memory = match &self.inner.runtime {
            Runtime::Host(host) => Ok(host.allocate(bytes).map(Memory::Host)),
            Runtime::Cuda(cuda) => cuda.pool.allocate(bytes).map(|memory| memory.map(Memory::Cuda)),
        };
        match memory {
            Ok(Some(memory)) => Ok(Buffer::new(self.inner.clone(), memory, bytes)),
            missing => {
                meter.give_back(bytes);
                let full = Error::OutOfMemory { asked: bytes, used: meter.used(), limit: meter.limit() };
                Err(missing.err().unwrap_or(full))
            }
        }
    }

    /// Zeroed host memory that copies to the GPU can be made from at full speed.
    ///
    /// # Errors
    /// The system has no more such memory.
    pub fn pinned(&self, bytes: usize) -> Result<Pinned> {
        match &self.inner.runtime {
            Runtime::Host(_) => Ok(Pinned::pageable(bytes)),
            Runtime::Cuda(cuda) => Pinned::page_locked(&cuda.context, bytes),
        }
    }

    /// A new stream. The name is for the profile.
    ///
    /// # Errors
    /// The device refuses.
    pub fn stream(&self, name: &'static str) -> Result<Stream> {
        Stream::new(self, name)
    }

    /// Says what ran when.
    pub fn profiler(&self) -> &Profiler {
        &self.inner.profiler
    }

    /// Bytes in buffers that were not dropped.
    pub fn memory_used(&self) -> usize {
        self.inner.meter.used()
    }

    /// Bytes that buffers may take together.
    pub fn memory_limit(&self) -> usize {
        self.inner.meter.limit()
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("properties", &self.inner.properties).finish_non_exhaustive()
    }
}
