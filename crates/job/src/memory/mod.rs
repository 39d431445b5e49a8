//! Buffers of inputs and outputs, and the pool that they return to.

pub(crate) mod buffer;
pub(crate) mod buffer_pool;
