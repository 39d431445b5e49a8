//! Plans, node by node.

use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::{Distinct, Expr as Logical, FetchType, LogicalPlan, SkipType, SortExpr};
use pelton_query::plan::Reason;

use super::rows::{Rows, Scope, fields};
use super::{casts, estimate};
use crate::ir::{
    Expr, Field, Fill, Into, Kind, Operation, Order, Pipeline, Query, Scalar, Side, Source, Step, Table,
};

/// The query that a plan is, or all that stands in its way.
///
/// # Errors
/// Parts of the plan are not done on the GPU: which, and why.
pub fn lower(plan: &LogicalPlan) -> Result<Query, Vec<Reason>> {
    let mut lowering = Lowering::default();
    let rows = lowering.rows(plan);
    lowering.query.output = lowering.keep(rows, None);
    if lowering.query.scans.is_empty() && lowering.reasons.is_empty() {
        lowering.refuse(plan, "it reads no table".to_owned());
    }
    if lowering.reasons.is_empty() { Ok(lowering.query) } else { Err(lowering.reasons) }
}

/// A query while it is made. What is not supported is noted and replaced by something of the right shape, so that all
/// reasons are found in one go.
pub(super) struct Lowering {
    pub query: Query,
    pub reasons: Vec<Reason>,
}

impl Default for Lowering {
    fn default() -> Self {
        let query = Query {
            scans: Vec::new(),
            tables: Vec::new(),
            aggregates: Vec::new(),
            orders: Vec::new(),
            operations: Vec::new(),
            output: 0,
        };
        Self { query, reasons: Vec::new() }
    }
}

impl Lowering {
    /// Notes why a node can't be done.
    pub(super) fn refuse(&mut self, plan: &LogicalPlan, why: String) {
        let at = plan.display().to_string();
        if !self.reasons.iter().any(|reason| reason.at == at && reason.why == why) {
            self.reasons.push(Reason { at, why });
        }
    }

    /// An expression of a node; one that can't be done is noted.
    pub(super) fn of(&mut self, plan: &LogicalPlan, expr: &Logical, scope: Scope<'_>) -> Expr {
        self.expression(expr, scope).unwrap_or_else(|why| {
            self.refuse(plan, why);
            Expr::boolean(Kind::Null, true)
        })
    }

    /// Columns of a node's schema; those that can't be done are noted.
    pub(super) fn fields(&mut self, plan: &LogicalPlan, schema: &DFSchema) -> Vec<Field> {
        fields(schema).unwrap_or_else(|why| {
            self.refuse(plan, why);
            let field = |name: &String| Field {
                name: name.clone(),
                data_type: arrow::datatypes::DataType::Boolean,
                scalar: Scalar::Bool,
                nullable: true,
            };
            schema.fields().iter().map(|f| field(f.name())).collect()
        })
    }

    /// The rows of a node.
    pub(super) fn rows(&mut self, plan: &LogicalPlan) -> Rows {
        match plan {
            LogicalPlan::TableScan(scan) => self.scan(plan, scan),
            LogicalPlan::SubqueryAlias(alias) => self.rows(&alias.input),
            LogicalPlan::Projection(projection) => {
                let rows = self.rows(&projection.input);
                self.project(plan, rows, projection.input.schema(), &projection.expr)
            }
            LogicalPlan::Filter(filter) => {
                let mut rows = self.rows(&filter.input);
                let scope = Scope { schema: filter.input.schema(), fields: &rows.fields.clone() };
                let condition = self.of(plan, &filter.predicate, scope);
                self.filter(&mut rows, condition);
                rows
            }
            LogicalPlan::Aggregate(aggregate) => self.aggregate(plan, aggregate),
            LogicalPlan::Distinct(Distinct::All(input)) => self.distinct(plan, input),
            LogicalPlan::Join(join) => self.join(plan, join),
            LogicalPlan::Sort(sort) => self.sort(plan, &sort.input, &sort.expr, sort.fetch),
            LogicalPlan::Limit(limit) => {
                let (Ok(FetchType::Literal(fetch)), Ok(SkipType::Literal(skip))) =
                    (limit.get_fetch_type(), limit.get_skip_type())
                else {
                    self.refuse(plan, "LIMIT that is no constant is not supported".to_owned());
                    return self.rows(&limit.input);
                };
                self.limit(&limit.input, skip, fetch)
            }
            LogicalPlan::Union(union) => self.union(plan, &union.inputs),
            other => {
                let what = other.display().to_string();
                let what = what.split([':', ' ']).next().unwrap_or_default().to_owned();
                self.refuse(plan, format!("{what} is not supported"));
                for input in other.inputs() {
                    self.rows(input);
                }
                let fields = self.fields(plan, plan.schema());
                Rows { branches: Vec::new(), fields, expected: 1.0, base: 1.0, ordered: false }
            }
        }
    }

