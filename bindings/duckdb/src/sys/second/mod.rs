//! Wrappers around DuckDB's second C interface, of version 2.0.0 exactly.
//!
//! The first interface, which every version from 1.5.6 on has, loads the extension. In DuckDB
//! 2.0.0, [`load`] obtains the second one too, and the functions that gain by it are registered
//! there. The interfaces differ in the handles, the errors and the ownership of each callback; the
//! traits in [`super::function`] are their common ground.
//!
//! The contracts of DuckDB's functions were read in its source, `src/main/capi/v2`.

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
