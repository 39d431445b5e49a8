//! Access to parts of a syntax tree that several rewrites need.

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    JoinConstraint, JoinOperator, ObjectName, Statement as SqlStatement,
};

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

/// Returns a call of a function.
pub(in crate::plan::sql) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let arguments = arguments.into_iter().map(|expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)));
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.collect(),
            clauses: vec![],
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    })
}
