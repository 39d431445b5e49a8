//! The memory that a descriptor names: the one place where addresses become bytes.
//!
//! What comes in is a descriptor and the promise of who submitted it ([`Portal::submit`]); what goes out are slices for
//! reading, copies for writing, and the completion record. Nothing is lent out for writing, so that no two descriptors can
//! have the same memory for themselves however wrong they are.
//!
//! [`Portal::submit`]: pelton_device_iaa::Portal::submit
#![allow(unsafe_code)]

use pelton_device_iaa::hw::{CompletionRecord, Descriptor, RecordView};

/// A part of memory by address and length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Region {
    pub(super) address: u64,
    pub(super) len: usize,
}

impl Region {
    pub(super) fn new(address: u64, len: usize) -> Region {
        Region { address, len }
    }

    /// Whether the two have a byte in common.
    pub(super) fn overlaps(self, other: Region) -> bool {
        self.len > 0
            && other.len > 0
            && self.address < other.address.saturating_add(other.len as u64)
            && other.address < self.address.saturating_add(self.len as u64)
    }

    /// Whether a process can have such memory at all: not in the page of the null pointer, and in the half of the address
    /// space that is the user's.
    pub(super) fn is_mapped(self) -> bool {
        let end = self.address.checked_add(self.len as u64);
        self.len == 0 || self.address >= LOWEST && end.is_some_and(|end| end <= HIGHEST)
    }
}

/// The page of the null pointer, which no process has.
const LOWEST: u64 = 4096;
/// The end of a user's addresses: 47 bits, as x86-64 with four levels of page tables has them.
const HIGHEST: u64 = 1 << 47;

/// A descriptor that was submitted under the promise of `Portal::submit`.
pub(super) struct Submitted(Descriptor);

impl Submitted {
    /// # Safety
    /// The promise of `Portal::submit`: the memory that the descriptor names is there, and nobody else writes it or reads what
    /// is written there, until the completion record has a status or the portal was closed. Nobody may use this value after
    /// that.
    pub(super) unsafe fn new(descriptor: Descriptor) -> Submitted {
        Submitted(descriptor)
    }

    pub(super) fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// The bytes of one of the descriptor's regions. `None` if no memory can be there.
    pub(super) fn read(&self, region: Region) -> Option<&[u8]> {
        if region.len == 0 {
            return Some(&[]);
        }
        // SAFETY: the region is one that the descriptor names (its callers in `run` make regions of nothing else), so by the
        // promise of `new` it is there while `self` is used, and nobody writes it.
        region
            .is_mapped()
            .then(|| unsafe { std::slice::from_raw_parts(region.address as usize as *const u8, region.len) })
    }

    /// Copy bytes to the start of one of the descriptor's regions. Returns whether memory can be there.
    pub(super) fn write(&self, region: Region, bytes: &[u8]) -> bool {
        let bytes = &bytes[..bytes.len().min(region.len)];
        if !region.is_mapped() {
            return false;
        }
        if !bytes.is_empty() {
            // SAFETY: as in `read`; that nobody else reads or writes it is part of the promise, too. `bytes` is the model's own
            // memory, so the two don't overlap.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), region.address as usize as *mut u8, bytes.len())
            }
        }
        true
    }

    /// Write the completion record. `self` must not be used after that: it is taken.
    pub(super) fn complete(self, record: &RecordView) {
        let region = Region::new(self.0.completion(), CompletionRecord::BYTES);
        if !region.is_mapped() || !region.address.is_multiple_of(CompletionRecord::BYTES as u64) {
            return;
        }
        // SAFETY: by the promise of `new` a completion record is there, all of whose bytes are atomics; its alignment is
        // checked.
        let cell = unsafe { &*(region.address as usize as *const CompletionRecord) };
        cell.write(record);
    }
}
