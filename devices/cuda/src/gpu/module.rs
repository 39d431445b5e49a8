//! Compiled sources and the kernels in them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::runtime::{Inner, Runtime};
use crate::compile::Source;
use crate::driver::{CudaKernel, CudaModule};
use crate::host::{HostKernel, HostModule};
use crate::{Error, Result};

/// A source that was compiled and loaded into a GPU. Clones are the same module.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
    name: Arc<str>,
    loaded: Loaded,
    time: Duration,
    from_cache: bool,
}

#[derive(Clone)]
enum Loaded {
    Host(Arc<HostModule>),
    Cuda(Arc<CudaModule>),
}

/// A kernel of a module, which it keeps loaded.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) inner: Arc<Inner>,
    pub(crate) name: Arc<str>,
    pub(crate) code: KernelCode,
}

#[derive(Clone)]
pub(crate) enum KernelCode {
    Host(HostKernel),
    Cuda(CudaKernel),
}

impl Module {
    pub(crate) fn compile(inner: &Arc<Inner>, source: &Source) -> Result<Module> {
        let started = Instant::now();
        let (loaded, from_cache) = match &inner.runtime {
            Runtime::Host(host) => {
                let (module, from_cache) = host.compile(source)?;
                (Loaded::Host(Arc::new(module)), from_cache)
            }
            Runtime::Cuda(cuda) => {
                let (module, from_cache) = cuda.compile(source)?;
                (Loaded::Cuda(Arc::new(module)), from_cache)
            }
        };
        let name = source.name.as_str().into();
        Ok(Module { inner: inner.clone(), name, loaded, time: started.elapsed(), from_cache })
    }

    /// Returns a kernel by the name that `PELTON_KERNEL` gave it.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let code = match &self.loaded {
            Loaded::Host(module) => module.kernel(name).map(KernelCode::Host),
            Loaded::Cuda(module) => module.kernel(name)?.map(KernelCode::Cuda),
        };
        match code {
            Some(code) => Ok(Kernel { inner: self.inner.clone(), name: name.into(), code }),
            None => Err(Error::NoKernel { module: self.name.to_string(), kernel: name.into() }),
        }
    }

    /// Returns the time to compile and load it, or to find it in the cache and load it.
    pub fn compile_time(&self) -> Duration {
        self.time
    }

    /// Returns whether it came from the cache.
    pub fn from_cache(&self) -> bool {
        self.from_cache
    }
}

impl Kernel {
    /// Returns the name that `PELTON_KERNEL` gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Module({})", self.name)
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({})", self.name)
    }
}
