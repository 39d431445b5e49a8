//! Data, queries, answers and rivals for measuring Pelton.
//!
//! * [`tpch`] makes the data, has the 22 queries with their answers, and says whether a result is right;
//!   [`tpch::command`] is what `pelton tpch` runs.
//! * A [`system`] is an engine with a data set open: Pelton in this process, or any engine in one of its own
//!   ([`rival`], [`worker`]), driven over [`protocol`].
//! * A [`contest`] has several systems run the same queries in turn; [`commands`] are the measurements that the
//!   `pelton-bench` program offers, kept by [`record`].

pub mod allocator;
pub mod commands;
pub mod contest;
pub mod error;
pub mod even;
pub mod machine;
pub mod number;
pub mod protocol;
pub mod record;
pub mod result;
pub mod rival;
pub mod system;
pub mod text;
pub mod tpch;
pub mod worker;

pub use error::Error;