    /// Rows with other columns.
    pub(super) fn project(
        &mut self,
        plan: &LogicalPlan,
        mut rows: Rows,
        input: &DFSchema,
        expressions: &[Logical],
    ) -> Rows {
        let scope = Scope { schema: input, fields: &rows.fields.clone() };
        let of_schema = self.fields(plan, plan.schema());
        let columns = expressions.iter().zip(of_schema).map(|(expr, mut field)| {
            let value = self.of(plan, expr, scope);
            let value = casts::same_type(value.clone(), &field.data_type).unwrap_or(value);
            field.nullable = value.nullable;
            (field, value)
        });
        let columns: Vec<(Field, Expr)> = columns.collect();
        rows.fields = columns.iter().map(|(field, _)| field.clone()).collect();
        rows.push(&Step::Project(columns));
        rows
    }

    /// Rows for which a condition holds, each conjunct a step of its own, so that later columns are read for fewer rows.
    pub(super) fn filter(&mut self, rows: &mut Rows, condition: Expr) {
        match condition.kind {
            Kind::And(a, b) => {
                self.filter(rows, *a);
                self.filter(rows, *b);
            }
            _ => {
                rows.expected = (rows.expected * estimate::share(&condition)).max(1.0);
                rows.push(&Step::Filter(condition));
            }
        }
    }

    /// Ends pipelines in a table, with the columns `keys` to look up.
    pub(super) fn keep(&mut self, rows: Rows, keys: Option<Vec<usize>>) -> usize {
        let table = self.query.tables.len();
        self.query.tables.push(Table { fields: rows.fields, keys, nulls_match: false, marks: false });
        let in_order = |steps: &[Step]| steps.iter().all(|step| matches!(step, Step::Project(_)));
        let into = |steps: &[Step]| match rows.ordered && in_order(steps) {
            true => Into::TableInOrder(table),
            false => Into::Table(table),
        };
        let pipelines = rows.branches.into_iter().map(|(source, steps)| {
            let into = into(&steps);
            Pipeline { source, steps, into }
        });
        let fill = Fill { pipelines: pipelines.collect(), rows: rows.expected };
        self.query.operations.push(Operation::Fill(fill));
        table
    }

    /// Ends pipelines that only mark.
    pub(super) fn mark(&mut self, rows: Rows) {
        let pipelines =
            rows.branches.into_iter().map(|(source, steps)| Pipeline { source, steps, into: Into::Nowhere });
        let fill = Fill { pipelines: pipelines.collect(), rows: 0.0 };
        self.query.operations.push(Operation::Fill(fill));
    }

    fn sort(
        &mut self,
        plan: &LogicalPlan,
        input: &LogicalPlan,
        by: &[SortExpr],
        fetch: Option<usize>,
    ) -> Rows {
        let mut rows = self.rows(input);
        let visible = rows.fields.len();
        let scope = Scope { schema: input.schema(), fields: &rows.fields.clone() };
        let mut columns = identity(&rows.fields);
        let mut keys = Vec::with_capacity(by.len());
        for sort in by {
            let side = Side { descending: !sort.asc, nulls_first: sort.nulls_first };
            let key = self.of(plan, &sort.expr, scope);
            match key.kind {
                Kind::Column(column) => keys.push((column, side)),
                _ => {
                    keys.push((columns.len(), side));
                    columns.push((named("sort key", &key), key));
                }
            }
        }
        if columns.len() > visible {
            rows.fields = columns.iter().map(|(field, _)| field.clone()).collect();
            rows.push(&Step::Project(columns));
        }
        let (expected, base, fields) = (rows.expected, rows.base, rows.fields[..visible].to_vec());
        let table = self.keep(rows, None);
        let order = self.query.orders.len();
        self.query.orders.push(Order { table, keys, fetch: fetch.map(|n| n as u64) });
        self.query.operations.push(Operation::Sort(order));
        let source = Source::Table {
            table,
            marked: None,
            order: Some(order),
            skip: 0,
            fetch: fetch.map(|n| n as u64),
        };
        let steps = vec![Step::Project(identity(&fields))];
        Rows { branches: vec![(source, steps)], fields, expected, base, ordered: true }
    }

