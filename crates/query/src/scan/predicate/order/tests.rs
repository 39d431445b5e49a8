use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::Field;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue};
use datafusion::physical_expr::expressions::{LikeExpr, binary, col, in_list, lit};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::*;

type Expr = Arc<dyn PhysicalExpr>;

fn schema() -> Schema {
    let numbers = ["wide", "day", "key"].map(|name| Field::new(name, DataType::Int64, true));
    Schema::new(numbers.into_iter().chain([Field::new("text", DataType::Utf8, true)]).collect::<Vec<_>>())
}

/// Values of every column of numbers are from 0 to 999.
fn statistics(rows: usize) -> Statistics {
    let bound = |value: i64| Precision::Inexact(ScalarValue::Int64(Some(value)));
    let number =
        ColumnStatistics { min_value: bound(0), max_value: bound(999), ..ColumnStatistics::new_unknown() };
    let column_statistics = vec![number.clone(), number.clone(), number, ColumnStatistics::new_unknown()];
    Statistics { num_rows: Precision::Exact(rows), total_byte_size: Precision::Absent, column_statistics }
}

fn compared(column: &str, op: Operator, value: i64) -> Expr {
    binary(col(column, &schema()).unwrap(), op, lit(value), &schema()).unwrap()
}

/// Returns the columns of each stage of conditions on a table of so many rows.
fn columns_of_stages(conditions: Vec<Expr>, rows: usize) -> Vec<Vec<usize>> {
    let conjuncts = conditions
        .into_iter()
        .map(|expression| Conjunct { expression, effectiveness: None, only_prunes: false })
        .collect();
    let stages = stages(conjuncts, &schema(), &statistics(rows));
    let columns_of = |stage: Vec<Conjunct>| {
        let all: Vec<usize> = stage.iter().flat_map(|one| columns(&one.expression)).collect();
        let mut seen = BTreeSet::new();
        all.into_iter().filter(|&column| seen.insert(column)).collect()
    };
    stages.into_iter().map(columns_of).collect()
}

fn conditions() -> Vec<Expr> {
    let text = Arc::new(LikeExpr::new(false, false, col("text", &schema()).unwrap(), lit("%x%")));
    let keys = (0..100).map(|key| lit(key * 10i64)).collect();
    vec![
        text,
        compared("wide", Operator::Lt, 900),
        in_list(col("key", &schema()).unwrap(), keys, &false, &schema()).unwrap(),
        // both bounds of the range count
        compared("day", Operator::GtEq, 500),
        compared("day", Operator::Lt, 520),
    ]
}

#[test]
fn the_most_selective_column_of_a_large_table_comes_first_and_alone() {
    let expected = vec![vec![1], vec![2], vec![0], vec![3]];
    assert_eq!(columns_of_stages(conditions(), 10_000_000), expected);
}

#[test]
fn selective_columns_of_a_small_table_are_one_stage() {
    let expected = vec![vec![1, 2], vec![0], vec![3]];
    assert_eq!(columns_of_stages(conditions(), 1_000), expected);
}

#[test]
fn conditions_that_can_fail_come_last() {
    let quotient = binary(lit(1i64), Operator::Divide, col("day", &schema()).unwrap(), &schema()).unwrap();
    let fails = binary(quotient, Operator::Eq, lit(1i64), &schema()).unwrap();
    let mut all = vec![fails];
    all.extend(conditions());
    let stages = columns_of_stages(all, 10_000_000);
    assert_eq!(stages.last(), Some(&vec![1]));
    assert_eq!(stages.len(), 5);
}
