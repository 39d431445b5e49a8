//! Functions of SQL that are not DataFusion's, or differ from its own of the same name, or from its operators.

mod arithmetic;
mod careful;
mod cast;
mod checked;
mod extremes;
mod floats;
mod nested_order;
mod shift;
mod similar_to;
mod single_value;
mod sum;
mod unordered;
mod version;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::AggregateUDF;

pub(crate) use arithmetic::Arithmetic;
pub(crate) use careful::careful;
pub(crate) use cast::NumberCast;
pub use checked::{Checked, checked};
pub(crate) use extremes::extreme_of_floats;
pub(crate) use floats::{CANONICAL_FLOAT, CANONICAL_NAN, canonical_float, canonical_nan};
pub(crate) use nested_order::nested_order;
pub(crate) use shift::shift;
pub(crate) use similar_to::similar_to_regex;
pub(crate) use single_value::{SINGLE_VALUE, single_value};
pub(crate) use unordered::unordered;

/// Registers every function in a session, in the place of DataFusion's of the same name.
///
/// # Errors
/// The registry takes no functions.
pub(crate) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    registry.register_udf(Arc::new(version::version()))?;
    registry.register_udaf(Arc::new(AggregateUDF::from(sum::CheckedSum::default())))?;
    Ok(())
}
