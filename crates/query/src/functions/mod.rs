//! SQL functions that DataFusion lacks, or that replace its functions and operators.

mod aggregates;
mod arithmetic;
mod cast;
mod checked;
mod coercion;
mod comparison;
mod corrected;
mod elements;
mod kept;
mod lists;
mod rows;
mod similar_to;
mod times;
mod version;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use aggregates::{average, collected, distinct, percentile, sum};
use times::{date_trunc, last_day, now, time_zone, to_timestamp};

pub(crate) use aggregates::{
    Limit, Quotient, RowOrder, SINGLE_VALUE, SlidingSum, Visitor, is_exact, lead_lag, min_max_of_floats,
    respected_order, respecting_nulls, single_value, sliding, unfiltered, visit,
};
pub(crate) use arithmetic::{Arithmetic, Chain};
pub(crate) use cast::{NumberCast, with_seconds};
pub use checked::{Checked, checked, checked_chain};
pub(crate) use coercion::{common_bytes, common_time, is_bytes, time_unit};
pub(crate) use comparison::{
    CANONICAL_FLOAT, CANONICAL_NAN, UNORDERED, canonical_float, canonical_nan, nested_greatest,
    nested_min_max, nested_order, unordered,
};
pub(crate) use corrected::corrected;
pub(crate) use kept::built;
pub(crate) use similar_to::similar_to_regex;
pub(crate) use times::{interval_length, interval_product, interval_quotient};

/// Registers every function in a session, in place of DataFusion's of the same name.
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
    rows::register(registry)?;
    coercion::register(registry)?;
    distinct::register(registry)?;
    // argument types are needed before functions are rewritten
    for name in elements::FIND_ELEMENTS.into_iter().chain(corrected::DOUBLES) {
        if let Some(function) = corrected(&registry.udf(name)?) {
            registry.register_udf(function)?;
        }
    }
    let percentile = percentile::percentile_cont(registry.udaf("percentile_cont")?);
    registry.register_udaf(Arc::new(percentile))?;
    let average = average::average(registry.udaf("avg")?);
    registry.register_udaf(Arc::new(average))?;
    registry.register_udaf(Arc::new(AggregateUDF::from(sum::CheckedSum::default())))?;
    collected::register(registry)?;
    lists::register(registry)
}
