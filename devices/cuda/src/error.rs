//! Errors, each with its remedy. A message is one line, except for a compiler's log.

/// Reason why a GPU can't be used, or an operation on it failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The host build has no compiler.
    #[error("cannot start g++, which builds kernels for the host: {why}; install it (Debian: g++)")]
    NoCompiler {
        /// The system's reason.
        why: String,
    },
    /// The compiler refused a source.
    #[error("{compiler} cannot compile {name}; this is a bug in Pelton:\n{log}")]
    Compile {
        /// g++ or NVRTC.
        compiler: &'static str,
        /// The source's name.
        name: String,
        /// Output of the compiler.
        log: String,
    },
    /// There is no CUDA driver.
    #[error("no CUDA driver: {why}; install NVIDIA's driver (`nvidia-smi` must work)")]
    NoDriver {
        /// The reason.
        why: String,
    },
    /// The driver is too old for this crate, or for the code of this NVRTC.
    #[error("the CUDA driver is of version {}, and {} is needed: {why}; install a newer NVIDIA driver", dotted(*version), dotted(*needed))]
    OldDriver {
        /// Number from `cuDriverGetVersion`: 12040 is version 12.4. It is zero if the driver does
        /// not say.
        version: u32,
        /// The oldest version that works.
        needed: u32,
        /// The driver's shortcoming.
        why: String,
    },
    /// The driver has no such device.
    #[error("no GPU: {why}; `nvidia-smi` shows which there are, CUDA_VISIBLE_DEVICES may hide some")]
    NoDevice {
        /// The driver's reason.
        why: String,
    },
    /// The device lacks features that kernels use.
    #[error("{name} cannot be used: {why}; compute capability 8.0 (Ampere) with memory pools is needed")]
    OldDevice {
        /// The device's name.
        name: String,
        /// The device's features.
        why: String,
    },
    /// The driver reported an error.
    #[error("the CUDA driver failed in {call}: {why}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// Its name for the error, and its text.
        why: String,
    },
    /// The device, or the process's use of it, is gone: a kernel made a forbidden access, or the
    /// hardware failed. The process cannot use it any more; the CPU can do the work.
    #[error("the GPU stopped working, seen in {call}: {why}; restart to use it again")]
    DeviceLost {
        /// The driver's function that reported it; the cause came before.
        call: &'static str,
        /// Its name for the error, and its text.
        why: String,
    },
    /// NVRTC is not there.
    #[error(
        "cannot load NVRTC, which compiles kernels for the GPU: {why}; install CUDA 12 or later, or `pip install \
         nvidia-cuda-nvrtc` and set PELTON_NVRTC to the folder of libnvrtc.so.13"
    )]
    NoNvrtc {
        /// The reason.
        why: String,
    },
    /// NVRTC does not know the device.
    #[error(
        "NVRTC {}.{} cannot compile for compute capability {}.{}; install a newer one, or set PELTON_NVRTC to it",
        version.0, version.1, architecture.0, architecture.1
    )]
    OldNvrtc {
        /// Version of NVRTC, major and minor.
        version: (u32, u32),
        /// The device's compute capability.
        architecture: (u32, u32),
    },
    /// NVRTC failed for another reason than the source.
    #[error("NVRTC failed in {call}: {why}; are all of its files beside it (libnvrtc-builtins)?")]
    Nvrtc {
        /// The function.
        call: &'static str,
        /// NVRTC's reason.
        why: String,
    },
    /// Kernels were to be built with AddressSanitizer in a process that was started without it.
    #[error(
        "AddressSanitizer is not loaded in this process; start it with LD_PRELOAD={library} and \
         ASAN_OPTIONS=detect_leaks=0, as pelton_device_cuda::sanitizer does for tests"
    )]
    NoSanitizer {
        /// Path of the library by g++, or its bare name if g++ has none.
        library: String,
    },
    /// The limit on memory would be passed, or the device has no more. Use less at a time, or
    /// spill.
    #[error("{asked} bytes of GPU memory were asked for, with {used} of {limit} in use")]
    OutOfMemory {
        /// Bytes asked for.
        asked: usize,
        /// Bytes in use.
        used: usize,
        /// Bytes that may be in use.
        limit: usize,
    },
    /// An operation beyond the end of a buffer.
    #[error("{what}: {bytes} bytes at {offset} are outside a buffer of {len}; this is a bug in Pelton")]
    OutOfBounds {
        /// The operation.
        what: &'static str,
        /// First byte.
        offset: usize,
        /// Number of bytes.
        bytes: usize,
        /// The buffer's length.
        len: usize,
    },
    /// A kernel is not in its module.
    #[error("there is no kernel {kernel} in {module}; this is a bug in Pelton")]
    NoKernel {
        /// The module's name.
        module: String,
        /// The kernel's name.
        kernel: String,
    },
    /// A launch with sizes that no device takes; a kernel, buffer or event of another GPU; or an
    /// unknown setting.
    #[error("the GPU cannot be used like this: {what}")]
    BadCall {
        /// The error in the call.
        what: String,
    },
    /// A kernel could not go on, in the host build only: a deadlock, or a barrier that not all
    /// threads reach.
    #[error("{message}; this is a bug in Pelton")]
    Kernel {
        /// Kernel, block, thread and place in the source.
        message: String,
    },
    /// An operation on a file, folder or thread failed.
    #[error("{what}: {why}")]
    System {
        /// The attempt, with the path.
        what: String,
        /// The system's reason.
        why: String,
    },
}

impl Error {
    /// Returns whether less memory at a time would help.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfMemory { .. })
    }

    /// Returns whether the GPU can no longer be used in this process.
    pub fn is_device_lost(&self) -> bool {
        matches!(self, Error::DeviceLost { .. })
    }

    pub(crate) fn system(what: impl Into<String>, why: impl std::fmt::Display) -> Error {
        Error::System { what: what.into(), why: why.to_string() }
    }

    pub(crate) fn bad_call(what: impl Into<String>) -> Error {
        Error::BadCall { what: what.into() }
    }
}

/// Formats a version number of CUDA.
fn dotted(version: u32) -> String {
    if version == 0 { "unknown".into() } else { format!("{}.{}", version / 1000, version % 1000 / 10) }
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
