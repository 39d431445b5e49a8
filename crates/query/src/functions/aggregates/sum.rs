//! `sum`, with an error on overflow.
//!
//! DataFusion's function wraps. This one adds integers and decimals in 128 bits, where no count of
//! rows overflows a sum of integers. So neither the order of rows nor the partial sums of threads
//! decide whether a total fits.

mod distinct;
mod groups;
mod total;
mod values;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::common::types::{NativeType, logical_boolean, logical_int64};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Coercion, GroupsAccumulator, ReversedUDAF, SetMonotonicity, Signature,
    TypeSignature, TypeSignatureClass, Volatility,
};

use super::sliding::SlidingSum;
use distinct::DistinctTotal;
use groups::GroupTotals;
use total::Total;

pub(crate) use total::Limit;
pub(crate) use values::{Visitor, visit};

/// `sum`. For floats, durations and intervals it is DataFusion's own. A sum of booleans counts
/// those that are true, as in DuckDB.
#[derive(Debug)]
pub(crate) struct CheckedSum {
    inner: Sum,
    signature: Signature,
}

// All are made by `default`. Plans hash their functions often, and signatures are long.
impl PartialEq for CheckedSum {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CheckedSum {}

impl Hash for CheckedSum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Default for CheckedSum {
    fn default() -> Self {
        let inner = Sum::new();
        let of_booleans = TypeSignature::Coercible(vec![Coercion::new_implicit(
            TypeSignatureClass::Native(logical_int64()),
            vec![TypeSignatureClass::Native(logical_boolean())],
            NativeType::Int64,
        )]);
        let forms = match inner.signature().type_signature.clone() {
            TypeSignature::OneOf(mut forms) => {
                forms.push(of_booleans);
                forms
            }
            form => vec![form, of_booleans],
        };
        Self { inner, signature: Signature::one_of(forms, Volatility::Immutable) }
    }
}

/// Type of the partial totals between operators.
const STATE: DataType = DataType::Decimal128(38, 0);

/// Returns whether totals of a type are exact.
pub(crate) fn is_exact(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Int64 | DataType::UInt64) || is_decimal(data_type)
}

fn is_decimal(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..))
}

fn limit(args: &AccumulatorArgs<'_>) -> Option<Limit> {
    let result = args.return_field.data_type();
    is_exact(result).then(|| Limit::new(result.clone(), args.name.to_owned()))
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        match limit(&args) {
            Some(limit) if args.is_distinct => Ok(Box::new(DistinctTotal::new(limit))),
            Some(limit) => Ok(Box::new(Total::new(limit))),
            None => self.inner.accumulator(args),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        if !is_exact(args.return_type()) {
            return self.inner.state_fields(args);
        }
        Ok(vec![Arc::new(match args.is_distinct {
            true => {
                let name = format_state_name(args.name, "sum distinct");
                Field::new_list(name, Field::new_list_field(STATE, true), false)
            }
            false => Field::new(format_state_name(args.name, "sum"), STATE, true),
        })])
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        match limit(&args) {
            Some(limit) => Ok(Box::new(GroupTotals::new(limit))),
            None => self.inner.create_groups_accumulator(args),
        }
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        match limit(&args) {
            Some(_) => self.accumulator(args),
            None if args.is_distinct => self.accumulator(args),
            None if *args.return_field.data_type() == DataType::Float64 => Ok(Box::new(SlidingSum::sum())),
            None => self.inner.create_sliding_accumulator(args),
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner.set_monotonicity(data_type)
    }
}

#[cfg(test)]
mod tests;
