//! Check of a condition that a caller inserts into a query.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::recursion_limit;
use crate::error::{Error, Result};

/// Checks that a text is exactly one expression, so that parentheses around it do not change its
/// meaning. The caller has to put it on lines of its own, since it may end with a comment.
///
/// # Errors
/// The text does not parse as one expression.
pub fn check_condition(text: &str) -> Result<()> {
    recursion_limit::check(text)?;
    let dialect = GenericDialect {};
    let parsed = Parser::new(&dialect).try_with_sql(text).and_then(|mut parser| {
        parser.parse_expr()?;
        parser.expect_token(&Token::EOF).map(drop)
    });
    parsed.map_err(|e| Error::Query(format!("the condition is not one expression: {e}")))
}

#[cfg(test)]
mod tests;
