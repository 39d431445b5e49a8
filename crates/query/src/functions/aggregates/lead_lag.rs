//! `lead` and `lag` over a whole partition.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, UInt64Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::cast::as_int64_array;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::function::{ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{PartitionEvaluator, Signature, Volatility, WindowUDF, WindowUDFImpl};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

/// Returns `lead`, or `lag` if it is not `forward`, for every kind of arguments: NULLs that are
/// ignored, and offsets and defaults that differ from row to row. Its name is that of DataFusion's
/// function, which it replaces.
pub(crate) fn lead_lag(forward: bool) -> WindowUDF {
    WindowUDF::from(LeadLag { forward, signature: Signature::variadic_any(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct LeadLag {
    forward: bool,
    signature: Signature,
}

impl WindowUDFImpl for LeadLag {
    fn name(&self) -> &str {
        if self.forward { "lead" } else { "lag" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn expressions(&self, args: ExpressionArgs<'_>) -> Vec<Arc<dyn PhysicalExpr>> {
        args.input_exprs().to_vec()
    }

    fn partition_evaluator(&self, args: PartitionEvaluatorArgs<'_>) -> Result<Box<dyn PartitionEvaluator>> {
        let is_forward = self.forward != args.is_reversed();
        Ok(Box::new(Partition { is_forward, ignores_nulls: args.ignore_nulls() }))
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        let Some(value) = args.get_input_field(0) else {
            return exec_err!("{}: a value is missing", self.name());
        };
        Ok(Arc::new(value.as_ref().clone().with_name(args.name()).with_nullable(true)))
    }
}

#[derive(Debug)]
struct Partition {
    is_forward: bool,
    ignores_nulls: bool,
}

impl PartitionEvaluator for Partition {
    fn evaluate_all(&mut self, values: &[ArrayRef], _: usize) -> Result<ArrayRef> {
        let value = &values[0];
        let offsets = match values.get(1) {
            Some(offsets) => cast(offsets, &DataType::Int64)?,
            None => Arc::new(Int64Array::from_value(1, value.len())) as ArrayRef,
        };
        let places = self.places(value, as_int64_array(&offsets)?);
        let found: UInt64Array = places.iter().map(Position::row).collect();
        let shifted = take(value, &found, None)?;
        match values.get(2) {
            None => Ok(shifted),
            Some(default) => {
                let default = cast(default, value.data_type())?;
                let outside: BooleanArray =
                    places.iter().map(|place| Some(matches!(place, Position::Outside))).collect();
                Ok(zip(&outside, &default, &shifted)?)
            }
        }
    }
}

/// The row that a value comes from.
enum Position {
    Row(u64),
    /// No row: the value is the default.
    Outside,
    /// The offset is NULL, and so is the value.
    Unknown,
}

impl Position {
    fn row(&self) -> Option<u64> {
        match self {
            Position::Row(row) => Some(*row),
            Position::Outside | Position::Unknown => None,
        }
    }
}

impl Partition {
    fn places(&self, value: &ArrayRef, offsets: &Int64Array) -> Vec<Position> {
        let nulls = value.logical_nulls().filter(|nulls| self.ignores_nulls && nulls.null_count() > 0);
        let valid: Option<Vec<usize>> = nulls.map(|nulls| nulls.valid_indices().collect());
        let place = |(row, offset): (usize, Option<i64>)| {
            let Some(offset) = offset else { return Position::Unknown };
            let forward = if self.is_forward { i128::from(offset) } else { -i128::from(offset) };
            let found = match &valid {
                Some(valid) if forward > 0 => at(forward - 1, valid.partition_point(|&at| at <= row))
                    .and_then(|at| valid.get(at).copied()),
                Some(valid) if forward < 0 => {
                    at(forward, valid.partition_point(|&at| at < row)).and_then(|at| valid.get(at).copied())
                }
                _ => at(forward, row).filter(|&at| at < value.len()),
            };
            found.map_or(Position::Outside, |row| Position::Row(row as u64))
        };
        offsets.iter().enumerate().map(place).collect()
    }
}

/// Returns the position `forward` rows after another one.
fn at(forward: i128, position: usize) -> Option<usize> {
    usize::try_from(position as i128 + forward).ok()
}
