//! Submission by `write()`.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Mutex;

use super::{HardwarePortal, refused};
use crate::hw::{Descriptor, Opcode};
use crate::sys::stand_in::{StandIn, alone, bytes, limits, numbered, open, pipe, written_to};
use crate::sys::{OpenError, Page, QueueKind, System};
use crate::{Mode, Portal, SubmitError};

/// Submits descriptors to a stand-in.
fn submit(portal: &HardwarePortal, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
    // SAFETY: a stand-in does not touch the memory that a descriptor names.
    unsafe { portal.submit(descriptors) }
}

/// Returns the descriptor with which opening a queue tests `write()`.
fn probe() -> Vec<u8> {
    bytes(&[Descriptor::new(Opcode::Noop)])
}

#[test]
fn a_queue_that_may_not_be_mapped_is_written_to() {
    let file = tempfile::tempfile().expect("a file");
    let portal = written_to(file.try_clone().expect("a copy").into());
    assert_eq!(portal.capabilities().mode, Mode::Write);
    assert_eq!((portal.capabilities().depth, portal.capabilities().node), (16, Some(1)));
    let descriptors = numbered(7);
    assert_eq!(submit(&portal, &descriptors[..3]).ok(), Some(3));
    assert_eq!(submit(&portal, &[]).ok(), Some(0));
    assert_eq!(submit(&portal, &descriptors[3..]).ok(), Some(4));
    assert_eq!(contents(file), [probe(), bytes(&descriptors)].concat());
}

fn contents(mut file: File) -> Vec<u8> {
    let mut found = Vec::new();
    file.rewind().expect("the start");
    file.read_to_end(&mut found).expect("its bytes");
    found
}

#[test]
fn a_queue_that_fills_up_takes_the_first_ones_and_then_none() {
    let (mut reader, writer) = pipe();
    let portal = written_to(writer);
    // More than a pipe holds, which is 64 KiB here.
    let descriptors = numbered(4096);
    let first = submit(&portal, &descriptors).expect("some");
    assert!(0 < first && first < descriptors.len(), "{first} of {}", descriptors.len());
    assert_eq!(submit(&portal, &descriptors[first..]).ok(), Some(0), "it is full");
    let mut taken = vec![0; 64 + first * 64];
    reader.read_exact(&mut taken).expect("what was taken");
    assert_eq!(taken, [probe(), bytes(&descriptors[..first])].concat());
    assert!(
        submit(&portal, &descriptors[first..first + 1]).is_ok_and(|taken| taken == 1),
        "it has room again"
    );
}

#[test]
fn a_full_queue_is_opened_all_the_same() {
    let (reader, writer) = pipe();
    let full = written_to(writer.try_clone().expect("a copy"));
    while submit(&full, &numbered(64)).expect("some or none") > 0 {}
    assert_eq!(written_to(writer).capabilities().mode, Mode::Write);
    drop(reader);
}

#[test]
fn after_close_nothing_goes_in() {
    let file = tempfile::tempfile().expect("a file");
    let portal = written_to(file.try_clone().expect("a copy").into());
    portal.close();
    assert!(matches!(submit(&portal, &numbered(1)), Err(SubmitError::Closed)));
    portal.close();
    assert_eq!(contents(file), probe());
}

#[test]
fn the_file_is_closed_when_the_queue_is() {
    let _alone = alone();
    let (mut reader, writer) = pipe();
    let stand_in = StandIn { map_error: Some(libc::EPERM), ..StandIn::default() };
    // The stand-in must not keep a copy, or the pipe would stay open.
    struct Once(Mutex<Option<OwnedFd>>, StandIn);
    impl System for Once {
        fn open(&self, _: &Path) -> io::Result<OwnedFd> {
            Ok(self.0.lock().expect("a file").take().expect("the first time"))
        }
        fn map(&self, file: BorrowedFd<'_>) -> io::Result<Page> {
            self.1.map(file)
        }
    }
    let once = Once(Some(writer).into(), stand_in);
    let portal = HardwarePortal::open(Path::new("/dev/iax/wq1.0"), limits(QueueKind::Shared), &once);
    let portal = portal.expect("a queue");
    portal.close();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).expect("the end of the pipe: its last writer has gone");
    assert_eq!(rest, probe());
}

#[test]
fn what_the_system_says_is_told_apart() {
    let opening = |code| {
        let stand_in = StandIn { open_error: Some(code), ..StandIn::default() };
        open(QueueKind::Shared, stand_in).err().expect("an error")
    };
    assert!(matches!(opening(libc::ENOENT), OpenError::Missing(_)));
    assert!(matches!(opening(libc::EACCES), OpenError::Denied { .. }));
    assert!(matches!(opening(libc::EPERM), OpenError::Denied { .. }));
    assert!(matches!(opening(libc::EBUSY), OpenError::Busy(_)));
    let other = opening(libc::ENODEV);
    assert!(matches!(other, OpenError::System { .. }));
    assert!(other.to_string().contains("/dev/iax/wq1.0"), "{other}");
}

#[test]
fn a_queue_without_a_way_in_says_both_reasons() {
    // A file without write access.
    let read_only = File::open("/dev/null").expect("the null device").into();
    let stand_in = StandIn { file: Some(read_only), map_error: Some(libc::EPERM), ..StandIn::default() };
    let error = open(QueueKind::Dedicated, stand_in).err().expect("no way in");
    assert!(matches!(error, OpenError::NoWayIn { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("mapping") && words.contains("writing"), "{words}");
}

#[test]
fn a_queue_that_has_gone_is_closed_and_other_errors_are_the_systems() {
    let _alone = alone();
    // A pipe without a reader returns EPIPE, which has no meaning for a queue; a closed file
    // returns EBADF.
    let (reader, writer) = pipe();
    let portal = written_to(writer);
    drop(reader);
    let error = submit(&portal, &numbered(1)).expect_err("nobody reads");
    assert!(
        matches!(&error, SubmitError::System(error) if error.raw_os_error() == Some(libc::EPIPE)),
        "{error}"
    );
    for (code, closed) in
        [(libc::ENODEV, true), (libc::ENXIO, true), (libc::EPERM, true), (libc::EINVAL, false)]
    {
        let answer = refused(io::Error::from_raw_os_error(code));
        assert_eq!(matches!(answer, Err(SubmitError::Closed)), closed, "{code}");
        assert!(answer.is_err(), "{code}");
    }
    let full = refused(io::Error::from_raw_os_error(libc::EAGAIN));
    assert_eq!(full.ok(), Some(0));
}
