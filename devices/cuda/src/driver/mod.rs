//! A real GPU, over CUDA's driver (cudarc's bindings) and NVRTC, both loaded at run time.
//!
//! `sys` is the edge to the libraries and `result` converts their errors; [`crate::Gpu`] is made of
//! the other modules. Functions of cudarc's `result` are called directly; its `safe` layer is not
//! used: it has one context per `CudaSlice`, events of its own for each, and panics.

mod handles;
mod memory;
mod module;
mod queues;
mod result;
mod stream;
mod sys;

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use cudarc::driver::result::{self as driver, device};
use cudarc::driver::sys::CUdevice_attribute::*;

pub(crate) use handles::Context;
pub(crate) use memory::{DeviceMemory, HostPinned, Pool};
pub(crate) use module::{CudaKernel, CudaModule};
pub(crate) use queues::queues_of_process;
pub use queues::{MAX_QUEUES, QUEUES_VARIABLE, request_all_queues};
pub(crate) use stream::{Clock, CudaEvent, CudaStream};

use crate::compile::{self, KernelCache, Key, Nvrtc, Source, source_headers};
use crate::{CudaOptions, Error, Properties, Result};
use result::In;

/// Ampere: kernels use `__reduce_add_sync`, which compute capability 8.0 introduced.
const OLDEST_DEVICE: (u32, u32) = (8, 0);

/// Maximum number of modules that stay loaded, those of the last queries. Each takes some ten
/// kilobytes of the device's memory.
const MAX_LOADED: usize = 128;

pub(crate) struct CudaRuntime {
    pub context: Arc<Context>,
    pub pool: Arc<Pool>,
    nvrtc: Nvrtc,
    cache: KernelCache,
    /// Recently used modules, the newest in front: a repeated query loads nothing.
    loaded: Mutex<VecDeque<(Key, CudaModule)>>,
    architecture: (u32, u32),
}

impl CudaRuntime {
    /// Opens a device, and returns its runtime, its properties and the limit on its memory.
    pub fn open(options: &CudaOptions) -> Result<(CudaRuntime, Properties, usize)> {
        let context = Context::open(options.ordinal)?;
        let number = |attribute| {
            // SAFETY: the context's device.
            #[allow(unsafe_code)]
            let value = unsafe { device::get_attribute(context.device(), attribute) };
            value.in_call("cuDeviceGetAttribute").map(i32::unsigned_abs)
        };
        let name = device::get_name(context.device()).in_call("cuDeviceGetName")?;
        let architecture = (
            number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let multiprocessors = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let pools = number(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)?;
        if architecture < OLDEST_DEVICE || pools == 0 {
            let why = format!(
                "compute capability {}.{}, memory pools: {}",
                architecture.0,
                architecture.1,
                pools != 0
            );
            return Err(Error::OldDevice { name, why });
        }
        // SAFETY: the context's device.
        #[allow(unsafe_code)]
        let memory = unsafe { device::total_mem(context.device()) }.in_call("cuDeviceTotalMem")?;
        let (free, _) = driver::mem_get_info().in_call("cuMemGetInfo")?;
        // A tenth is left to code, stacks and the driver itself.
        let limit = options.memory_limit.unwrap_or(free - free / 10);
        let nvrtc = Nvrtc::load()?;
        let driver = sys::version()?;
        // A driver loads machine code of its own major version's compilers, and older ones'.
        if nvrtc.version().0 > driver / 1000 {
            return Err(Error::OldDriver {
                version: driver,
                needed: nvrtc.version().0 * 1000,
                why: format!(
                    "it cannot load what NVRTC {}.{} makes; an NVRTC of version {} does, too (set PELTON_NVRTC)",
                    nvrtc.version().0,
                    nvrtc.version().1,
                    driver / 1000
                ),
            });
        }
        let pool = Pool::new(&context, limit)?;
        let queues = queues_of_process();
        let properties = Properties { name, architecture, multiprocessors, memory, queues, is_host: false };
        let runtime = CudaRuntime {
            context,
            pool,
            nvrtc,
            cache: KernelCache::open(),
            loaded: Mutex::default(),
            architecture,
        };
        Ok((runtime, properties, limit))
    }

    /// Returns the loaded module, and whether it was in memory or in the cache.
    pub fn compile(&self, source: &Source) -> Result<(CudaModule, bool)> {
        let (major, minor) = self.nvrtc.version();
        let compiler = format!("NVRTC {major}.{minor} sm_{}{}", self.architecture.0, self.architecture.1);
        let mut parts = vec![compiler.as_str()];
        parts.extend(compile::OPTIONS);
        let key = Key::new(source, source_headers(), &parts);
        if let Some(module) = self.loaded(key) {
            return Ok((module, true));
        }
        if let Some((_, cubin)) = self.cache.find(key, "cubin") {
            return Ok((self.keep(key, CudaModule::load(&self.context, &cubin)?), true));
        }
        let cubin = self.nvrtc.compile(source, self.architecture)?;
        self.cache.add(key, "cubin", &cubin);
        Ok((self.keep(key, CudaModule::load(&self.context, &cubin)?), false))
    }

    /// Returns a module if it is still loaded.
    fn loaded(&self, key: Key) -> Option<CudaModule> {
        let mut loaded = self.loaded.lock();
        let found = loaded.iter().position(|(of, _)| *of == key)?;
        let entry = loaded.remove(found)?;
        let module = entry.1.clone();
        loaded.push_front(entry);
        Some(module)
    }

    /// Keeps a module, and unloads the least recently used one.
    fn keep(&self, key: Key, module: CudaModule) -> CudaModule {
        let mut loaded = self.loaded.lock();
        loaded.push_front((key, module.clone()));
        let let_go = if loaded.len() > MAX_LOADED { loaded.pop_back() } else { None };
        // Unloading waits for the device; no other caller should wait for that.
        drop(loaded);
        drop(let_go);
        module
    }
}
