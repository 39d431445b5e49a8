//! Making pages present that the device missed.

#![allow(unsafe_code)]

use super::memory::{Buffers, Memory, Order, Place, Span};

/// The smallest page there is on the processors that have the device.
const PAGE: usize = 4096;

/// Reads, or reads and writes back, a byte of each page of the order's memory that `address` lies
/// in: of the page there, or of that and all that follow if `all`. False if it lies in none.
///
/// The device is not at work on the order: it has reported the fault and ended.
pub(super) fn touch<B: Buffers>(memory: &mut Memory<B>, order: &Order, address: u64, all: bool) -> bool {
    let spans = [&order.source1, &order.destination, &order.source2];
    spans.into_iter().flatten().any(|span| touch_span(memory, span, address, all))
}

fn touch_span<B: Buffers>(memory: &mut Memory<B>, span: &Span, address: u64, all: bool) -> bool {
    let Some(bytes) = memory.bytes(span) else { return false };
    let start = bytes.cast::<u8>();
    // A fault may be reported as the page's address: the span's first page counts from its
    // beginning.
    let first = start.addr() / PAGE * PAGE;
    let end = start.addr() + span.len();
    let Ok(address) = usize::try_from(address) else { return false };
    if address < first || address >= end {
        return false;
    }
    let writes = matches!(span.place, Place::Output | Place::Scratch);
    let mut at = address.max(start.addr()) - start.addr();
    while at < span.len() {
        // SAFETY: `at` is within the span, whose memory is there; nobody else touches what may be
        // written, and the device has ended. Volatile, as the value is of no use to anybody and the
        // access is.
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
