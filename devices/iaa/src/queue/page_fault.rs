//! Page-fault retry: makes the pages present that the device found missing.

#![allow(unsafe_code)]

use super::memory::{Buffers, Memory, Region, Request, Span};

/// The smallest page size of processors with an IAA.
const PAGE: usize = 4096;

/// Touches the page at `address`, and all later pages of the same span if `all`: reads a byte, and
/// writes it back if the device writes there. Returns false if the address is in no span of the
/// request.
///
/// The device must have reported the fault and ended.
pub(super) fn touch<B: Buffers>(memory: &mut Memory<B>, request: &Request, address: u64, all: bool) -> bool {
    let spans = [&request.source1, &request.destination, &request.source2];
    spans.into_iter().flatten().any(|span| touch_span(memory, span, address, all))
}

fn touch_span<B: Buffers>(memory: &mut Memory<B>, span: &Span, address: u64, all: bool) -> bool {
    let Some(bytes) = memory.bytes(span) else { return false };
    let start = bytes.cast::<u8>();
    // The device may report the page's address, which can be before the span.
    let first = start.addr() / PAGE * PAGE;
    let end = start.addr() + span.len();
    let Ok(address) = usize::try_from(address) else { return false };
    if address < first || address >= end {
        return false;
    }
    let writes = matches!(span.region, Region::Output | Region::Scratch);
    let mut at = address.max(start.addr()) - start.addr();
    while at < span.len() {
        // SAFETY: `at` is within the span and its memory is allocated; nothing else accesses memory
        // that may be written, and the device has ended. The access is volatile because only its
        // side effect matters.
        unsafe {
            let byte = start.add(at);
            let value = byte.read_volatile();
            if writes {
                byte.write_volatile(value);
            }
        }
        if !all {
            break;
        }
        at = ((start.addr() + at) / PAGE + 1) * PAGE - start.addr();
    }
    true
}

#[cfg(test)]
mod tests;
