//! Check of texts that a caller inserts into a query as one of its clauses.

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{SetExpr, Statement as SqlStatement};

use super::{recursion_limit, sql};
use crate::error::{Error, Result};

/// A clause of a query that a caller has the text of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// The condition of WHERE: one expression.
    Where,
    /// The items of SELECT.
    Select,
    /// The expressions of GROUP BY.
    GroupBy,
    /// The expressions of ORDER BY, with their directions.
    OrderBy,
}

impl Clause {
    /// Checks that a text is this clause and nothing else. The caller has to put it on lines of its
    /// own, since it may end with a comment, and a condition into parentheses.
    ///
    /// # Errors
    /// The text does not parse as the clause, or there is another clause or statement behind it.
    pub fn check(self, text: &str) -> Result<()> {
        recursion_limit::check(text)?;
        let failed = |why: &str| Error::Query(format!("{}: {why}", self.refusal()));
        let before = self.before();
        let parsed = sql::parse_behind(before, text, recursion_limit::PARSER);
        let parsed = parsed.map_err(|error| {
            let error = Error::from(error).to_string();
            failed(error.strip_prefix("the query does not parse: ").unwrap_or(&error))
        })?;
        match self.put_into(sql::parse_behind(before, "x", 1000)?, &parsed) {
            Some(wanted) if wanted == parsed => Ok(()),
            _ => Err(failed("there are other clauses, or DISTINCT, in it: write the expressions alone")),
        }
    }

    fn refusal(self) -> &'static str {
        match self {
            Clause::Where => "the condition is not one expression",
            Clause::Select => "this is not a list of expressions of SELECT",
            Clause::GroupBy => "this is not a list of expressions of GROUP BY",
            Clause::OrderBy => "this is not a list of expressions of ORDER BY",
        }
    }

    /// Returns the beginning of a query that the clause ends.
    fn before(self) -> &'static str {
        match self {
            Clause::Where => "SELECT x FROM t WHERE ",
            Clause::Select => "SELECT ",
            Clause::GroupBy => "SELECT x FROM t GROUP BY ",
            Clause::OrderBy => "SELECT x FROM t ORDER BY ",
        }
    }

    /// Returns a query with another one's clause in place of its own; `None` for other statements.
    fn put_into(self, mut query: Statement, other: &Statement) -> Option<Statement> {
        let (Statement::Statement(into), Statement::Statement(from)) = (&mut query, other) else {
            return None;
        };
        let (SqlStatement::Query(into), SqlStatement::Query(from)) = (into.as_mut(), from.as_ref()) else {
            return None;
        };
        if self == Clause::OrderBy {
            into.order_by.clone_from(&from.order_by);
            return Some(query);
        }
        let (SetExpr::Select(into), SetExpr::Select(from)) = (into.body.as_mut(), from.body.as_ref()) else {
            return None;
        };
        match self {
            Clause::Where => into.selection.clone_from(&from.selection),
            Clause::Select => into.projection.clone_from(&from.projection),
            _ => into.group_by.clone_from(&from.group_by),
        }
        Some(query)
    }
}

#[cfg(test)]
mod tests;
