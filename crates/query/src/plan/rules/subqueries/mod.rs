//! Subqueries as joins, where DataFusion's own planning is wrong or fails.
//!
//! A correlated subquery runs for all outer rows at once: the combinations of outer values that it
//! refers to are its domain, the domain is pushed into its plan, and the result is joined with the
//! outer rows by these values. From the joined rows, EXISTS tests for a row, IN, ANY and ALL test
//! for matches and for NULL, and a scalar subquery checks that each outer row has one.

mod dependent_join;
mod domain;
mod joins;
mod native;
mod scope;
mod values;

use std::cell::Cell;
use std::sync::Arc;

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, TableReference, plan_err};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::logical_plan::{Distinct, DistinctOn, Filter, Sort, Union};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, SortExpr};
use datafusion::optimizer::analyzer::AnalyzerRule;

use crate::tree::{PlanTree, Tree};
use scope::has_subquery;
use values::Joined;

/// Prefix of the field names, before their numbers, of a row of values that is compared with a
/// subquery.
pub(in crate::plan) const TUPLE_FIELD: &str = "__tuple_";

/// Analyzer rule that rewrites subqueries, after types are coerced.
#[derive(Debug)]
pub(in crate::plan) struct UnnestSubqueries;

impl AnalyzerRule for UnnestSubqueries {
    fn name(&self) -> &str {
        "unnest_subqueries"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Subqueries::default().rewritten(plan)
    }
}

/// The subqueries of one statement.
#[derive(Default)]
struct Subqueries {
    /// Names that were given.
    names: Cell<usize>,
}

impl Subqueries {
    /// Returns a name that no other column or table has.
    fn name(&self, kind: &str) -> String {
        self.names.set(self.names.get() + 1);
        format!("__{kind}_{}", self.names.get())
    }

    /// Rewrites a plan that refers to no query around it.
    fn rewritten(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        if !has_any(&plan)? {
            return Ok(plan);
        }
        let plan = match plan {
            LogicalPlan::Join(join) if scope::is_lateral(&join)? => return self.lateral(join),
            LogicalPlan::Subquery(subquery) => return self.rewritten(subquery.subquery.as_ref().clone()),
            plan => {
                let changed = plan.map_children(|child| self.rewritten(child).map(Transformed::yes))?;
                with_nullability(changed.data.recompute_schema()?)?
            }
        };
        let plan =
            plan.rewrite_expressions(|expression| expression.transform_up(|node| Ok(simpler(node))))?.data;
        let mut has_own = false;
        plan.apply_to_expressions(|expression| {
            has_own |= has_subquery(expression);
            Ok(TreeNodeRecursion::Continue)
        })?;
        match plan {
            plan if !has_own => Ok(plan),
            LogicalPlan::Filter(filter) => self.filter(filter),
            LogicalPlan::Join(join) => self.join(join),
            LogicalPlan::Sort(sort) => self.sort(sort),
            LogicalPlan::Distinct(Distinct::On(on)) => self.distinct_on(on),
            plan => self.node(plan),
        }
    }

    fn filter(&self, filter: Filter) -> Result<LogicalPlan> {
        let Filter { predicate, input, .. } = filter;
        let columns = input.schema().columns();
        let (mut kept, mut rest) = (Vec::new(), Vec::new());
        for part in split_conjunction_owned(predicate) {
            match self.is_native_condition(&part, input.schema())? {
                true => kept.push(self.in_place(part)?),
                false => rest.push(part),
            }
        }
        let input = LogicalPlanBuilder::from(input.as_ref().clone());
        let base = match conjunction(kept) {
            Some(kept) => input.filter(kept)?.build()?,
            None => input.build()?,
        };
        if rest.is_empty() {
            return Ok(base);
        }
        let mut joined = Joined::new(base);
        let mut conditions = Vec::new();
        for part in rest {
            match part {
                Expr::Exists(Exists { subquery, negated }) => {
                    self.semi_join(&mut joined, &subquery.subquery, negated)?;
                }
                Expr::InSubquery(InSubquery { expr, subquery, negated: false }) => {
                    self.semi_join_in(&mut joined, *expr, &subquery.subquery)?;
                }
                part => conditions.push(self.replaced(&mut joined, part, true)?),
            }
        }
        let mut plan = LogicalPlanBuilder::from(joined.plan);
        if let Some(condition) = conjunction(conditions) {
            plan = plan.filter(condition)?;
        }
        only(plan.build()?, columns)
    }

    fn distinct_on(&self, on: DistinctOn) -> Result<LogicalPlan> {
        let mut joined = Joined::new(on.input.as_ref().clone());
        let mut keys = Vec::with_capacity(on.on_expr.len());
        for key in on.on_expr {
            keys.push(self.replaced(&mut joined, key, false)?);
        }
        let names = NamePreserver::new_for_projection();
        let mut items = Vec::with_capacity(on.select_expr.len());
        for item in on.select_expr {
            let name = names.save(&item);
            items.push(name.restore(self.replaced(&mut joined, item, false)?));
        }
        let mut order = Vec::new();
        for key in on.sort_expr.unwrap_or_default() {
            order.push(SortExpr { expr: self.replaced(&mut joined, key.expr, false)?, ..key });
        }
        let order = (!order.is_empty()).then_some(order);
        let on = DistinctOn::try_new(keys, items, order, Arc::new(joined.plan))?;
        Ok(LogicalPlan::Distinct(Distinct::On(on)))
    }

