//! Counting functions with a BIGINT result: `rank() OVER (…)`, `array_length(l)`.
//!
//! Their results in DataFusion are unsigned. Such a number has no negation, and with a signed one
//! it becomes a decimal, with decimal places in quotients.

use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{CastKind, DataType, Expr, Function, Statement, Value, VisitorMut};

/// Functions of windows.
const WINDOWS: [&str; 4] = ["dense_rank", "ntile", "rank", "row_number"];

/// Functions of values, and aggregates.
const OTHERS: [&str; 11] = [
    "approx_distinct",
    "array_indexof",
    "array_length",
    "array_ndims",
    "array_position",
    "cardinality",
    "list_indexof",
    "list_length",
    "list_ndims",
    "list_position",
    "regr_count",
];

/// Casts the calls of such functions.
pub(in crate::plan::sql) fn sign(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut Sign);
}

struct Sign;

impl VisitorMut for Sign {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if matches!(expr, Expr::Function(call) if counts(call)) {
            let call = Box::new(std::mem::replace(expr, Expr::value(Value::Null)));
            *expr = Expr::Cast {
                kind: CastKind::Cast,
                expr: call,
                data_type: DataType::BigInt(None),
                array: false,
                format: None,
            };
        }
        ControlFlow::Continue(())
    }
}

fn counts(call: &Function) -> bool {
    let name = call.name.to_string().to_ascii_lowercase();
    match call.over {
        Some(_) => WINDOWS.contains(&name.as_str()),
        None => OTHERS.contains(&name.as_str()),
    }
}