    fn limit(&mut self, input: &LogicalPlan, skip: usize, fetch: Option<usize>) -> Rows {
        let rows = self.rows(input);
        let (skip, fetch) = (skip as u64, fetch.map(|n| n as u64));
        let (base, fields, ordered) = (rows.base, rows.fields.clone(), rows.ordered);
        let expected = fetch.map_or(rows.expected, |n| rows.expected.min(n as f64));
        // The rows of a sort are cut where they are read; others have to be counted first, and so are kept.
        if let [(Source::Table { skip: 0, fetch: inner, .. }, steps)] = rows.branches.as_slice()
            && rows.ordered
            && steps.iter().all(|step| matches!(step, Step::Project(_)))
        {
            let inner = inner.map(|n| n.saturating_sub(skip));
            let wanted = [fetch, inner].into_iter().flatten().min();
            let mut rows = rows.clone();
            if let Source::Table { skip: from, fetch: count, .. } = &mut rows.branches[0].0 {
                (*from, *count) = (skip, wanted);
            }
            return Rows { expected, ..rows };
        }
        let table = self.keep(rows, None);
        let source = Source::Table { table, marked: None, order: None, skip, fetch };
        Rows { branches: vec![(source, Vec::new())], fields, expected, base, ordered }
    }

    fn union(&mut self, plan: &LogicalPlan, inputs: &[Arc<LogicalPlan>]) -> Rows {
        let mut fields = self.fields(plan, plan.schema());
        let inputs: Vec<Rows> = inputs.iter().map(|input| self.rows(input)).collect();
        for input in &inputs {
            for (field, of_input) in fields.iter_mut().zip(&input.fields) {
                field.nullable |= of_input.nullable;
                if field.data_type != of_input.data_type {
                    let why = format!("UNION of {} and {}", field.data_type, of_input.data_type);
                    self.refuse(plan, why);
                }
            }
        }
        let (expected, base) =
            inputs.iter().fold((0.0, 0.0), |(e, b), rows| (e + rows.expected, b + rows.base));
        let branches = inputs.into_iter().flat_map(|rows| rows.branches).collect();
        Rows { branches, fields, expected, base, ordered: false }
    }

    /// Fills a table with a subquery's row; its number and its column.
    pub(super) fn scalar_subquery(&mut self, plan: &LogicalPlan) -> Result<(usize, Field), String> {
        let rows = self.rows(plan);
        let Some(field) = rows.fields.first().cloned() else {
            return Err("a subquery without columns".to_owned());
        };
        Ok((self.keep(rows, None), field))
    }
}

/// All columns as they are.
pub(super) fn identity(fields: &[Field]) -> Vec<(Field, Expr)> {
    let column = |(index, field): (usize, &Field)| (field.clone(), column(index, field));
    fields.iter().enumerate().map(column).collect()
}

/// A column of a row.
pub(super) fn column(index: usize, field: &Field) -> Expr {
    Expr {
        kind: Kind::Column(index),
        data_type: field.data_type.clone(),
        scalar: field.scalar,
        nullable: field.nullable,
    }
}

/// A column for a computed value.
pub(super) fn named(name: &str, value: &Expr) -> Field {
    Field {
        name: name.to_owned(),
        data_type: value.data_type.clone(),
        scalar: value.scalar,
        nullable: value.nullable,
    }
}
