//! DuckDB's first C interface: functions that every version from 1.5.6 on takes.

mod bind;
mod copy;
mod table_function;

pub use copy::register_copy;
pub use table_function::register;
