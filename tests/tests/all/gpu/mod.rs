//! Queries through the GPU's plans, on the host build of its kernels.

mod damage;
mod host;
mod memory;
mod place;
mod random;
mod sanitized;
mod sources;
mod spill;
mod tpch;

pub use host::Sql;
pub use place::{Place, place};
