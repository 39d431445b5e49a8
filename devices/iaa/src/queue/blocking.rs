//! Jobs on the thread of a caller who waits for them.

use std::sync::Arc;
use std::thread;

use super::flight::Flight;
use super::lane::Lane;
use super::memory::Buffers;
use super::traffic::Traffic;
use super::wait::Wait;
use crate::error::IaaError;
use crate::operations::Output;

/// Runs a flight to its end and returns when the device touches its memory no more.
pub(crate) fn fly<B: Buffers>(
    flight: Flight<B>,
    lanes: &[Arc<Lane>],
    node: Option<u32>,
    wait: &Wait,
) -> Result<Output, IaaError> {
    let mut result = None;
    fly_many(std::iter::once(flight), 1, lanes, node, wait, |made| result = Some(made));
    result.unwrap_or(Err(IaaError::Closed))
}

/// Runs flights to their end, so many at once, and returns when the device touches no memory of
/// theirs any more.
pub(crate) fn fly_many<B: Buffers>(
    mut flights: impl Iterator<Item = Flight<B>>,
    most: usize,
    lanes: &[Arc<Lane>],
    node: Option<u32>,
    wait: &Wait,
    mut each: impl FnMut(Result<Output, IaaError>),
) {
    let mut traffic = Traffic::new(lanes.to_vec(), node);
    loop {
        while traffic.len() < most.max(1)
            && let Some(flight) = flights.next()
        {
            traffic.admit(flight);
        }
        let moved = traffic.advance();
        traffic.ended.drain(..).for_each(|(_, result)| each(result));
        if moved {
            continue;
        }
        if traffic.len() == 0 {
            return;
        }
        if let Some(time) = traffic.idle(wait) {
            thread::sleep(time);
        }
    }
}
