//! Batches from their submission to their results: admission, jobs in flight, tickets.

pub(crate) mod admission;
pub(crate) mod batch_state;
pub(crate) mod in_flight;
pub(crate) mod result;
pub(crate) mod ticket;
