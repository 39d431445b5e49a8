//! Memory of a request: turns addresses into bytes.
//!
//! A request comes with the promise of its submitter ([`Window::paste`]). This module copies bytes
//! to and from the memory that the request and its lists name, and writes the status. It lends no
//! memory, so that wrong requests never share any.
//!
//! [`Window::paste`]: pelton_device_nx::Window::paste
#![allow(unsafe_code)]

use std::ops::Range;

use pelton_device_nx::hw::{Cpb, Crb, Csb, Dde, Status};

/// A request that was submitted under the promise of `Window::paste`.
pub(crate) struct Submitted(Crb);

/// Memory of a direct descriptor, in part or in whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    address: u64,
    pub(crate) len: usize,
}

/// End of the page of the null pointer, which no process has.
const LOWEST: u64 = 4096;
/// End of the user's addresses, on the machines that run the model.
const HIGHEST: u64 = 1 << 47;

impl Region {
    fn new(address: u64, len: usize) -> Region {
        Region { address, len }
    }

    pub(crate) fn address(self) -> u64 {
        self.address
    }

    /// Returns the first `len` bytes, or all if there are fewer.
    pub(crate) fn first(self, len: usize) -> Region {
        Region { len: self.len.min(len), ..self }
    }

    /// Returns whether a process can have such memory.
    pub(crate) fn is_mapped(self) -> bool {
        let end = self.address.checked_add(self.len as u64);
        self.len == 0 || self.address >= LOWEST && end.is_some_and(|end| end <= HIGHEST)
    }
}

impl Submitted {
    /// # Safety
    /// The promise of `Window::paste`: the memory of the request, of its lists and of its status
    /// and parameter block is allocated, and nothing else writes it or reads its written part,
    /// until the status is valid or the window was closed. The value must not be used after that.
    pub(crate) unsafe fn new(request: Crb) -> Submitted {
        Submitted(request)
    }

    pub(crate) fn request(&self) -> &Crb {
        &self.0
    }

    /// Returns the descriptors in the list of the source or target; none if it can't be in memory.
    pub(crate) fn list(&self, dde: Dde) -> Option<Vec<Dde>> {
        let count = usize::from(dde.count());
        let bytes = self.read(&[Region::new(dde.address(), count * Dde::BYTES)], usize::MAX)?;
        let entries = bytes.chunks_exact(Dde::BYTES);
        Some(entries.filter_map(|entry| entry.try_into().ok()).map(Dde::from_bytes).collect())
    }

    /// Returns the memory of a direct descriptor of this request.
    pub(crate) fn region(&self, dde: Dde) -> Region {
        Region::new(dde.address(), dde.len() as usize)
    }

    /// Returns a copy of the first bytes of regions, which are of this request, up to `max`; none
    /// if a region can't be in memory.
    pub(crate) fn read(&self, regions: &[Region], max: usize) -> Option<Vec<u8>> {
        regions.iter().all(|region| region.is_mapped()).then_some(())?;
        let len = regions.iter().map(|region| region.len).sum::<usize>();
        let mut bytes = Vec::with_capacity(len.min(max));
        for region in regions {
            let region = region.first(max - bytes.len());
            if region.len == 0 {
                continue;
            }
            let start = region.address as usize as *const u8;
            // SAFETY: the request names the region, so by the promise of `new` it is allocated and
            // not written now.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(start, region.len) });
        }
        Some(bytes)
    }

    /// Copies bytes to regions, which are of this request's target, in order. Returns whether all
    /// of them can be in memory; otherwise nothing is written.
    pub(crate) fn write(&self, regions: &[Region], mut bytes: &[u8]) -> bool {
        if !regions.iter().all(|region| region.is_mapped()) {
            return false;
        }
        for region in regions {
            let (part, rest) = bytes.split_at(bytes.len().min(region.len));
            if !part.is_empty() {
                // SAFETY: as in `read`; the promise also excludes other reads and writes of the
                // target. `part` is the model's own memory, so the two don't overlap.
                unsafe {
                    let to = region.address as usize as *mut u8;
                    std::ptr::copy_nonoverlapping(part.as_ptr(), to, part.len());
                }
            }
            bytes = rest;
        }
        true
    }

    fn parameters(&self) -> Region {
        Region::new(self.0.csb().saturating_add(Csb::BYTES as u64), Cpb::BYTES)
    }

    /// Returns whether status and parameter block can be in memory.
    pub(crate) fn has_blocks(&self) -> bool {
        Region::new(self.0.csb(), Csb::BYTES).is_mapped() && self.parameters().is_mapped()
    }

    /// Returns a copy of the parameter block; none if it can't be in memory.
    pub(crate) fn read_parameters(&self) -> Option<Box<Cpb>> {
        let bytes = self.read(&[self.parameters()], Cpb::BYTES)?;
        let bytes: Box<[u8; Cpb::BYTES]> = bytes.into_boxed_slice().try_into().ok()?;
        Some(Box::new(Cpb::from_bytes(*bytes)))
    }

    /// Writes a part of the parameter block.
    pub(crate) fn write_parameters(&self, cpb: &Cpb, range: Range<usize>) {
        let Some(bytes) = cpb.as_bytes().get(range.clone()) else { return };
        let address = self.parameters().address.saturating_add(range.start as u64);
        self.write(&[Region::new(address, bytes.len())], bytes);
    }

    /// Writes the status. This consumes `self`, which must not be used later.
    pub(crate) fn complete(self, status: &Status) {
        if self.has_blocks() {
            // SAFETY: by the promise of `new` there is a status block, made of atomics; a request
            // can't have an address that is not aligned.
            let csb = unsafe { &*(self.0.csb() as usize as *const Csb) };
            csb.write(status);
        }
    }
}
