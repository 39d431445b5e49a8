//! USING SAMPLE: a sample of everything in a FROM clause.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Join, JoinConstraint, JoinOperator, Query, Select, SetExpr, Statement, TableFactor, TableSampleKind,
    TableWithJoins, VisitorMut,
};

use crate::plan::sql::names::wildcards;
use crate::plan::sql::parse::sample_of;
use crate::plan::sql::syntax::Scope;
use crate::plan::sql::walk::WalkMut;

/// Puts the tables of each SELECT that has USING SAMPLE into a subquery with TABLESAMPLE.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Samples);
}

struct Samples;

impl VisitorMut for Samples {
    type Break = Infallible;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        let Some(sample) = sample_of(select) else { return ControlFlow::Continue(()) };
        let mut tables = std::mem::take(&mut select.from).into_iter();
        let Some(mut first) = tables.next() else { return ControlFlow::Continue(()) };
        for other in tables {
            let operator = JoinOperator::CrossJoin(JoinConstraint::None);
            first.joins.push(Join { relation: other.relation, global: false, join_operator: operator });
            first.joins.extend(other.joins);
        }
        let Some(query) = wildcards::all_of(first, &Scope::default()) else {
            return ControlFlow::Continue(());
        };
        let relation = TableFactor::Derived {
            lateral: false,
            subquery: Box::new(query),
            alias: None,
            sample: Some(TableSampleKind::AfterTableAlias(sample)),
        };
        select.from = vec![TableWithJoins { relation, joins: vec![] }];
        ControlFlow::Continue(())
    }
}

/// Returns the tables of a subquery that [`write_out`] made.
pub(in crate::plan) fn sampled_tables(query: &Query) -> Option<&TableWithJoins> {
    match query.body.as_ref() {
        SetExpr::Select(select) => match select.from.as_slice() {
            [tables] => Some(tables),
            _ => None,
        },
        _ => None,
    }
}