    /// Rewrites the subqueries of a node with one input that are no conditions.
    fn node(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let inputs = plan.inputs();
        let [input] = inputs.as_slice() else {
            return plan
                .rewrite_expressions(|expression| self.alone(expression).map(Transformed::yes))
                .map(|plan| plan.data);
        };
        let mut is_native = true;
        plan.apply_to_expressions(|expression| {
            is_native &= match plan {
                LogicalPlan::Projection(_) => self.is_native_value(expression)?,
                _ => self.is_uncorrelated(expression)?,
            };
            Ok(TreeNodeRecursion::Continue)
        })?;
        if is_native {
            return Ok(plan.rewrite_expressions(|e| self.in_place(e).map(Transformed::yes))?.data);
        }
        let columns = plan.schema().columns();
        let is_window = matches!(plan, LogicalPlan::Window(_));
        let mut joined = Joined::new((*input).clone());
        let names = NamePreserver::new(&plan);
        let mut expressions = Vec::new();
        for expression in plan.expressions() {
            let name = names.save(&expression);
            expressions.push(name.restore(self.replaced(&mut joined, expression, false)?));
        }
        let plan = plan.with_new_exprs(expressions, vec![joined.plan])?;
        match is_window || plan.schema().fields().len() > columns.len() {
            true => only(plan, columns),
            false => Ok(plan),
        }
    }

    /// Adds columns that only subqueries in ORDER BY refer to, from below the projection.
    fn sort(&self, sort: Sort) -> Result<LogicalPlan> {
        let columns = sort.input.schema().columns();
        let LogicalPlan::Projection(projection) = sort.input.as_ref() else {
            return self.node(LogicalPlan::Sort(sort));
        };
        let mut missing = Vec::new();
        for key in &sort.expr {
            for (column, _) in scope::references_of(&key.expr)? {
                let is_below = projection.input.schema().has_column(&column);
                if is_below && !sort.input.schema().has_column(&column) && !missing.contains(&column) {
                    missing.push(column);
                }
            }
        }
        if missing.is_empty() {
            return self.node(LogicalPlan::Sort(sort));
        }
        let all = projection.expr.iter().cloned().chain(missing.into_iter().map(Expr::Column));
        let input = LogicalPlanBuilder::from(projection.input.as_ref().clone()).project(all)?.build()?;
        let sort = Sort { expr: sort.expr, input: input.into(), fetch: sort.fetch };
        only(self.node(LogicalPlan::Sort(sort))?, columns)
    }

    /// Rewrites the subqueries of an expression of a node that they can't be joined with.
    fn alone(&self, expression: Expr) -> Result<Expr> {
        match self.is_uncorrelated(&expression)? {
            true => self.in_place(expression),
            false => plan_err!("a subquery stands where none can be joined: write it in a WITH or in FROM"),
        }
    }

    /// Returns whether all subqueries of an expression are scalar ones that need no outer row.
    fn is_uncorrelated(&self, expression: &Expr) -> Result<bool> {
        let mut is_uncorrelated = true;
        expression.apply(|node| {
            if let Some(plan) = scope::plan_of(node) {
                is_uncorrelated &=
                    matches!(node, Expr::ScalarSubquery(_)) && scope::references(plan)?.is_empty();
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(is_uncorrelated)
    }
}

/// Makes the columns of a union nullable where a column of an input is: recomputing its schema does
/// not.
fn with_nullability(plan: LogicalPlan) -> Result<LogicalPlan> {
    let LogicalPlan::Union(union) = plan else { return Ok(plan) };
    let field = |(index, (qualifier, field)): (usize, (Option<&TableReference>, &FieldRef))| {
        let is_nullable = union.inputs.iter().any(|input| input.schema().field(index).is_nullable());
        let field = field.as_ref().clone().with_nullable(is_nullable);
        (qualifier.cloned(), Arc::new(field))
    };
    let fields = union.schema.iter().enumerate().map(field).collect();
    let schema = DFSchema::new_with_metadata(fields, union.schema.metadata().clone())?;
    Ok(LogicalPlan::Union(Union { inputs: union.inputs, schema: schema.into() }))
}

/// Returns the columns of a plan that are among these.
fn only(plan: LogicalPlan, columns: Vec<Column>) -> Result<LogicalPlan> {
    match plan.schema().fields().len() == columns.len() {
        true => Ok(plan),
        false => LogicalPlanBuilder::from(plan).project(columns.into_iter().map(Expr::Column))?.build(),
    }
}

/// `= ANY` is IN, and `<> ALL` is NOT IN.
fn simpler(node: Expr) -> Transformed<Expr> {
    match node {
        Expr::SetComparison(SetComparison {
            expr,
            subquery,
            op: Operator::Eq,
            quantifier: SetQuantifier::Any,
        }) => Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated: false })),
        Expr::SetComparison(SetComparison {
            expr,
            subquery,
            op: Operator::NotEq,
            quantifier: SetQuantifier::All,
        }) => Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated: true })),
        Expr::Not(inner) => match *inner {
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated: !negated }))
            }
            Expr::Exists(Exists { subquery, negated }) => {
                Transformed::yes(Expr::Exists(Exists { subquery, negated: !negated }))
            }
            other => Transformed::no(Expr::Not(Box::new(other))),
        },
        node => Transformed::no(node),
    }
}

/// Returns whether a plan has subqueries, those of lateral joins included.
fn has_any(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        found |= matches!(node, LogicalPlan::Subquery(_));
        node.apply_to_expressions(|expression| {
            found |= has_subquery(expression);
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}
