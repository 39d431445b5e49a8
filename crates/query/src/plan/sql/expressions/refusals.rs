//! Expressions of DuckDB's that are refused, each with the form to write in its place.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{DataType, Expr, Function, FunctionArguments, Statement, VisitorMut};

use crate::error::{Error, Result};
use crate::plan::sql::walk::WalkMut;

/// Refuses collations, types that no column has, `TRY`, and window functions without their values.
///
/// # Errors
/// The statement has one of them.
pub(in crate::plan::sql) fn check(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut Refuse) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(message) => Err(Error::Query(message)),
    }
}

struct Refuse;

impl VisitorMut for Refuse {
    type Break = String;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let message = match &*expr {
            Expr::Collate { expr, collation } => {
                let shown = shown(expr);
                format!(
                    "COLLATE {collation} is not supported: write lower({shown}), or strip_accents({shown})"
                )
            }
            Expr::Cast { data_type, expr, .. } => match of_type(data_type) {
                Some(instead) => no_type(data_type, instead(&shown(expr))),
                None => return ControlFlow::Continue(()),
            },
            Expr::TypedString(text) => match of_type(&text.data_type) {
                Some(instead) => no_type(&text.data_type, instead(TEXT)),
                None => return ControlFlow::Continue(()),
            },
            Expr::Function(call) if lacks_value(call) => {
                format!("{} takes a value: write {0}(x) OVER (ORDER BY ...)", call.name)
            }
            Expr::Function(call) if is_try(call) => {
                "TRY is not supported: write TRY_CAST for casts, and a / nullif(b, 0) for quotients"
                    .to_owned()
            }
            _ => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(message)
    }
}

fn no_type(data_type: &DataType, instead: String) -> String {
    format!("the type {data_type} is not supported: write {instead}")
}

/// Stands for a constant in errors: it may be the value of a parameter, which is in none.
const TEXT: &str = "x";

fn shown(expr: &Expr) -> String {
    let has_constant = expr.clone().walk_mut(&mut Constant).is_break();
    if has_constant { TEXT.to_owned() } else { expr.to_string() }
}

/// Breaks at a constant.
struct Constant;

impl VisitorMut for Constant {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Value(_) | Expr::TypedString(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Returns the form to write in place of a cast to a type.
fn of_type(data_type: &DataType) -> Option<fn(&str) -> String> {
    Some(match data_type {
        DataType::HugeInt | DataType::UHugeInt => |value| format!("CAST({value} AS DECIMAL(38, 0))"),
        // uuid() gives text
        DataType::Enum(..) | DataType::Uuid | DataType::JSON | DataType::JSONB => {
            |value| format!("CAST({value} AS VARCHAR)")
        }
        DataType::Bit(_) | DataType::BitVarying(_) | DataType::VarBit(_) => |value| format!("bin({value})"),
        DataType::Union(_) => |value| format!("{value} with one type"),
        _ => return None,
    })
}

/// Returns whether a call is of a window function that DataFusion calls with a value that it lacks.
fn lacks_value(call: &Function) -> bool {
    let has_none = match &call.args {
        FunctionArguments::List(list) => list.args.is_empty(),
        FunctionArguments::None => true,
        FunctionArguments::Subquery(_) => false,
    };
    let name = call.name.to_string().to_lowercase();
    has_none && call.over.is_some() && ["first_value", "last_value", "nth_value"].contains(&name.as_str())
}

fn is_try(call: &Function) -> bool {
    call.name.to_string().eq_ignore_ascii_case("try")
}
