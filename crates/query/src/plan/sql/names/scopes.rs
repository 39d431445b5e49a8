//! The common tables that a part of a statement can name.

use datafusion::sql::sqlparser::ast::{Cte, Query, Select, SetExpr, With};

use super::wildcards;

/// The common tables of the queries around a part of a statement.
#[derive(Default)]
pub(super) struct Scopes(Vec<Visible>);

/// The common tables of a query, and how many of them the part can name: in the definition of one,
/// those in front of it.
struct Visible {
    with: Option<With>,
    count: usize,
}

impl Scopes {
    /// Enters a query.
    pub fn push(&mut self, query: &Query) {
        if let Some(Visible { with: Some(with), count }) = self.0.last_mut()
            && let Some(at) = with.cte_tables.iter().position(|table| *table.query == *query)
        {
            *count = at;
        }
        let count = query.with.as_ref().map_or(0, |with| with.cte_tables.len());
        self.0.push(Visible { with: query.with.clone(), count });
    }

    /// Leaves the innermost query.
    pub fn pop(&mut self) {
        self.0.pop();
        if let Some(Visible { with: Some(with), count }) = self.0.last_mut() {
            *count = with.cte_tables.len();
        }
    }

    /// Returns all common tables that are in scope.
    pub fn with(&self) -> Option<With> {
        let mut all: Option<With> = None;
        for Visible { with, count } in &self.0 {
            let Some(with) = with else { continue };
            let tables: Vec<Cte> = with.cte_tables.iter().take(*count).cloned().collect();
            match &mut all {
                None => all = Some(With { cte_tables: tables, ..with.clone() }),
                Some(all) => {
                    all.recursive |= with.recursive;
                    all.cte_tables.extend(tables);
                }
            }
        }
        all.filter(|with| !with.cte_tables.is_empty())
    }

    /// Returns the query that has all columns of a FROM clause; `None` if there is no such clause.
    pub fn probe(&self, select: &Select) -> Option<Query> {
        let mut query = wildcards::all_of(select.from.first()?.clone(), &Default::default())?;
        if let SetExpr::Select(probe) = query.body.as_mut() {
            probe.from.clone_from(&select.from);
        }
        query.with = self.with();
        Some(query)
    }

    /// Returns a query without its order.
    pub fn unordered(&self, query: &Query) -> Query {
        Query { with: self.with(), order_by: None, limit_clause: None, ..query.clone() }
    }
}
