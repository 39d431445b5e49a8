//! A work queue of the hardware.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use super::file::File;
use super::fork::ForkMark;
use super::{Enqcmd, Movdir64b, OpenError, Page, QueueKind, QueueLimits, System, Unmapped};
use crate::hw::{Descriptor, Opcode};
use crate::{Capabilities, Mode, Portal, SubmitError};

/// One work queue, open.
///
/// Safe to use from many threads. A forked child can't use it: every submission there is
/// [`SubmitError::Closed`], and the child has to open the queue for itself.
pub struct HardwarePortal {
    capabilities: Capabilities,
    unmapped: Option<Unmapped>,
    mark: ForkMark,
    /// None once it is closed. Submitters share the lock, so that nobody stores into a page that
    /// goes away.
    open: RwLock<Option<Open>>,
}

/// What is there while a queue is open. The page goes first: it holds the file, too.
struct Open {
    way: Way,
    file: File,
}

/// How descriptors get in.
enum Way {
    Enqueue(Page, Enqcmd),
    Store(Page, Movdir64b),
    Write,
}

impl HardwarePortal {
    /// Opens the queue of a character device, and finds the way in: the mapped portal, or `write()`
    /// where the system does not let this process map it, which is tried with a descriptor that
    /// does nothing.
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

    /// Why its portal is not mapped; none if it is.
    pub fn unmapped(&self) -> Option<&Unmapped> {
        self.unmapped.as_ref()
    }
}

impl Portal for HardwarePortal {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
        // Before the lock, which a thread that the child does not have may hold.
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
            // SAFETY: the page is the portal of a shared queue; the rest is the caller's.
            Way::Enqueue(page, instruction) => Ok(unsafe { page.enqueue(*instruction, descriptors) }),
            // SAFETY: the page is the portal of a dedicated queue; the rest is the caller's.
            Way::Store(page, instruction) => Ok(unsafe { page.store(*instruction, descriptors) }),
            // SAFETY: the caller's.
            Way::Write => unsafe { open.file.write(descriptors) }.or_else(refused),
        }
    }

    /// Unmaps the portal and closes the file. When that has returned, the device is done with what
    /// this process gave this queue: both held the open file, and when the last holder lets go,
    /// Linux runs the driver's release before it returns to us, which for a shared queue has the
    /// device drain this process's address space, and for a dedicated one drains and disables the
    /// queue (`idxd_file_dev_release` in drivers/dma/idxd/cdev.c). So it takes as long as the jobs
    /// do, and does not return if the device never answers: memory that a job names has to be kept
    /// until it has.
    ///
    /// A child made by `fork` lets go of its copies of the file as the first thing it does, one
    /// made by `vfork` when it calls `exec`; if this is called while a child has not got so far,
    /// the draining is done when it has.
    fn close(&self) {
        if self.mark.is_original() {
            let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
            drop(open);
        }
    }
}

/// The mapped way in, or why there is none.
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

/// Whether `write()` takes descriptors: kernels that always let the portal be mapped have no
/// `write()`.
fn takes_write(file: &File) -> io::Result<()> {
    // It names no memory, not even a completion record.
    let nothing = [Descriptor::new(Opcode::Noop)];
    // SAFETY: a descriptor that names no memory.
    match unsafe { file.write(&nothing) } {
        Ok(1) => Ok(()),
        Ok(_) => Err(io::ErrorKind::WriteZero.into()),
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What it means that `write()` took no descriptor.
pub(super) fn refused(error: io::Error) -> Result<usize, SubmitError> {
    match error.raw_os_error() {
        // The queue is full (`enqcmds` in drivers/dma/idxd/submit.c), or a signal came first.
        Some(libc::EAGAIN | libc::EINTR) => Ok(0),
        // The queue was disabled or its device has gone; EPERM: the file is another address
        // space's.
        Some(libc::ENODEV | libc::ENXIO | libc::EBADF | libc::EPERM) => Err(SubmitError::Closed),
        // EINVAL: a completion record is not aligned to 64 bytes.
        _ => Err(SubmitError::System(error)),
    }
}

#[cfg(test)]
mod tests;
