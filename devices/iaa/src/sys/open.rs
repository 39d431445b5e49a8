//! Opening a queue's character device, and what keeps it from being opened.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::Page;

/// What a queue is to Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Many processes submit, each by ENQCMD.
    Shared,
    /// One process submits, by MOVDIR64B.
    Dedicated,
}

/// What a queue's configuration says: [`Capabilities`](crate::Capabilities) but for the way in,
/// which opening it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Shared or dedicated.
    pub kind: QueueKind,
    /// Descriptors that it takes from unprivileged processes.
    pub depth: usize,
    /// Most bytes of one source or destination.
    pub max_transfer_bytes: usize,
    /// It waits for missing pages, if a descriptor asks for that.
    pub block_on_fault: bool,
    /// A bit for each opcode that it allows.
    pub opcodes: [u64; 4],
    /// The NUMA node of its device, where the system says one.
    pub node: Option<u32>,
}

/// The two calls of the system that opening a queue takes. Tests answer them without a device.
pub trait System: Send + Sync {
    /// Opens the character device for reading and writing.
    ///
    /// # Errors
    /// As the system has them.
    fn open(&self, path: &Path) -> io::Result<OwnedFd>;

    /// Maps its portal.
    ///
    /// # Errors
    /// As the system has them; EPERM: this process may not map it.
    fn map(&self, file: BorrowedFd<'_>) -> io::Result<Page>;
}

/// The real ones.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl System for Kernel {
    fn open(&self, path: &Path) -> io::Result<OwnedFd> {
        // Closed on exec, as std does it. For reading too, or a mapping is refused.
        OpenOptions::new().read(true).write(true).open(path).map(OwnedFd::from)
    }

    fn map(&self, file: BorrowedFd<'_>) -> io::Result<Page> {
        Page::map(file)
    }
}

/// Why a portal is not mapped.
#[derive(Debug, thiserror::Error)]
pub enum Unmapped {
    /// The processor lacks the instruction that stores into it.
    #[error("this processor has no {0}")]
    NoInstruction(&'static str),
    /// The system refuses. EPERM: the process lacks CAP_SYS_RAWIO.
    #[error("{0}")]
    Refused(io::Error),
}

/// Why a queue could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no character device.
    #[error("there is no {0}")]
    Missing(PathBuf),
    /// This process may not open it.
    #[error("this process may not open {path}: {error}")]
    Denied {
        /// The character device.
        path: PathBuf,
        /// As the system says it.
        error: io::Error,
    },
    /// It is dedicated to another process.
    #[error("{0} is dedicated to a process that has it open")]
    Busy(PathBuf),
    /// It may neither be mapped nor written.
    #[error("{path} takes no descriptors: mapping its portal: {map}; writing to it: {write}")]
    NoWayIn {
        /// The character device.
        path: PathBuf,
        /// Why it is not mapped.
        map: Unmapped,
        /// Why it is not written.
        write: io::Error,
    },
    /// The system says something else.
    #[error("cannot open {path}: {error}")]
    System {
        /// The character device.
        path: PathBuf,
        /// As the system says it.
        error: io::Error,
    },
}

impl OpenError {
    /// What an error of open() means for this path.
    pub(super) fn opening(path: &Path, error: io::Error) -> OpenError {
        let path = path.to_owned();
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => OpenError::Missing(path),
            Some(libc::EACCES | libc::EPERM) => OpenError::Denied { path, error },
            Some(libc::EBUSY) => OpenError::Busy(path),
            _ => OpenError::System { path, error },
        }
    }
}
