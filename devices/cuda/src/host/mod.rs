//! The host build: g++ makes a shared library of a kernel source, and its kernels run on the thread
//! that launches them.

mod compiler;
mod library;
mod memory;
mod order;
mod stacks;

use std::sync::atomic::AtomicU32;

use parking_lot::Mutex;

pub(crate) use library::{HostKernel, HostModule};
pub(crate) use memory::HostMemory;
pub use order::Order;

use crate::{Error, HostOptions, Result, sanitizer};
use compiler::Compiler;
use stacks::Stacks;

pub(crate) struct HostRuntime {
    compiler: Compiler,
    sanitize: bool,
    threads: usize,
    order: Order,
    /// Unused stacks.
    stacks: Mutex<Vec<Stacks>>,
}

/// Allows one launch at a time of kernels with AddressSanitizer: their shared memory is static, and
/// a library that two modules loaded is one library.
static SANITIZED: Mutex<()> = Mutex::new(());

impl HostRuntime {
    pub fn open(options: &HostOptions) -> Result<HostRuntime> {
        if options.sanitize && !sanitizer::is_loaded() {
            return Err(Error::NoSanitizer { library: sanitizer::library() });
        }
        let compiler = Compiler::find(options.sanitize)?;
        let threads = if options.sanitize { 1 } else { options.threads.max(1) };
        let order = options.order.map_or_else(Order::of_environment, Ok)?;
        Ok(HostRuntime { compiler, sanitize: options.sanitize, threads, order, stacks: Mutex::default() })
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    pub fn compile(&self, source: &crate::Source) -> Result<(HostModule, bool)> {
        let (library, from_cache) = self.compiler.compile(source)?;
        Ok((HostModule::load(library)?, from_cache))
    }

    pub fn allocate(&self, bytes: usize) -> Option<HostMemory> {
        HostMemory::new(bytes)
    }

    /// Runs a kernel to its end.
    ///
    /// # Safety
    /// As for [`crate::Stream::launch`].
    #[allow(unsafe_code)]
    pub unsafe fn launch(&self, kernel: &HostKernel, blocks: u32, threads: u32, params: &[u8]) -> Result<()> {
        let _alone = self.sanitize.then(|| SANITIZED.lock());
        let next_block = AtomicU32::new(0);
        let run = || {
            let stacks = self.stacks.lock().pop();
            let stacks = stacks.map_or_else(Stacks::new, Ok)?;
            // SAFETY: the caller's promise.
            let result = unsafe { kernel.run(self.order, blocks, threads, params, &next_block, &stacks) };
            self.stacks.lock().push(stacks);
            result
        };
        let others = self.threads.min(blocks as usize) - 1;
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..others).map(|_| scope.spawn(run)).collect();
            let mut result = run();
            for other in others {
                let ended = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                result = result.and(ended);
            }
            result
        })
    }
}
