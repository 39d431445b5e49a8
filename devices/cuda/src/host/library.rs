//! Kernels in a shared library, and calls of them.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use libloading::Library;

use super::order::Order;
use super::stacks::{STRIDE, Stacks};
use crate::{Error, Result};

/// `struct Launch` of `sim/block.h`.
#[repr(C)]
struct Launch {
    blocks: u32,
    threads: u32,
    next_block: *const AtomicU32,
    stacks: *mut u8,
    stack_bytes: u64,
    stack_stride: u64,
    message: *mut c_char,
    message_bytes: u64,
    order: u64,
}

/// A kernel's function, made by `PELTON_KERNEL`: parameters, their length, and the launch. A result
/// other than zero is a failure.
type Entry = unsafe extern "C" fn(*const c_void, u64, *const Launch) -> c_int;

/// A compiled library.
pub(crate) enum Compiled {
    /// In the cache.
    Kept(PathBuf),
    /// In a folder that is removed with the module.
    Temporary(PathBuf, tempfile::TempDir),
}

/// A loaded library.
pub(crate) struct HostModule {
    library: Arc<Loaded>,
}

struct Loaded {
    library: Library,
    /// Unloaded first, then removed.
    _folder: Option<tempfile::TempDir>,
}

/// A kernel, which keeps its library loaded.
#[derive(Clone)]
pub(crate) struct HostKernel {
    entry: Entry,
    _library: Arc<Loaded>,
}

impl HostModule {
    pub fn load(compiled: Compiled) -> Result<HostModule> {
        let (path, folder) = match compiled {
            Compiled::Kept(path) => (path, None),
            Compiled::Temporary(path, folder) => (path, Some(folder)),
        };
        // SAFETY: built from our own source by the host's compiler; it has no code that runs at
        // loading.
        let library = unsafe { Library::new(&path) }
            .map_err(|error| Error::system(format!("cannot load {}", path.display()), error))?;
        Ok(HostModule { library: Arc::new(Loaded { library, _folder: folder }) })
    }

    pub fn kernel(&self, name: &str) -> Option<HostKernel> {
        // SAFETY: nothing but kernels is exported, and all have this type.
        let entry = unsafe { self.library.library.get::<Entry>(name.as_bytes()) }.ok()?;
        Some(HostKernel { entry: *entry, _library: self.library.clone() })
    }
}

impl HostKernel {
    /// Runs blocks, from `next_block` on, to the last.
    ///
    /// # Safety
    /// As for [`crate::Stream::launch`]; `threads` is at most [`crate::gpu::MAX_THREADS`].
    pub(super) unsafe fn run(
        &self,
        order: Order,
        blocks: u32,
        threads: u32,
        params: &[u8],
        next_block: &AtomicU32,
        stacks: &Stacks,
    ) -> Result<()> {
        let mut message = [0u8; 2048];
        let launch = Launch {
            blocks,
            threads,
            next_block,
            stacks: stacks.first(),
            stack_bytes: stacks.bytes() as u64,
            stack_stride: STRIDE as u64,
            message: message.as_mut_ptr().cast(),
            message_bytes: message.len() as u64,
            order: order.number(),
        };
        // SAFETY: the launch's pointers live until the call returns; the kernel checks the
        // parameters' length.
        let failed = unsafe { (self.entry)(params.as_ptr().cast(), params.len() as u64, &launch) };
        if failed == 0 {
            return Ok(());
        }
        let text = CStr::from_bytes_until_nul(&message).map(CStr::to_string_lossy).unwrap_or_default();
        Err(Error::Kernel { message: text.into_owned() })
    }
}
