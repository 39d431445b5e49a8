//! Wrongly captured columns: names in a subquery that DataFusion resolves to the enclosing query.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::plan::sql::walk::Walk;
use crate::tree::{PlanTree, Tree};
use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr as Planned, LogicalPlan};
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, OrderByKind, Query, SelectItem, SetExpr, Statement as SqlStatement, Visitor,
};

/// Refuses an unqualified column that several tables of its subquery have, which DataFusion takes
/// for a column of the enclosing query; and an aggregate over columns of the enclosing query alone,
/// which in SQL belongs to that query.
///
/// # Errors
/// There is such a column or aggregate.
pub(in crate::plan::sql) fn refuse(statement: &Statement, plan: &LogicalPlan) -> Result<()> {
    refuse_outer_aggregates(plan)?;
    let names = of_several_tables(plan)?;
    let Statement::Statement(statement) = statement else { return Ok(()) };
    match find(statement, names) {
        Some(name) => plan_err!(
            "{name} is a column of more than one table of a subquery: write the name of the table in front of it"
        ),
        None => Ok(()),
    }
}

/// Returns the names of outer columns that several tables of the referring query have.
fn of_several_tables(plan: &LogicalPlan) -> Result<HashSet<String>> {
    let mut names = HashSet::new();
    plan.apply_to_all(|node| {
        let schema = merge_schema(&node.inputs());
        // an outer column puts rows in no order
        let allowed = usize::from(!matches!(node, LogicalPlan::Sort(_)));
        node.apply_to_expressions(|expression| {
            expression.apply(|part| {
                if let Planned::OuterReferenceColumn(_, column) = part
                    && schema.fields().iter().filter(|field| field.name() == column.name()).count() > allowed
                {
                    names.insert(column.name().to_owned());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(names)
}

fn refuse_outer_aggregates(plan: &LogicalPlan) -> Result<()> {
    plan.apply_to_all(|node| {
        let LogicalPlan::Aggregate(aggregate) = node else { return Ok(TreeNodeRecursion::Continue) };
        for value in &aggregate.aggr_expr {
            let mut is_outer = false;
            value.apply(|part| {
                is_outer |= matches!(part, Planned::OuterReferenceColumn(..));
                Ok(TreeNodeRecursion::Continue)
            })?;
            if is_outer && value.column_refs().is_empty() {
                return plan_err!(
                    "{value} in a subquery is an aggregate of the query around it: compute it there, in a \
                     subquery of FROM"
                );
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Returns one of some names that occurs unqualified in a subquery.
fn find(statement: &SqlStatement, names: HashSet<String>) -> Option<String> {
    struct Find {
        names: HashSet<String>,
        /// For each enclosing query, true if it has several tables.
        queries: Vec<bool>,
        /// Keys of ORDER BY that are names of items of their SELECT.
        items: HashSet<*const Expr>,
    }

    impl Visitor for Find {
        type Break = String;

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
            self.queries.push(has_several_tables(&query.body));
            self.items.extend(keys_of_items(query));
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
            self.queries.pop();
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
            match expr {
                Expr::Identifier(_) if self.items.contains(&std::ptr::from_ref(expr)) => {
                    ControlFlow::Continue(())
                }
                Expr::Identifier(name) if self.queries.len() > 1 && self.queries.ends_with(&[true]) => {
                    let name = IdentNormalizer::new(true).normalize(name.clone());
                    match self.names.take(&name) {
                        Some(name) => ControlFlow::Break(name),
                        None => ControlFlow::Continue(()),
                    }
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }

    if names.is_empty() {
        return None;
    }
    statement.walk(&mut Find { names, queries: Vec::new(), items: HashSet::new() }).break_value()
}

/// Returns the keys of a query's ORDER BY that are names of its SELECT items.
fn keys_of_items(query: &Query) -> impl Iterator<Item = *const Expr> {
    let items = match query.body.as_ref() {
        SetExpr::Select(select) => select.projection.as_slice(),
        _ => &[],
    };
    let is_item = |key: &Expr| {
        let Expr::Identifier(key) = key else { return false };
        items.iter().any(|item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if alias == key))
    };
    let keys = query.order_by.iter().filter_map(|order| match &order.kind {
        OrderByKind::Expressions(keys) => Some(keys),
        OrderByKind::All(_) => None,
    });
    keys.flatten().filter(move |key| is_item(&key.expr)).map(|key| std::ptr::from_ref(&key.expr))
}

/// Returns whether a SELECT of a query's body is over several tables.
fn has_several_tables(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => {
            select.from.len() > 1 || select.from.iter().any(|table| !table.joins.is_empty())
        }
        SetExpr::SetOperation { left, right, .. } => has_several_tables(left) || has_several_tables(right),
        _ => false,
    }
}
