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
mod tests {
    use super::*;

    #[test]
    fn one_expression_and_nothing_else() {
        for good in ["a > 5", "a = 1 AND (b OR c) -- why", "x IN (SELECT y FROM t)", "/* all */ true"] {
            assert!(check_condition(good).is_ok(), "{good}");
        }
        for bad in
            ["", "a > 5) OR (true", "a > 5 ORDER BY a", "a > 5; DROP TABLE t", "a >", "a, b", "(a", "'"]
        {
            let error = check_condition(bad).expect_err(bad).to_string();
            assert!(error.starts_with("the condition is not one expression: "), "{error}");
        }
    }
}
