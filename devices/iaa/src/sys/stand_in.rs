//! Stand-ins for a device in tests: pipes, files and pages of memory.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{HardwarePortal, OpenError, Page, QueueKind, QueueLimits, System};
use crate::hw::{Descriptor, Opcode};

/// Lock for tests that fork, and for those that the children of other tests would disturb with
/// their copies of all files.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Error numbers of a stand-in's answers; none for success.
#[derive(Default)]
pub(super) struct StandIn {
    pub(super) file: Option<OwnedFd>,
    pub(super) open_error: Option<i32>,
    pub(super) map_error: Option<i32>,
}

impl System for StandIn {
    fn open(&self, _: &Path) -> io::Result<OwnedFd> {
        match self.open_error {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => self.file.as_ref().expect("a file").try_clone(),
        }
    }

    fn map(&self, _: BorrowedFd<'_>) -> io::Result<Page> {
        match self.map_error {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => Page::map(memory().as_fd()),
        }
    }
}

/// Returns a page of memory that can be mapped shared, like a portal.
pub(super) fn memory() -> OwnedFd {
    let file = tempfile::tempfile().expect("a file");
    file.set_len(4096).expect("a page");
    file.into()
}

pub(super) fn limits(kind: QueueKind) -> QueueLimits {
    QueueLimits {
        kind,
        depth: 16,
        max_transfer_bytes: 2 << 20,
        block_on_fault: true,
        opcodes: [u64::MAX; 4],
        node: Some(1),
    }
}

pub(super) fn open(kind: QueueKind, stand_in: StandIn) -> Result<HardwarePortal, OpenError> {
    HardwarePortal::open(Path::new("/dev/iax/wq1.0"), limits(kind), &stand_in)
}

/// Returns a queue with `write()` to `file` as its way of submission.
pub(super) fn written_to(file: OwnedFd) -> HardwarePortal {
    let stand_in = StandIn { file: Some(file), map_error: Some(libc::EPERM), ..StandIn::default() };
    open(QueueKind::Shared, stand_in).expect("a queue that is written to")
}

/// Returns the reading and the writing end of a pipe that never blocks.
pub(super) fn pipe() -> (File, OwnedFd) {
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two file descriptors.
    assert_eq!(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) }, 0);
    // SAFETY: both are new, and have no other owner.
    unsafe { (File::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) }
}

/// Returns distinct descriptors.
pub(super) fn numbered(count: u32) -> Vec<Descriptor> {
    (0..count).map(|n| Descriptor::new(Opcode::Crc64).with_source1_bytes(n).with_source1(!0)).collect()
}

/// Returns the bytes of descriptors.
pub(super) fn bytes(descriptors: &[Descriptor]) -> Vec<u8> {
    descriptors.iter().flat_map(|descriptor| *descriptor.as_bytes()).collect()
}
