//! Memory of a descriptor: turns addresses into bytes.
//!
//! A descriptor comes with the promise of its submitter ([`Portal::submit`]). This module gives
//! slices for reads, copies for writes, and the completion record. It lends no memory for writing,
//! so that two wrong descriptors never hold the same memory exclusively.
//!
//! [`Portal::submit`]: pelton_device_iaa::Portal::submit
#![allow(unsafe_code)]

use pelton_device_iaa::hw::flags::operation as flag;
use pelton_device_iaa::hw::{CompletionRecord, Descriptor, RecordView};

/// A part of memory by address and length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Region {
    pub(crate) address: u64,
    pub(crate) len: usize,
}

impl Region {
    pub(crate) fn new(address: u64, len: usize) -> Region {
        Region { address, len }
    }

    /// Returns whether the regions have a byte in common.
    pub(crate) fn overlaps(self, other: Region) -> bool {
        self.len > 0
            && other.len > 0
            && self.address < other.address.saturating_add(other.len as u64)
            && other.address < self.address.saturating_add(self.len as u64)
    }

    /// Returns whether a process can have such memory: not in the page of the null pointer, and in
    /// the user's half of the address space.
    pub(crate) fn is_mapped(self) -> bool {
        let end = self.address.checked_add(self.len as u64);
        self.len == 0 || self.address >= LOWEST && end.is_some_and(|end| end <= HIGHEST)
    }
}

/// End of the page of the null pointer, which no process has.
const LOWEST: u64 = 4096;
/// End of the user's addresses on x86-64 with four levels of page tables.
const HIGHEST: u64 = 1 << 47;

/// A descriptor that was submitted under the promise of `Portal::submit`.
pub(crate) struct Submitted(Descriptor);

impl Submitted {
    /// # Safety
    /// The promise of `Portal::submit`: the memory of the descriptor is allocated, and nothing else
    /// writes it or reads its written part, until the completion record has a status or the portal
    /// was closed. The value must not be used after that.
    pub(crate) unsafe fn new(descriptor: Descriptor) -> Submitted {
        Submitted(descriptor)
    }

    pub(crate) fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// Returns whether the descriptor names all of this memory, and memory can be there.
    fn names(&self, region: Region) -> bool {
        let descriptor = &self.0;
        let has_images = descriptor.operation_flags() & (flag::SOURCE2_MASK | flag::WRITE_AECS_MASK)
            != flag::SOURCE2_FILTER;
        let images = if has_images { 2 } else { 1 };
        let parts = [
            (descriptor.source1(), u64::from(descriptor.source1_bytes())),
            (descriptor.destination(), u64::from(descriptor.destination_bytes())),
            (descriptor.source2(), u64::from(descriptor.source2_bytes()) * images),
        ];
        let is_in = |(address, len): (u64, u64)| {
            let skipped = region.address.checked_sub(address).filter(|skipped| *skipped <= len);
            skipped.is_some_and(|skipped| region.len as u64 <= len - skipped)
        };
        region.is_mapped() && parts.into_iter().any(is_in)
    }

    /// Returns the bytes of a region; none if the descriptor does not name it, or if no memory can
    /// be there.
    pub(crate) fn read(&self, region: Region) -> Option<&[u8]> {
        if region.len == 0 {
            return Some(&[]);
        }
        let start = region.address as usize as *const u8;
        // SAFETY: the descriptor names the region, so by the promise of `new` it is allocated and
        // not written while `self` is used.
        self.names(region).then(|| unsafe { std::slice::from_raw_parts(start, region.len) })
    }

    /// Copies bytes to the start of a region. Returns whether the descriptor names the region.
    pub(crate) fn write(&self, region: Region, bytes: &[u8]) -> bool {
        let bytes = &bytes[..bytes.len().min(region.len)];
        if bytes.is_empty() || !self.names(region) {
            return bytes.is_empty();
        }
        // SAFETY: as in `read`; the promise also excludes other reads and writes of the region.
        // `bytes` is the model's own memory, so the two don't overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), region.address as usize as *mut u8, bytes.len())
        }
        true
    }

    /// Writes the completion record. This consumes `self`, which must not be used later.
    pub(crate) fn complete(self, record: &RecordView) {
        let region = Region::new(self.0.completion(), CompletionRecord::BYTES);
        if !region.is_mapped() || !region.address.is_multiple_of(CompletionRecord::BYTES as u64) {
            return;
        }
        // SAFETY: by the promise of `new` there is a completion record, made of atomics; its
        // alignment is checked.
        let cell = unsafe { &*(region.address as usize as *const CompletionRecord) };
        cell.write(record);
    }
}
