//! Opening of a queue's character device, and its errors.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::Page;

/// Linux's two modes of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Many processes submit, each by ENQCMD.
    Shared,
    /// One process submits, by MOVDIR64B.
    Dedicated,
}

/// Limits from a queue's configuration. With the way of submission, which opening determines, they
/// are its [`Capabilities`](crate::Capabilities).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Shared or dedicated.
    pub kind: QueueKind,
    /// Depth for unprivileged processes.
    pub depth: usize,
    /// Maximum length of one source or destination.
    pub max_transfer_bytes: usize,
    /// Whether it waits for missing pages if a descriptor requests that.
    pub block_on_fault: bool,
    /// A bit for each allowed opcode.
    pub opcodes: [u64; 4],
    /// NUMA node of its device, if the system reports one.
    pub node: Option<u32>,
}

/// The two system calls that open a queue. Tests replace them.
pub trait System: Send + Sync {
    /// Opens the character device for reading and writing.
    ///
    /// # Errors
    /// The system's.
    fn open(&self, path: &Path) -> io::Result<OwnedFd>;

    /// Maps the portal of an open device.
    ///
    /// # Errors
    /// The system's; EPERM: this process may not map it.
    fn map(&self, file: BorrowedFd<'_>) -> io::Result<Page>;
}

/// The system calls of Linux.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl System for Kernel {
    fn open(&self, path: &Path) -> io::Result<OwnedFd> {
        // std sets close-on-exec. A mapping needs read access too.
        OpenOptions::new().read(true).write(true).open(path).map(OwnedFd::from)
    }

    fn map(&self, file: BorrowedFd<'_>) -> io::Result<Page> {
        Page::map(file)
    }
}

/// Reason for a portal that is not mapped.
#[derive(Debug, thiserror::Error)]
pub enum Unmapped {
    /// The processor lacks the instruction that stores into it.
    #[error("this processor has no {0}")]
    NoInstruction(&'static str),
    /// The system refused. EPERM: the process lacks CAP_SYS_RAWIO.
    #[error("{0}")]
    Refused(io::Error),
}

/// Reason for a queue that could not be opened.
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
        /// The system's error.
        error: io::Error,
    },
    /// It is dedicated to another process.
    #[error("{0} is dedicated to a process that has it open")]
    Busy(PathBuf),
    /// The portal can't be mapped, and `write()` fails too.
    #[error("{path} takes no descriptors: mapping its portal: {map}; writing to it: {write}")]
    NoWayIn {
        /// The character device.
        path: PathBuf,
        /// Error of the mapping.
        map: Unmapped,
        /// Error of the write.
        write: io::Error,
    },
    /// Any other error of the system.
    #[error("cannot open {path}: {error}")]
    System {
        /// The character device.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl OpenError {
    /// Returns the meaning of an error of open().
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
