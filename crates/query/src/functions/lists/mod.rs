//! Functions of lists: lambda functions, aggregates of elements, and functions of lists or texts.

mod aggregates;
mod either;
mod elements;
mod lambdas;
mod types;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;

/// Registers the functions.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    lambdas::register(registry)?;
    aggregates::register(registry)?;
    elements::register(registry)?;
    types::register(registry)?;
    either::register(registry)
}
