//! Conditions that are given apart from the query that they are put into.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::recursion_limit;
use crate::error::{Error, Result};

/// Sees whether a text is one expression and nothing else, so that it means the same between the
/// parentheses of a query as alone. Put there in lines of its own, since it may end with a comment.
///
/// # Errors
/// It does not parse as one.
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
