//! Functions of SQL that are not DataFusion's, or differ from its own of the same name, or from its
//! operators.

mod alike;
mod arithmetic;
mod average;
mod careful;
mod cast;
mod checked;
mod date_trunc;
mod distinct;
mod elements;
mod extremes;
mod finish;
mod floats;
mod intervals;
mod last_day;
mod moving;
mod nested_extremes;
mod nested_order;
mod now;
mod percentile;
mod shift;
mod similar_to;
mod single_value;
mod sum;
mod time_zone;
mod to_timestamp;
mod unordered;
mod version;
mod zone_offsets;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

pub(crate) use alike::{common_bytes, common_time, is_bytes, time_unit};
pub(crate) use arithmetic::{Arithmetic, name_of};
pub(crate) use careful::careful;
pub(crate) use cast::{NumberCast, with_seconds};
pub use checked::{Checked, checked};
pub(crate) use extremes::extreme_of_floats;
pub(crate) use floats::{CANONICAL_FLOAT, CANONICAL_NAN, canonical_float, canonical_nan};
pub(crate) use intervals::interval_length;
pub(crate) use moving::moving;
pub(crate) use nested_extremes::{nested_extreme, nested_greatest};
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
    let own = [
        version::version(),
        now::now(),
        date_trunc::date_trunc(),
        last_day::last_day(),
        time_zone::time_zone(),
        to_timestamp::to_timestamp(registry.udf("to_timestamp")?),
        ScalarUDF::clone(&*registry.udf("signum")?).with_aliases(["sign"]),
    ];
    for function in own {
        registry.register_udf(Arc::new(function))?;
    }
    alike::register(registry)?;
    distinct::register(registry)?;
    // types of arguments are asked for before functions are rewritten
    for name in elements::FIND_ELEMENTS.into_iter().chain(careful::DOUBLES) {
        if let Some(function) = careful(&registry.udf(name)?) {
            registry.register_udf(function)?;
        }
    }
    let percentile = percentile::percentile_cont(registry.udaf("percentile_cont")?);
    registry.register_udaf(Arc::new(percentile))?;
    let average = average::average(registry.udaf("avg")?);
    registry.register_udaf(Arc::new(average))?;
    registry.register_udaf(Arc::new(AggregateUDF::from(sum::CheckedSum::default())))?;
    Ok(())
}
