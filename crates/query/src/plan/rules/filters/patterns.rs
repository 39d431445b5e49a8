//! Text patterns: SIMILAR TO, and regular expressions that match a backslash or anything.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{BinaryExpr, Expr, Like, Operator, lit};

use crate::functions::similar_to_regex;

/// Translates the pattern of SIMILAR TO. DataFusion takes it for a regular expression, in which `%`
/// and `_` are letters, and searches it anywhere in the text.
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

/// A class of a backslash and of the last code point, which is no character.
const CLASS: &str = r"[\\\x{10FFFF}]";

/// Writes a backslash in a regular expression as a class of characters, and `.*` in parentheses.
///
/// DataFusion turns a plain text into LIKE, where a backslash is the escape, and `.*` into IS NOT
/// NULL, which is false for NULL.
#[derive(Debug)]
pub(in crate::plan) struct RegexBackslashes;

impl FunctionRewrite for RegexBackslashes {
    fn name(&self) -> &str {
        "regex_backslashes"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if matches(op) => {
                let written = pattern(&right);
                let is_changed = written.is_some();
                let right = written.map_or(right, Box::new);
                let changed = Expr::BinaryExpr(BinaryExpr { left, op, right });
                Ok(Transformed::new_transformed(changed, is_changed))
            }
            Expr::ScalarFunction(mut call) if call.name() == "regexp_like" && call.args.len() > 1 => {
                let written = pattern(&call.args[1]);
                let is_changed = written.is_some();
                call.args[1] = written.unwrap_or_else(|| call.args[1].clone());
                Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

fn matches(op: Operator) -> bool {
    use Operator::{RegexIMatch, RegexMatch, RegexNotIMatch, RegexNotMatch};
    matches!(op, RegexMatch | RegexIMatch | RegexNotMatch | RegexNotIMatch)
}

/// Returns the pattern with classes in it, if it is a text that matches a backslash.
fn pattern(expr: &Expr) -> Option<Expr> {
    let Expr::Literal(value, _) = expr else { return None };
    let text = value.try_as_str().flatten()?;
    let written = written(text)?;
    Some(lit(match value {
        ScalarValue::Utf8View(_) => ScalarValue::Utf8View(Some(written)),
        ScalarValue::LargeUtf8(_) => ScalarValue::LargeUtf8(Some(written)),
        _ => ScalarValue::Utf8(Some(written)),
    }))
}

fn written(pattern: &str) -> Option<String> {
    if pattern == ".*" {
        return Some("(?:.*)".to_owned());
    }
    let mut text = String::with_capacity(pattern.len() + CLASS.len());
    let mut is_changed = false;
    let mut is_class = false;
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some('\\') if !is_class => {
                    text.push_str(CLASS);
                    is_changed = true;
                }
                escaped => {
                    text.push(character);
                    text.extend(escaped);
                }
            },
            '[' | ']' => {
                is_class = character == '[';
                text.push(character);
            }
            _ => text.push(character),
        }
    }
    is_changed.then_some(text)
}
