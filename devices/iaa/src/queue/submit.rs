//! The one place where descriptors go to a device.

#![allow(unsafe_code)]

use std::sync::Arc;

use super::flight::Flight;
use super::lane::Lane;
use super::memory::Buffers;
use crate::error::IaaError;
use crate::hw::{Descriptor, Opcode, flags};
use crate::portal::SubmitError;

/// Descriptors that are handed in by one call: as many as a dedicated queue mostly holds.
const MOST: usize = 64;

/// Hands the descriptors of these flights to a lane that is open, in their order, and returns how
/// many it took. Those are in the air.
///
/// # Errors
/// None was taken. A queue that is closed or refused by the system is set aside.
pub(crate) fn submit<'a, B: Buffers + 'a>(
    lane: &Arc<Lane>,
    flights: impl ExactSizeIterator<Item = &'a mut Flight<B>>,
) -> Result<usize, IaaError> {
    let wanted = lane.reserve(flights.len().min(MOST));
    if wanted == 0 {
        return Ok(0);
    }
    let mut flights: Vec<&mut Flight<B>> = flights.take(wanted).collect();
    let descriptors: Option<Vec<Descriptor>> =
        flights.iter_mut().map(|flight| flight.descriptor().map(|made| for_lane(made, lane))).collect();
    let Some(descriptors) = descriptors else {
        lane.release(wanted);
        return Err(IaaError::Invalid("an operation reaches beyond its memory"));
    };
    // SAFETY: the addresses are those of memory that each flight owns or borrows, by
    // `Memory::descriptor`, and of its completion record, which was emptied. A flight that took off
    // keeps them until its record has a status or its lane is closed: it is told so below, before
    // anything else can happen to it. Nobody else touches the memory, by the contract of `Buffers`.
    let taken = unsafe { lane.portal().submit(&descriptors) };
    let taken = match taken {
        Ok(taken) => taken.min(wanted),
        Err(error) => {
            lane.release(wanted);
            lane.set_aside();
            return Err(match error {
                SubmitError::System(error) => IaaError::System(error.to_string()),
                SubmitError::Closed => IaaError::Closed,
            });
        }
    };
    for flight in &mut flights[..taken] {
        flight.took_off(lane);
    }
    lane.release(wanted - taken);
    Ok(taken)
}

/// What depends on the queue: whether it waits for missing pages.
fn for_lane(descriptor: Descriptor, lane: &Lane) -> Descriptor {
    let mut flags = descriptor.operation_flags();
    let moves_data = ![Opcode::Noop as u8, Opcode::Drain as u8].contains(&descriptor.opcode_byte());
    if lane.capabilities().block_on_fault && moves_data {
        flags |= flags::operation::BLOCK_ON_FAULT;
    }
    descriptor.with_operation_flags(flags)
}
