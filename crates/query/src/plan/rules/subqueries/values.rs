//! Subqueries as columns: every subquery of an expression becomes a join with its node's input.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, ExprSchema, Result, ScalarValue};
use datafusion::functions::core::expr_fn::get_field;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{BinaryExpr, Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::{
    Expr, ExprSchemable, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr, lit, not, when,
};

use super::dependent_join::{key_columns, same};
use super::scope::{has_subquery, map_plan, plan_of, references};
use super::{Subqueries, TUPLE_FIELD};
use crate::functions::single_value;
use crate::tree::Tree;

/// A node's input, and the subqueries joined to it.
pub(super) struct Joined {
    /// The input alone, the source of domains.
    pub base: LogicalPlan,
    /// The input with the columns of its subqueries.
    pub plan: LogicalPlan,
}

impl Joined {
    pub fn new(base: LogicalPlan) -> Self {
        Self { plan: base.clone(), base }
    }

    /// Joins rows that depend only on the values of the input's columns, so that its domains do not
    /// change.
    pub fn join(&mut self, right: LogicalPlan, on: Option<Expr>) -> Result<()> {
        self.plan = join(self.plan.clone(), right, JoinType::Inner, on)?;
        Ok(())
    }
}

/// A subquery's rows for all outer rows.
struct Inner {
    plan: LogicalPlan,
    /// The outer columns that it was made for.
    outer: Vec<Column>,
    /// The same in the plan.
    keys: Vec<Column>,
    /// Its value.
    value: Column,
    /// The fields of a row of values, which is compared field by field, and their columns.
    fields: Vec<(String, Column)>,
}

impl Inner {
    fn keys_match(&self) -> Option<Expr> {
        same(&self.outer, &self.keys)
    }
}

/// A comparison with any row of a subquery.
struct Any<'a> {
    left: Expr,
    operator: Operator,
    plan: &'a LogicalPlan,
}

