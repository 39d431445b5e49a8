//! Engines that answer SQL over the tables, in this process or in one of their own.

pub mod contest;
pub(crate) mod number;
pub mod protocol;
pub mod result;
pub mod rival;
pub mod system;
pub mod worker;
