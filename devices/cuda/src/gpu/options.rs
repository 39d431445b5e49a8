//! Options to open a GPU, its properties, and the limits of a launch.

use crate::host::Order;

/// Maximum number of threads in a block; `PELTON_MAX_THREADS` of the prelude.
pub(crate) const MAX_THREADS: u32 = 256;
/// Maximum number of bytes in a kernel's parameters; `PELTON_MAX_PARAMS` of the prelude.
pub const MAX_PARAMS: usize = 4000;

/// Properties of a GPU.
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
    /// Hardware queues of the driver. Streams that share one wait for each other.
    pub queues: usize,
    /// Whether it is the host build of the kernels.
    pub is_host: bool,
}

/// Options to open a real GPU.
#[derive(Clone, Debug, Default)]
pub struct CudaOptions {
    /// The device, counted from zero as by `nvidia-smi` and CUDA_VISIBLE_DEVICES.
    pub ordinal: usize,
    /// Limit on the bytes of all buffers together; nine tenths of the free memory if not given.
    pub memory_limit: Option<usize>,
}

/// Options to open the host build.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Limit on the bytes of all buffers together; 4 GiB if not given.
    pub memory_limit: Option<usize>,
    /// Kernels are built with AddressSanitizer and UndefinedBehaviorSanitizer; see
    /// [`crate::sanitizer`].
    pub sanitize: bool,
    /// Threads that share the blocks of a launch, at least one. With a single thread each run is
    /// the same. With `sanitize` there is only one.
    pub threads: usize,
    /// The order in which the threads of a block run. If not given, the order in PELTON_HOST_ORDER,
    /// else forward.
    pub order: Option<Order>,
}

impl Default for HostOptions {
    fn default() -> HostOptions {
        HostOptions { memory_limit: None, sanitize: false, threads: 1, order: None }
    }
}
