//! Access to parts of a syntax tree that several rewrites need.

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Cte, JoinConstraint, JoinOperator, Statement as SqlStatement};

/// Returns the statement of SQL in a statement, below EXPLAIN.
pub(in crate::plan::sql) fn sql_statement(statement: &mut Statement) -> Option<&mut SqlStatement> {
    match statement {
        Statement::Statement(statement) => Some(statement),
        Statement::Explain(explain) => sql_statement(&mut explain.statement),
        _ => None,
    }
}

/// The common tables that a query can name.
#[derive(Clone, Default)]
pub(in crate::plan::sql) struct Scope {
    pub tables: Vec<Cte>,
    pub is_recursive: bool,
}

/// Returns the condition of a join; `None` for a kind that takes none.
pub(in crate::plan::sql) fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(by)
        | JoinOperator::Inner(by)
        | JoinOperator::Left(by)
        | JoinOperator::LeftOuter(by)
        | JoinOperator::Right(by)
        | JoinOperator::RightOuter(by)
        | JoinOperator::FullOuter(by)
        | JoinOperator::CrossJoin(by)
        | JoinOperator::Semi(by)
        | JoinOperator::LeftSemi(by)
        | JoinOperator::RightSemi(by)
        | JoinOperator::Anti(by)
        | JoinOperator::LeftAnti(by)
        | JoinOperator::RightAnti(by) => Some(by),
        _ => None,
    }
}
