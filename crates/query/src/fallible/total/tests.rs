use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{Expr, Operator, case, cast, col, lit};
use datafusion::prelude::{abs, coalesce};

use super::never_fails;
use crate::functions::Arithmetic;

/// Returns the answer for an expression over columns of some types.
fn answer(expression: Expr) -> bool {
    let schema = Arc::new(Schema::new(vec![
        Field::new("i", DataType::Int32, true),
        Field::new("b", DataType::Int64, true),
        Field::new("f", DataType::Float64, true),
        Field::new("d", DataType::Decimal128(7, 2), true),
        Field::new("w", DataType::Decimal128(38, 2), true),
        Field::new("t", DataType::Utf8View, true),
    ]));
    let state = SessionContext::new().state();
    let columns = DFSchema::try_from(schema.clone()).unwrap();
    never_fails(&state.create_physical_expr(expression, &columns).unwrap(), &schema)
}

fn checked(left: &str, op: Operator, right: &str) -> Expr {
    let found = |name: &str| match name {
        "b" => DataType::Int64,
        "w" => DataType::Decimal128(38, 2),
        _ => DataType::Decimal128(7, 2),
    };
    Arithmetic::of(&found(left), op, &found(right)).unwrap().call(vec![col(left), col(right)])
}

/// Returns the quotient of a column of `digits` and a decimal of one digit.
fn quotient(column: &str, digits: u8, divisor: i128) -> Expr {
    let divisor = ScalarValue::Decimal128(Some(divisor), 1, 0);
    let function =
        Arithmetic::of(&DataType::Decimal128(digits, 2), Operator::Divide, &divisor.data_type()).unwrap();
    function.call(vec![col(column), lit(divisor)])
}

#[test]
fn known_parts_never_fail() {
    let decimal = |expr| cast(expr, DataType::Decimal128(12, 2));
    for total in [
        col("t"),
        col("d")
            .gt(lit(ScalarValue::Decimal128(Some(100), 7, 2)))
            .and(col("t").like(lit("a%")))
            .or(col("i").is_null()),
        case(col("i")).when(lit(1), lit(1)).otherwise(lit(0)).unwrap(),
        coalesce(vec![col("t"), lit("x")]),
        col("f") * col("f") - lit(1.0),
        checked("d", Operator::Multiply, "d"),
        decimal(col("i")),
        decimal(col("d")),
        cast(col("i"), DataType::Int64),
        col("i") % lit(2),
        col("i") / lit(2),
        quotient("d", 7, 2),
        quotient("d", 7, -1),
        cast(col("w"), DataType::Float64),
    ] {
        assert!(answer(total.clone()), "{total}");
    }
}

#[test]
fn parts_that_overflow_or_are_unknown_can_fail() {
    let decimal = |expr| cast(expr, DataType::Decimal128(12, 2));
    for partial in [
        checked("b", Operator::Multiply, "b"),
        checked("w", Operator::Plus, "w"),
        checked("d", Operator::Divide, "d"),
        col("i") / col("i"),
        col("i") % col("i"),
        col("i") % lit(0),
        col("i") % lit(-1),
        col("i") / lit(0),
        col("i") / lit(-1),
        quotient("d", 7, 0),
        quotient("w", 38, 2),
        abs(col("b")),
        decimal(col("b")),
        decimal(col("w")),
        cast(col("t"), DataType::Int32),
        cast(col("b"), DataType::Int32),
        cast(col("f"), DataType::Int64),
        coalesce(vec![cast(col("t"), DataType::Date32), cast(lit("2024-01-01"), DataType::Date32)]),
    ] {
        assert!(!answer(partial.clone()), "{partial}");
    }
}
