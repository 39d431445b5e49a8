//! The order of two lists or structs, in which NULL inside of them is greater than all values.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, Int8Array, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::utils::take_function_args;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Compares two values of one nested type: -1, 0 or 1; NULL if one of the two is NULL.
pub(crate) fn nested_order(left: Expr, right: Expr) -> Expr {
    let function = NestedOrder { signature: Signature::any(2, Volatility::Immutable) };
    ScalarUDF::from(function).call(vec![left, right])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct NestedOrder {
    signature: Signature,
}

impl ScalarUDFImpl for NestedOrder {
    fn name(&self) -> &str {
        "nested_order"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = take_function_args(self.name(), args.args)?;
        let (left, right) = (left.into_array(args.number_rows)?, right.into_array(args.number_rows)?);
        let nulls_last = SortOptions { descending: false, nulls_first: false };
        let compare = make_comparator(&left, &right, nulls_last)?;
        let order = |row: usize| match compare(row, row) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        let is_known = |row: usize| left.is_valid(row) && right.is_valid(row);
        let orders = (0..left.len()).map(|row| is_known(row).then(|| order(row)));
        Ok(ColumnarValue::Array(Arc::new(orders.collect::<Int8Array>())))
    }
}
