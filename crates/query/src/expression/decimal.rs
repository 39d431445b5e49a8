//! Decimal arithmetic that is fast where values are small.

use std::fmt;
use std::sync::Arc;

use arrow::compute::kernels::numeric::{add, mul, sub};
use arrow::datatypes::{DataType, FieldRef, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, Operator};
use datafusion::physical_expr::expressions::BinaryExpr;
use datafusion::physical_expr_common::datum::apply;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::narrow;

/// A sum, difference or product of two 128-bit decimals. Batch by batch it is computed on 64 bits where all values fit,
/// else by Arrow, with the same results and errors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DecimalArithmetic(BinaryExpr);

impl DecimalArithmetic {
    /// The expression, if it is such arithmetic over columns of `schema`.
    pub fn new(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Option<Self> {
        let binary = expression.downcast_ref::<BinaryExpr>()?;
        let is_decimal = |side: &Arc<dyn PhysicalExpr>| {
            side.data_type(schema).is_ok_and(|found| matches!(found, DataType::Decimal128(..)))
        };
        let fits = matches!(binary.op(), Operator::Plus | Operator::Minus | Operator::Multiply)
            && is_decimal(binary.left())
            && is_decimal(binary.right());
        fits.then(|| Self(binary.clone()))
    }
}

impl fmt::Display for DecimalArithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PhysicalExpr for DecimalArithmetic {
    fn data_type(&self, schema: &Schema) -> Result<DataType> {
        self.0.data_type(schema)
    }

    fn nullable(&self, schema: &Schema) -> Result<bool> {
        self.0.nullable(schema)
    }

    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.0.return_field(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let (left, right) = (self.0.left().evaluate(batch)?, self.0.right().evaluate(batch)?);
        // an operation without a type is Arrow's to refuse
        let result = self.0.data_type(batch.schema_ref()).ok();
        let narrow = result.and_then(|result| narrow::arithmetic(&left, *self.0.op(), &right, &result));
        if let Some(array) = narrow {
            return Ok(ColumnarValue::Array(array));
        }
        match self.0.op() {
            Operator::Plus => apply(&left, &right, add),
            Operator::Minus => apply(&left, &right, sub),
            Operator::Multiply => apply(&left, &right, mul),
            op => Err(DataFusionError::Internal(format!("decimal arithmetic with {op}"))),
        }
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        self.0.children()
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let binary = Arc::new(self.0.clone()).with_new_children(children)?;
        Ok(match binary.downcast_ref::<BinaryExpr>() {
            Some(binary) => Arc::new(Self(binary.clone())),
            None => binary,
        })
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_sql(f)
    }
}

#[cfg(test)]
mod tests;
