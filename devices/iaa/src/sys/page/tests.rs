//! Submission by stores to a page, here of plain memory.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;

use super::Page;
use crate::hw::Descriptor;
use crate::sys::stand_in::{StandIn, bytes, memory, numbered, open};
use crate::sys::{Enqcmd, Movdir64b, QueueKind};
use crate::{Mode, Portal};

/// Returns a page of memory, and the file with its contents.
fn page() -> (Page, File) {
    let memory = memory();
    let page = Page::map(memory.as_fd()).expect("a mapping");
    (page, memory.into())
}

fn contents(file: &File) -> Vec<u8> {
    let mut found = vec![0; 4096];
    file.read_exact_at(&mut found, 0).expect("a page");
    found
}

/// Stores like the instructions, without them.
fn copy(slot: *mut u8, descriptor: &Descriptor) -> bool {
    // SAFETY: `slot` is 64 bytes of a page that is mapped for writing.
    unsafe { slot.copy_from_nonoverlapping(descriptor.as_bytes().as_ptr(), Descriptor::BYTES) };
    true
}

#[test]
fn each_descriptor_takes_the_next_slot_and_the_65th_the_first() {
    let (page, file) = page();
    let descriptors = numbered(64 + 3);
    assert_eq!(page.each(&descriptors[..10], copy), 10);
    assert_eq!(page.each(&descriptors[10..64], copy), 54);
    assert_eq!(contents(&file), bytes(&descriptors[..64]));
    assert_eq!(page.each(&descriptors[64..], copy), 3);
    assert_eq!(contents(&file), bytes(&[&descriptors[64..], &descriptors[3..64]].concat()));
}

#[test]
fn a_full_queue_ends_it() {
    let (page, file) = page();
    let descriptors = numbered(8);
    let left = Mutex::new(5);
    let taken = page.each(&descriptors, |slot, descriptor| {
        let mut left = left.lock().expect("the room that is left");
        let room = *left > 0;
        if room {
            *left -= 1;
            copy(slot, descriptor);
        }
        room
    });
    assert_eq!(taken, 5);
    assert_eq!(contents(&file)[..5 * 64], bytes(&descriptors[..5]));
    assert_eq!(contents(&file)[5 * 64..], vec![0; 4096 - 5 * 64]);
}

#[test]
fn threads_never_share_a_slot_at_the_same_time() {
    let (page, file) = page();
    let descriptors = numbered(64);
    std::thread::scope(|scope| {
        for part in descriptors.chunks(16) {
            let page = &page;
            scope.spawn(move || assert_eq!(page.each(part, copy), 16));
        }
    });
    let found = contents(&file);
    let mut found: Vec<&[u8]> = found.chunks(64).collect();
    found.sort();
    let mut expected: Vec<&[u8]> = descriptors.iter().map(|d| d.as_bytes().as_slice()).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn movdir64b_stores_a_descriptor_whole() {
    let Some(instruction) = Movdir64b::new() else {
        eprintln!("not tested: this processor has no MOVDIR64B");
        return;
    };
    let (page, file) = page();
    let descriptors = numbered(64);
    // SAFETY: memory of the test, which no device reads.
    assert_eq!(unsafe { page.store(instruction, &descriptors) }, 64);
    crate::sys::instructions::store_fence();
    assert_eq!(contents(&file), bytes(&descriptors));
}

#[test]
fn a_queue_that_may_be_mapped_is() {
    for (kind, mapped) in
        [(QueueKind::Shared, Enqcmd::new().is_some()), (QueueKind::Dedicated, Movdir64b::new().is_some())]
    {
        let file = tempfile::tempfile().expect("a file").into();
        let portal = open(kind, StandIn { file: Some(file), ..StandIn::default() }).expect("a queue");
        let mode = match (kind, mapped) {
            (QueueKind::Shared, true) => Mode::Shared,
            (QueueKind::Dedicated, true) => Mode::Dedicated,
            (_, false) => {
                eprintln!("only write() tested: this processor has no instruction for a {kind:?} queue");
                Mode::Write
            }
        };
        assert_eq!(portal.capabilities().mode, mode);
        portal.close();
    }
}
