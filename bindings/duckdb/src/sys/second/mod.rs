//! The edge to DuckDB's second C interface, of version 2.0.0 exactly: what the first has not.
//!
//! The first interface, which every version from 1.5.6 on has, loads the extension; where DuckDB is
//! 2.0.0, [`load`] has it hand over the second one, too, and the functions that gain by it are
//! registered through it.
//!
//! What DuckDB's functions do with their arguments was read in its source, `src/main/capi/v2`.

mod bind;
mod call;
mod collection;
mod condition;
mod copy;
mod expression;
mod handles;
mod load;
mod table_function;
mod types;

pub use copy::register_copy;
pub use load::{Extension, Input, enter, load};
pub use table_function::register;