impl Subqueries {
    /// Replaces the subqueries of an expression by columns of joins. `is_condition`: false and NULL
    /// are the same to the caller.
    ///
    /// # Errors
    /// A subquery can't be planned.
    pub fn replaced(&self, joined: &mut Joined, expression: Expr, is_condition: bool) -> Result<Expr> {
        if !has_subquery(&expression) {
            return Ok(expression);
        }
        match expression {
            Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
                let left = self.replaced(joined, *left, is_condition)?;
                Ok(binary_expr(left, op, self.replaced(joined, *right, is_condition)?))
            }
            Expr::Exists(Exists { subquery, negated }) => {
                let exists = self.exists(joined, &subquery.subquery)?;
                Ok(if negated { not(exists) } else { exists })
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                let left = self.replaced(joined, *expr, false)?;
                let any = Any { left, operator: Operator::Eq, plan: &subquery.subquery };
                let found = self.any(joined, any, is_condition && !negated)?;
                Ok(if negated { not(found) } else { found })
            }
            Expr::SetComparison(SetComparison { expr, subquery, op, quantifier }) => {
                let left = self.replaced(joined, *expr, false)?;
                // ALL holds if the negated comparison holds for none.
                let (operator, is_all) = match (quantifier, op.negate()) {
                    (SetQuantifier::All, Some(opposite)) => (opposite, true),
                    _ => (op, false),
                };
                let any = Any { left, operator, plan: &subquery.subquery };
                let found = self.any(joined, any, is_condition && !is_all)?;
                Ok(if is_all { not(found) } else { found })
            }
            Expr::ScalarSubquery(subquery) => match references(&subquery.subquery)?.is_empty() {
                true => self.in_place(Expr::ScalarSubquery(subquery)),
                false => self.scalar(joined, &subquery.subquery),
            },
            other => {
                let changed =
                    other.map_children(|child| self.replaced(joined, child, false).map(Transformed::yes))?;
                Ok(changed.data)
            }
        }
    }

    /// Keeps the outer rows for which a subquery has rows, or those for which it has none.
    pub fn semi_join(&self, joined: &mut Joined, plan: &LogicalPlan, is_anti: bool) -> Result<()> {
        let inner = self.inner(&joined.base, plan)?;
        let kind = if is_anti { JoinType::LeftAnti } else { JoinType::LeftSemi };
        joined.plan = join(joined.plan.clone(), inner.plan.clone(), kind, inner.keys_match())?;
        Ok(())
    }

    /// Keeps the outer rows with a value that is among a subquery's rows.
    pub fn semi_join_in(&self, joined: &mut Joined, left: Expr, plan: &LogicalPlan) -> Result<()> {
        let left = self.replaced(joined, left, false)?;
        let inner = self.inner(&joined.base, plan)?;
        let equal = comparisons(&left, Operator::Eq, &inner);
        let condition = inner.keys_match().into_iter().chain(equal).reduce(Expr::and);
        joined.plan = join(joined.plan.clone(), inner.plan.clone(), JoinType::LeftSemi, condition)?;
        Ok(())
    }

    fn exists(&self, joined: &mut Joined, plan: &LogicalPlan) -> Result<Expr> {
        let inner = self.inner(&joined.base, plan)?;
        let condition = inner.keys_match();
        self.mark(joined, inner, condition)
    }

    fn mark(&self, joined: &mut Joined, inner: Inner, condition: Option<Expr>) -> Result<Expr> {
        let mark = Column::new(inner.value.relation.clone(), "mark");
        joined.plan = join(joined.plan.clone(), inner.plan, JoinType::LeftMark, condition)?;
        Ok(Expr::Column(mark))
    }

    /// Returns true if a comparison with some row is true; else NULL if one is NULL; else false.
    fn any(&self, joined: &mut Joined, any: Any<'_>, is_condition: bool) -> Result<Expr> {
        let inner = self.inner(&joined.base, any.plan)?;
        let is_tuple = !inner.fields.is_empty();
        let compared = comparisons(&any.left, any.operator, &inner);
        let condition = inner.keys_match().into_iter().chain(compared).reduce(Expr::and);
        let is_nullable = is_tuple
            || any.left.nullable(joined.plan.schema())?
            || inner.plan.schema().field_from_column(&inner.value)?.is_nullable();
        let found = self.mark(joined, inner, condition)?;
        if is_condition || !is_nullable {
            return Ok(found);
        }
        let inner = self.inner(&joined.base, any.plan)?;
        if is_tuple {
            // A row of values is neither equal nor unequal to another one if no field differs for
            // certain and some are NULL.
            let parts = comparisons(&any.left, any.operator, &inner).into_iter().map(Expr::is_not_false);
            let unknown = inner.keys_match().into_iter().chain(parts).reduce(Expr::and);
            let unknown = self.mark(joined, inner, unknown)?;
            return when(found, lit(true))
                .when(unknown, lit(ScalarValue::Boolean(None)))
                .otherwise(lit(false));
        }
        let (rows, values) = (self.name("rows"), self.name("values"));
        let counts = [count(lit(1)).alias(&rows), count(Expr::Column(inner.value.clone())).alias(&values)];
        let keys = inner.keys.iter().cloned().map(Expr::Column);
        let counted = LogicalPlanBuilder::from(inner.plan.clone()).aggregate(keys, counts)?.build()?;
        joined.plan = join(joined.plan.clone(), counted, JoinType::Left, inner.keys_match())?;
        let [rows, values] = [rows, values].map(|name| Expr::Column(Column::new_unqualified(name)));
        let is_empty = rows.clone().is_null().or(rows.clone().eq(lit(0i64)));
        when(found, lit(true))
            .when(is_empty, lit(false))
            .when(any.left.is_null().or(values.lt(rows)), lit(ScalarValue::Boolean(None)))
            .otherwise(lit(false))
    }

    fn scalar(&self, joined: &mut Joined, plan: &LogicalPlan) -> Result<Expr> {
        let mut inner = self.inner(&joined.base, plan)?;
        if may_have_rows(plan) {
            let name = self.name("value");
            let value = single_value(Expr::Column(inner.value.clone())).alias(&name);
            let keys = inner.keys.iter().cloned().map(Expr::Column);
            inner.plan = LogicalPlanBuilder::from(inner.plan).aggregate(keys, [value])?.build()?;
            inner.value = Column::new_unqualified(name);
        }
        let condition = inner.keys_match();
        joined.plan = join(joined.plan.clone(), inner.plan, JoinType::Left, condition)?;
        Ok(Expr::Column(inner.value))
    }

    /// Returns a subquery's plan without references to its outer query.
    fn inner(&self, outer: &LogicalPlan, plan: &LogicalPlan) -> Result<Inner> {
        let references = references(plan)?;
        let name = self.name("subquery");
        let (plan, outer, keys) = if references.is_empty() {
            (plan.clone(), Vec::new(), Vec::new())
        } else {
            let domain = self.domain(outer, &references)?;
            let pushed = self.push(plan, &domain)?;
            let keys = key_columns(&domain, pushed.schema())?;
            (pushed, domain.keys.into_iter().map(|key| key.outer).collect(), keys)
        };
        let value = plan.schema().columns().into_iter().find(|column| !keys.contains(column));
        let of_value =
            |value: &Column| plan.schema().field_from_column(value).map(|f| tuple_fields(f.data_type()));
        let fields = value.as_ref().map(of_value).transpose()?.unwrap_or_default();
        // EXISTS asks for no column.
        let value = value.map_or_else(|| lit(true), Expr::Column);
        let plan = self.rewritten(plan)?;
        let mut columns: Vec<Expr> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            columns.push(Expr::Column(key.clone()).alias(format!("key_{at}")));
        }
        let column = |column: &str| Column::new(Some(name.clone()), column);
        for field in &fields {
            columns.push(get_field(value.clone(), field.as_str()).alias(field));
        }
        if fields.is_empty() {
            columns.push(value.alias("value"));
        }
        let plan = LogicalPlanBuilder::from(plan).project(columns)?.alias(name.as_str())?.build()?;
        let keys = (0..keys.len()).map(|at| column(&format!("key_{at}"))).collect();
        let fields: Vec<_> = fields.into_iter().map(|field| (field.clone(), column(&field))).collect();
        let value = fields.first().map_or_else(|| column("value"), |(_, column)| column.clone());
        Ok(Inner { plan, outer, keys, value, fields })
    }

    /// Rewrites the plans of subqueries that stay subqueries.
    pub fn in_place(&self, expression: Expr) -> Result<Expr> {
        let changed = expression.transform_up(|node| match plan_of(&node).is_some() {
            true => {
                let is_scalar = matches!(node, Expr::ScalarSubquery(_));
                let changed = map_plan(node, |plan| match is_scalar && references(&plan)?.is_empty() {
                    true => one_value(self.rewritten(plan)?),
                    false => self.rewritten_in_place(plan),
                });
                changed.map(Transformed::yes)
            }
            false => Ok(Transformed::no(node)),
        })?;
        Ok(changed.data)
    }
}

