//! What can go wrong, and what to do about it. Each message is one line, but for a compiler's log.

/// Why something could not be had or done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The host build has no compiler.
    #[error("cannot start g++, which builds kernels for the host: {why}; install it (Debian: g++)")]
    NoCompiler {
        /// What the system says.
        why: String,
    },
    /// The compiler refused a source.
    #[error("{compiler} cannot compile {name}; this is a bug in Pelton:\n{log}")]
    Compile {
        /// g++ or NVRTC.
        compiler: &'static str,
        /// The source's name.
        name: String,
        /// What the compiler printed.
        log: String,
    },
    /// Kernels were to be built with AddressSanitizer in a process that was started without it.
    #[error(
        "AddressSanitizer is not loaded in this process; start it with LD_PRELOAD={library} and \
         ASAN_OPTIONS=detect_leaks=0, as pelton_device_cuda::sanitizer does for tests"
    )]
    NoSanitizer {
        /// Where g++ has the library, or its bare name if it has none.
        library: String,
    },
    /// The limit on memory would be passed, or the device has no more. Use less at a time, or spill.
    #[error("{asked} bytes of GPU memory were asked for, with {used} of {limit} in use")]
    OutOfMemory {
        /// Bytes asked for.
        asked: usize,
        /// Bytes in use.
        used: usize,
        /// Bytes that may be in use.
        limit: usize,
    },
    /// Bytes outside a buffer were named.
    #[error("{what}: {bytes} bytes at {offset} are outside a buffer of {len}; this is a bug in Pelton")]
    OutOfBounds {
        /// The operation.
        what: &'static str,
        /// First byte.
        offset: usize,
        /// How many.
        bytes: usize,
        /// The buffer's length.
        len: usize,
    },
    /// A kernel is not in its module.
    #[error("there is no kernel {kernel} in {module}; this is a bug in Pelton")]
    NoKernel {
        /// The module's name.
        module: String,
        /// The kernel's.
        kernel: String,
    },
    /// A launch with sizes that no device takes, or a kernel, buffer or event of another GPU.
    #[error("a launch or copy that cannot be: {what}; this is a bug in Pelton")]
    BadCall {
        /// What is wrong with it.
        what: String,
    },
    /// A kernel could not go on. The host build only: a deadlock, or a barrier that not all threads meet.
    #[error("{message}; this is a bug in Pelton")]
    Kernel {
        /// Which kernel, block and thread, and where in the source.
        message: String,
    },
    /// A file, folder or thread could not be had.
    #[error("{what}: {why}")]
    System {
        /// What was tried, with the path.
        what: String,
        /// What the system says.
        why: String,
    },
}

impl Error {
    /// Whether less memory at a time would help.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfMemory { .. })
    }

    pub(crate) fn system(what: impl Into<String>, why: impl std::fmt::Display) -> Error {
        Error::System { what: what.into(), why: why.to_string() }
    }

    pub(crate) fn bad_call(what: impl Into<String>) -> Error {
        Error::BadCall { what: what.into() }
    }
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
