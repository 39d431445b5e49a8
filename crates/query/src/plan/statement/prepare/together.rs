//! Several executions of one INSERT as one statement.

use arrow::datatypes::DataType;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Expr, Parens, SetExpr, Statement as SqlStatement};

use super::parameters::{Parameters, is_parameter};
use crate::error::Result;
use crate::plan::catalog::Prepared;

impl Prepared {
    /// Returns a statement without parameters that inserts the rows of several executions of this
    /// one. `None` if this is no `INSERT INTO t VALUES (...)` of one row of parameters alone, or if
    /// the values of a parameter differ in type, so that they would be converted to a common one.
    ///
    /// # Errors
    /// A parameter has no value, or a value no parameter.
    pub fn together(&self, executions: &[Parameters]) -> Result<Option<Self>> {
        let mut all = self.clone();
        let Some(rows) = rows(&mut all.statement) else { return Ok(None) };
        let is_row_of_parameters = rows.len() == 1 && rows[0].content.iter().all(is_parameter);
        if !is_row_of_parameters || !self.types.is_empty() || !have_same_types(executions) {
            return Ok(None);
        }
        rows.clear();
        for parameters in executions {
            let mut bound = parameters.bound(self)?;
            rows.extend(self::rows(&mut bound).into_iter().flat_map(|rows| rows.drain(..)));
        }
        Ok(Some(all))
    }
}

/// Returns the rows of `INSERT INTO t VALUES ...`.
fn rows(statement: &mut Statement) -> Option<&mut Vec<Parens<Vec<Expr>>>> {
    let Statement::Statement(statement) = statement else { return None };
    let SqlStatement::Insert(insert) = statement.as_mut() else { return None };
    let query = insert.source.as_mut()?;
    if query.with.is_some()
        || query.order_by.is_some()
        || query.limit_clause.is_some()
        || query.fetch.is_some()
    {
        return None;
    }
    match query.body.as_mut() {
        SetExpr::Values(values) => Some(&mut values.rows),
        _ => None,
    }
}

/// Returns whether each parameter has values of one type, and NULL.
fn have_same_types(executions: &[Parameters]) -> bool {
    let mut types: Vec<DataType> = Vec::new();
    executions.iter().all(|parameters| {
        let values = parameters.values();
        types.resize(values.len().max(types.len()), DataType::Null);
        values.iter().zip(&mut types).all(|(value, known)| match (&*known, value.data_type()) {
            (_, DataType::Null) => true,
            (DataType::Null, found) => {
                *known = found;
                true
            }
            (DataType::Decimal128(_, known), DataType::Decimal128(_, found)) => *known == found,
            (known, found) => *known == found,
        })
    })
}