/// Returns the fields of a row of values; none if it is a value.
fn tuple_fields(data_type: &DataType) -> Vec<String> {
    match data_type {
        DataType::Struct(fields) if fields.iter().all(|field| field.name().starts_with(TUPLE_FIELD)) => {
            fields.iter().map(|field| field.name().clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the comparisons of a value with a subquery's: one, or one for each field of a row of
/// values.
fn comparisons(left: &Expr, operator: Operator, inner: &Inner) -> Vec<Expr> {
    if inner.fields.is_empty() {
        return vec![binary_expr(left.clone(), operator, Expr::Column(inner.value.clone()))];
    }
    let field = |(name, column): &(String, Column)| {
        binary_expr(get_field(left.clone(), name.as_str()), operator, Expr::Column(column.clone()))
    };
    inner.fields.iter().map(field).collect()
}

/// Returns whether a plan may have more than one row for an outer row.
fn may_have_rows(plan: &LogicalPlan) -> bool {
    plan.max_rows().is_none_or(|rows| rows > 1)
}

/// Returns whether a plan has a row whatever its tables hold.
fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        _ => false,
    }
}

/// Makes a plan with more than one row an error, and one without rows NULL.
fn one_value(plan: LogicalPlan) -> Result<LogicalPlan> {
    // DataFusion takes a value to be NULL only where its column is, not where there is no row.
    let is_single = plan.schema().fields().len() == 1;
    let is_told = !is_single || plan.schema().field(0).is_nullable() || has_one_row(&plan);
    if !is_single || is_told && !may_have_rows(&plan) {
        return Ok(plan);
    }
    let column = Column::from(plan.schema().qualified_field(0));
    let name = column.name().to_owned();
    let value = single_value(Expr::Column(column)).alias(name);
    LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), [value])?.build()
}

fn join(left: LogicalPlan, right: LogicalPlan, kind: JoinType, on: Option<Expr>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::from(left).join_on(right, kind, [on.unwrap_or_else(|| lit(true))])?.build()
}
