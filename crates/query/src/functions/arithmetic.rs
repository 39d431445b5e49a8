//! Integer and decimal arithmetic that fails on overflow.
//!
//! DataFusion's operators wrap integers, and let decimals grow to 39 digits.

mod chain;
mod decimals;
mod integers;
mod narrow_decimals;

use std::fmt::Write;
use std::sync::Arc;

use arrow::compute::kernels::numeric::{add, mul, neg, sub};
use arrow::datatypes::{DataType, Field, FieldRef};
use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::physical_expr_common::datum::apply;

use crate::error::{Error, wrap};
use crate::plan::type_in_sql;
pub(crate) use chain::Chain;

/// An arithmetic operation on values of one type: integers, or 128-bit decimals.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arithmetic {
    operation: Operation,
    /// The type of the result.
    result: DataType,
    signature: Signature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
}

impl Arithmetic {
    /// Returns the function for `left op right`; `None` if the operator does not overflow for these
    /// types.
    pub fn of(left: &DataType, op: Operator, right: &DataType) -> Option<ScalarUDF> {
        let decimals = matches!((left, right), (DataType::Decimal128(..), DataType::Decimal128(..)));
        let whole = left.is_integer() && left == right;
        let operation = match op {
            Operator::Plus if whole || decimals => Operation::Add,
            Operator::Minus if whole || decimals => Operation::Subtract,
            Operator::Multiply if whole || decimals => Operation::Multiply,
            Operator::Divide if decimals => Operation::Divide,
            _ => return None,
        };
        let result = BinaryTypeCoercer::new(left, &op, right).get_result_type().ok()?;
        Some(Self::function(operation, result, 2))
    }

    /// Returns the function for `-value`; `None` if that does not overflow for this type.
    pub fn negate(value: &DataType) -> Option<ScalarUDF> {
        value.is_signed_integer().then(|| Self::function(Operation::Negate, value.clone(), 1))
    }

    fn function(operation: Operation, result: DataType, arguments: usize) -> ScalarUDF {
        let signature = Signature::any(arguments, Volatility::Immutable);
        ScalarUDF::from(Self { operation, result, signature })
    }

    /// Returns the operator; `None` for a negation.
    pub fn operator(&self) -> Option<Operator> {
        Some(match self.operation {
            Operation::Add => Operator::Plus,
            Operation::Subtract => Operator::Minus,
            Operation::Multiply => Operator::Multiply,
            Operation::Divide => Operator::Divide,
            Operation::Negate => return None,
        })
    }

    /// Returns the same operation.
    fn again(&self) -> Self {
        Self { operation: self.operation, result: self.result.clone(), signature: self.signature.clone() }
    }

    /// Returns the type of the result.
    pub fn result(&self) -> &DataType {
        &self.result
    }

    fn compute(&self, args: &[ColumnarValue]) -> Result<ColumnarValue> {
        let fast = match (self.operator(), args) {
            (Some(op), [left, right]) => match &self.result {
                DataType::Decimal128(..) => narrow_decimals::arithmetic(left, op, right, &self.result),
                _ => integers::arithmetic(left, op, right),
            },
            (None, [value]) => integers::negate(value),
            _ => None,
        };
        if let Some(array) = fast {
            return Ok(ColumnarValue::Array(array));
        }
        let value = self.arrow(args).map_err(|error| self.explain(error))?;
        match &self.result {
            DataType::Decimal128(38, _) if !decimals::fits(&value) => {
                Err(wrap(Error::Execution(self.too_many_digits())))
            }
            _ => Ok(value),
        }
    }

    fn arrow(&self, args: &[ColumnarValue]) -> Result<ColumnarValue> {
        match (self.operation, args) {
            (Operation::Add, [left, right]) => apply(left, right, add),
            (Operation::Subtract, [left, right]) => apply(left, right, sub),
            (Operation::Multiply, [left, right]) => apply(left, right, mul),
            (Operation::Divide, [left, right]) => {
                apply(left, right, |a, b| decimals::divide(a, b, &self.result))
            }
            (Operation::Negate, [ColumnarValue::Scalar(value)]) => {
                let one = neg(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&one, 0)?))
            }
            (Operation::Negate, [ColumnarValue::Array(array)]) => Ok(ColumnarValue::Array(neg(array)?)),
            _ => Err(DataFusionError::Internal(format!("{} of {} operands", self.name(), args.len()))),
        }
    }

    /// Returns the error of an overflow, with the cast that avoids it.
    fn explain(&self, error: DataFusionError) -> DataFusionError {
        let DataFusionError::ArrowError(inner, _) = &error else { return error };
        let ArrowError::ArithmeticOverflow(what) = inner.as_ref() else { return error };
        let line = match &self.result {
            DataType::Decimal128(..) => self.too_many_digits(),
            whole => {
                let what = what.trim_start_matches("Overflow happened on: ");
                format!(
                    "{what} overflows {}: write CAST(... AS DECIMAL(38, 0)) for one of its operands",
                    type_in_sql(whole)
                )
            }
        };
        wrap(Error::Execution(line))
    }

    fn too_many_digits(&self) -> String {
        let what = match self.operation {
            Operation::Add => "sum",
            Operation::Subtract | Operation::Negate => "difference",
            Operation::Multiply => "product",
            Operation::Divide => "quotient",
        };
        format!(
            "a {what} of decimals has more than the 38 digits of {}: cast its operands to decimals of \
             fewer digits, or to DOUBLE",
            type_in_sql(&self.result)
        )
    }
}

impl ScalarUDFImpl for Arithmetic {
    fn name(&self) -> &str {
        match self.operation {
            Operation::Add => "add",
            Operation::Subtract => "subtract",
            Operation::Multiply => "multiply",
            Operation::Divide => "divide",
            Operation::Negate => "negate",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the expression in operator notation.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let mut name = String::new();
        match (self.operator(), args) {
            (Some(op), [left, right]) => {
                write!(name, "{} {op} {}", left.schema_name(), right.schema_name())?;
            }
            (_, [value, ..]) => write!(name, "(- {})", value.schema_name())?,
            _ => name.push_str(self.name()),
        }
        Ok(name)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.result.clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.result.clone(), nullable)))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.compute(&args.args)
    }
}

#[cfg(test)]
mod tests;
