//! Aggregate function with the value of a group's only row.

use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};

use crate::error::{Error, wrap};

const SEVERAL_ROWS: &str = "a scalar subquery returned more than one row: end it with LIMIT 1, or select an aggregate \
                            such as max(...)";

/// Its name.
pub(crate) const SINGLE_VALUE: &str = "single_value";

static FUNCTION: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::new_from_impl(SingleValue::new())));

/// Returns the value of a scalar subquery: NULL if it has no row, and an error if it has more than
/// one.
pub(crate) fn single_value(value: Expr) -> Expr {
    FUNCTION.call(vec![value])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SingleValue {
    signature: Signature,
}

impl SingleValue {
    fn new() -> Self {
        Self { signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for SingleValue {
    fn name(&self) -> &str {
        SINGLE_VALUE
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        Ok(arguments[0].clone())
    }

    fn state_fields(&self, of: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let value = Field::new(format_state_name(of.name, "value"), of.return_type().clone(), true);
        let rows = Field::new(format_state_name(of.name, "rows"), DataType::Int64, false);
        Ok(vec![value.into(), rows.into()])
    }

    fn accumulator(&self, of: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Single { value: ScalarValue::try_from(of.return_type())?, rows: 0 }))
    }
}

#[derive(Debug)]
struct Single {
    value: ScalarValue,
    rows: i64,
}

impl Single {
    fn add(&mut self, values: &ArrayRef, row: usize, rows: i64) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        self.rows += rows;
        if self.rows > 1 {
            return Err(wrap(Error::Execution(SEVERAL_ROWS.to_owned())));
        }
        self.value = ScalarValue::try_from_array(values, row)?;
        Ok(())
    }
}

impl Accumulator for Single {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = values[0].len() as i64;
        self.add(&values[0], 0, rows)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let rows = states[1].as_primitive::<Int64Type>();
        (0..rows.len()).try_for_each(|row| self.add(&states[0], row, rows.value(row)))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.value.clone())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.value.clone(), ScalarValue::Int64(Some(self.rows))])
    }

    fn size(&self) -> usize {
        size_of_val(self) - size_of_val(&self.value) + self.value.size()
    }
}
