//! Portal of a hardware work queue.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use super::file::File;
use super::fork::ForkMark;
use super::{Enqcmd, Movdir64b, OpenError, Page, QueueKind, QueueLimits, System, Unmapped};
use crate::hw::{Descriptor, Opcode};
use crate::{Capabilities, Mode, Portal, SubmitError};

/// An open work queue.
///
/// Safe to use from many threads. In a forked child every submission returns
/// [`SubmitError::Closed`], and the child has to open the queue itself.
pub struct HardwarePortal {
    capabilities: Capabilities,
    unmapped: Option<Unmapped>,
    mark: ForkMark,
    /// None if the queue is closed. Submitters share the lock, so that the page is not unmapped
    /// under a store.
    open: RwLock<Option<Open>>,
}

/// Mapping and file of an open queue. The page, which also holds the file open, is dropped first.
struct Open {
    way: Way,
    file: File,
}

/// Way of submission.
enum Way {
    Enqueue(Page, Enqcmd),
    Store(Page, Movdir64b),
    Write,
}

impl HardwarePortal {
    /// Opens the queue of a character device, and determines the way of submission: the mapped
    /// portal, or `write()` if the system refuses the mapping. A no-op descriptor shows whether
    /// `write()` works.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path, limits: QueueLimits, system: &dyn System) -> Result<HardwarePortal, OpenError> {
        let file = system.open(path).map_err(|error| OpenError::opening(path, error))?;
        let mapped = map(system, file.as_fd(), limits.kind);
        let failed = |error| OpenError::System { path: path.to_owned(), error };
        let file = File::new(file).map_err(failed)?;
        let (way, unmapped) = match mapped {
            Ok(way) => (way, None),
            Err(map) => match takes_write(&file) {
                Ok(()) => (Way::Write, Some(map)),
                Err(write) => return Err(OpenError::NoWayIn { path: path.to_owned(), map, write }),
            },
        };
        let mode = match way {
            Way::Enqueue(..) => Mode::Shared,
            Way::Store(..) => Mode::Dedicated,
            Way::Write => Mode::Write,
        };
        let capabilities = Capabilities {
            mode,
            depth: limits.depth,
            max_transfer_bytes: limits.max_transfer_bytes,
            block_on_fault: limits.block_on_fault,
            opcodes: limits.opcodes,
            node: limits.node,
        };
        let mark = ForkMark::new().map_err(failed)?;
        let open = RwLock::new(Some(Open { way, file }));
        Ok(HardwarePortal { capabilities, unmapped, mark, open })
    }

    /// Returns the reason for a portal that is not mapped; none if it is mapped.
    pub fn unmapped(&self) -> Option<&Unmapped> {
        self.unmapped.as_ref()
    }
}

impl Portal for HardwarePortal {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
        // Checked before the lock, because a thread that the child does not have may hold it.
        if !self.mark.is_original() {
            return Err(SubmitError::Closed);
        }
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = open.as_ref() else {
            return Err(SubmitError::Closed);
        };
        if descriptors.is_empty() {
            return Ok(0);
        }
        match &open.way {
            // SAFETY: the page is the portal of a shared queue; the caller ensures the other
            // conditions.
            Way::Enqueue(page, instruction) => Ok(unsafe { page.enqueue(*instruction, descriptors) }),
            // SAFETY: the page is the portal of a dedicated queue; the caller ensures the other
            // conditions.
            Way::Store(page, instruction) => Ok(unsafe { page.store(*instruction, descriptors) }),
            // SAFETY: the caller ensures the conditions.
            Way::Write => unsafe { open.file.write(descriptors) }.or_else(refused),
        }
    }

    /// Unmaps the portal and closes the file, which both hold the file open. When the last holder
    /// closes it, Linux runs the driver's release before it returns: for a shared queue the device
    /// drains this process's address space, for a dedicated one it drains and disables the queue
    /// (`idxd_file_dev_release` in drivers/dma/idxd/cdev.c). So this call takes until the jobs end,
    /// and does not return if the device never answers. Memory that a job names has to be kept
    /// until then.
    ///
    /// A child made by `fork` closes its copies of the file first, and one made by `vfork` when it
    /// calls `exec`. If a child is not that far, the queue is drained later, when it is.
    fn close(&self) {
        if self.mark.is_original() {
            let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
            drop(open);
        }
    }
}

/// Returns the mapped way of submission, or the reason why there is none.
fn map(system: &dyn System, file: BorrowedFd<'_>, kind: QueueKind) -> Result<Way, Unmapped> {
    let page = system.map(file).map_err(Unmapped::Refused)?;
    match kind {
        QueueKind::Shared => {
            let instruction = Enqcmd::new().ok_or(Unmapped::NoInstruction("ENQCMD"))?;
            Ok(Way::Enqueue(page, instruction))
        }
        QueueKind::Dedicated => {
            let instruction = Movdir64b::new().ok_or(Unmapped::NoInstruction("MOVDIR64B"))?;
            Ok(Way::Store(page, instruction))
        }
    }
}

/// Checks that `write()` accepts descriptors, which only kernels with a restricted mapping
/// implement.
fn takes_write(file: &File) -> io::Result<()> {
    // The descriptor names no memory, not even a completion record.
    let nothing = [Descriptor::new(Opcode::Noop)];
    // SAFETY: the descriptor names no memory.
    match unsafe { file.write(&nothing) } {
        Ok(1) => Ok(()),
        Ok(_) => Err(io::ErrorKind::WriteZero.into()),
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the meaning of an error of `write()`.
pub(super) fn refused(error: io::Error) -> Result<usize, SubmitError> {
    match error.raw_os_error() {
        // The queue is full (`enqcmds` in drivers/dma/idxd/submit.c), or a signal arrived.
        Some(libc::EAGAIN | libc::EINTR) => Ok(0),
        // The queue is disabled or the device is gone; EPERM: the file belongs to another address
        // space.
        Some(libc::ENODEV | libc::ENXIO | libc::EBADF | libc::EPERM) => Err(SubmitError::Closed),
        // EINVAL: a completion record is not aligned to 64 bytes.
        _ => Err(SubmitError::System(error)),
    }
}

#[cfg(test)]
mod tests;
