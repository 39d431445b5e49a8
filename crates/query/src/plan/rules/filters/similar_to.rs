//! SIMILAR TO as a regular expression that matches a whole text.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{BinaryExpr, Expr, Like, Operator, lit};

use crate::functions::similar_to_regex;

/// Translates the pattern. DataFusion takes it for a regular expression as it stands, in which `%`
/// and `_` are letters, and looks for it anywhere in the text.
#[derive(Debug)]
pub(in crate::plan) struct SimilarTo;

impl FunctionRewrite for SimilarTo {
    fn name(&self) -> &str {
        "similar_to"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::SimilarTo(Like { negated, expr: text, pattern, escape_char, case_insensitive }) = expr
        else {
            return Ok(Transformed::no(expr));
        };
        let op = match (negated, case_insensitive) {
            (false, false) => Operator::RegexMatch,
            (false, true) => Operator::RegexIMatch,
            (true, false) => Operator::RegexNotMatch,
            (true, true) => Operator::RegexNotIMatch,
        };
        let escape = lit(ScalarValue::Utf8(escape_char.map(String::from)));
        let regex = ScalarFunction::new_udf(Arc::new(similar_to_regex()), vec![*pattern, escape]);
        let regex = Box::new(Expr::ScalarFunction(regex));
        Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(text, op, regex))))
    }
}
