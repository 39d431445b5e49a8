//! ROLLUP and CUBE within GROUPING SETS, expanded to sets.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, VisitorMut,
};

/// Most columns of an expanded CUBE; each doubles the sets.
const MAX_CUBE: usize = 12;

/// Writes the sets out in every GROUPING SETS of a statement. The parser takes ROLLUP and CUBE for
/// functions there.
pub(in crate::plan::sql) fn expand(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Expand);
}

struct Expand;

impl VisitorMut for Expand {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::GroupingSets(sets) = expr {
            let expanded = std::mem::take(sets).into_iter().flat_map(|set| match set.as_slice() {
                [Expr::Function(function)] => nested(function).unwrap_or(vec![set]),
                _ => vec![set],
            });
            *sets = expanded.collect();
        }
        ControlFlow::Continue(())
    }
}

/// Returns the sets of a ROLLUP or a CUBE; `None` for any other function.
fn nested(function: &Function) -> Option<Vec<Vec<Expr>>> {
    let parts = columns(&function.args)?;
    let chosen: Vec<Vec<bool>> = match function.name.to_string().to_ascii_uppercase().as_str() {
        "ROLLUP" => (0..=parts.len()).rev().map(|kept| in_front(kept, parts.len())).collect(),
        "CUBE" if parts.len() <= MAX_CUBE => {
            let sets = (0..1usize << parts.len()).rev();
            sets.map(|bits| (0..parts.len()).rev().map(|part| bits >> part & 1 == 1).collect()).collect()
        }
        _ => return None,
    };
    let set = |chosen: Vec<bool>| {
        let kept = parts.iter().zip(chosen).filter(|(_, is_kept)| *is_kept);
        kept.flat_map(|(part, _)| part.clone()).collect()
    };
    Some(chosen.into_iter().map(set).collect())
}

/// Chooses the first parts.
fn in_front(kept: usize, parts: usize) -> Vec<bool> {
    (0..parts).map(|part| part < kept).collect()
}

/// Returns the arguments, each as the columns that stay together: `(a, b)` is one of two.
fn columns(arguments: &FunctionArguments) -> Option<Vec<Vec<Expr>>> {
    let FunctionArguments::List(list) = arguments else { return None };
    let part = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Tuple(parts))) => Some(parts.clone()),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(vec![expr.clone()]),
        _ => None,
    };
    list.args.iter().map(part).collect()
}
