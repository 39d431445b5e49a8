//! GPU, real or the host build.

mod module;
mod options;
mod profile;
mod runtime;
mod stream;

use std::sync::Arc;

use crate::compile::Source;
use crate::driver::{CudaRuntime, queues_of_process};
use crate::host::HostRuntime;
use crate::memory::{Buffer, Memory, Pinned};
use crate::{Error, Result};

pub use module::{Kernel, Module};
pub use options::{CudaOptions, HostOptions, MAX_PARAMS, Properties};
pub use profile::{Label, Profiler, Span, SpanKind};
pub use stream::{Event, Stream};

pub(crate) use options::MAX_THREADS;
pub(crate) use runtime::Inner;
use runtime::{MemoryBudget, Runtime};

/// A handle to a GPU; clones are the same GPU.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) inner: Arc<Inner>,
}

/// Default limit on the host build's buffers: much for a test, and less than the machine has.
const HOST_MEMORY: usize = 4 << 30;

impl Gpu {
    /// Opens this machine's processor as a GPU, for tests: kernels are built by g++ and run as
    /// described in docs/gpu-host-build.md.
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
            queues: queues_of_process(),
            is_host: true,
        };
        Ok(Gpu::of(Runtime::Host(runtime), properties, limit, Profiler::new(None)))
    }

    /// Opens an NVIDIA GPU.
    ///
    /// # Errors
    /// The driver, a device or NVRTC is missing or too old. The error names it and the remedy.
    pub fn cuda(options: CudaOptions) -> Result<Gpu> {
        let (runtime, properties, limit) = CudaRuntime::open(&options)?;
        let profiler = Profiler::new(Some(runtime.context.clone()));
        Ok(Gpu::of(Runtime::Cuda(runtime), properties, limit, profiler))
    }

    fn of(runtime: Runtime, properties: Properties, limit: usize, profiler: Profiler) -> Gpu {
        let inner = Inner { runtime, properties, profiler, budget: MemoryBudget::new(limit) };
        Gpu { inner: Arc::new(inner) }
    }

    /// Returns the properties of the device.
    pub fn properties(&self) -> &Properties {
        &self.inner.properties
    }

    /// Compiles a source, or takes it from the cache on disk.
    ///
    /// # Errors
    /// The compiler rejects it, or it can't be loaded.
    pub fn compile(&self, source: &Source) -> Result<Module> {
        Module::compile(&self.inner, source)
    }

    /// Allocates memory with undefined contents, at an address that is a multiple of 256. It is
    /// freed when dropped.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], of the limit or of the device.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer> {
        let budget = &self.inner.budget;
        budget.reserve(bytes)?;
        let memory = match &self.inner.runtime {
            Runtime::Host(host) => Ok(host.allocate(bytes).map(Memory::Host)),
            Runtime::Cuda(cuda) => cuda.pool.allocate(bytes).map(|memory| memory.map(Memory::Cuda)),
        };
        match memory {
            Ok(Some(memory)) => Ok(Buffer::new(self.inner.clone(), memory, bytes)),
            missing => {
                budget.release(bytes);
                let full = Error::OutOfMemory { asked: bytes, used: budget.used(), limit: budget.limit() };
                Err(missing.err().unwrap_or(full))
            }
        }
    }

    /// Allocates zeroed host memory that copies to the GPU read at full speed.
    ///
    /// # Errors
    /// The system has no more such memory.
    pub fn pinned(&self, bytes: usize) -> Result<Pinned> {
        match &self.inner.runtime {
            Runtime::Host(_) => Ok(Pinned::pageable(bytes)),
            Runtime::Cuda(cuda) => Pinned::page_locked(&cuda.context, bytes),
        }
    }

    /// Opens a new stream. The name is for the profile.
    ///
    /// # Errors
    /// The device reports an error.
    pub fn stream(&self, name: &'static str) -> Result<Stream> {
        Stream::new(&self.inner, name)
    }

    /// Returns the profiler of this GPU's work.
    pub fn profiler(&self) -> &Profiler {
        &self.inner.profiler
    }

    /// Returns the bytes of all buffers.
    pub fn memory_used(&self) -> usize {
        self.inner.budget.used()
    }

    /// Returns the limit on the bytes of all buffers.
    pub fn memory_limit(&self) -> usize {
        self.inner.budget.limit()
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("properties", &self.inner.properties).finish_non_exhaustive()
    }
}
