//! Functions of SQL that differ from DataFusion's of the same name.

mod shift;
mod similar_to;
mod version;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;

pub(crate) use shift::shift;
pub(crate) use similar_to::similar_to_regex;

/// Registers every function in a session, in the place of DataFusion's of the same name.
///
/// # Errors
/// The registry takes no functions.
pub(crate) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    registry.register_udf(Arc::new(version::version()))?;
    Ok(())
}
