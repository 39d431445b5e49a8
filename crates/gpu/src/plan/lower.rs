//! Lowering of logical plans to pipelines, node by node.

use datafusion::common::DFSchema;
use datafusion::logical_expr::{Distinct, Expr as Logical, FetchType, LogicalPlan, SkipType};
use pelton_query::plan::Reason;

use super::rows::{Rows, Scope, expected_share, fields};
use super::types;
use crate::ir::{Expr, Field, Fill, Into, Kind, Operation, Pipeline, Query, Scalar, Step, Table};

/// Returns the query for a plan, or all reasons against it. With `any_order`, rows that are not
/// sorted may come in any order.
///
/// # Errors
/// Parts of the plan are not supported on the GPU, with the reasons.
pub fn lower(plan: &LogicalPlan, any_order: bool) -> Result<Query, Vec<Reason>> {
    let mut lowering = Lowering { any_order, ..Lowering::default() };
    if !any_order && is_in_file_order(plan) {
        lowering.note_unsupported(plan, FILE_ORDER.to_owned());
    }
    let rows = lowering.rows(plan);
    lowering.query.output = lowering.keep(rows, None);
    if lowering.query.scans.is_empty() && lowering.reasons.is_empty() {
        lowering.note_unsupported(plan, "it reads no table".to_owned());
    }
    if lowering.reasons.is_empty() { Ok(lowering.query) } else { Err(lowering.reasons) }
}

/// A query in the making. Unsupported parts are noted and replaced by something of the right shape,
/// so that all reasons are found at once.
pub(super) struct Lowering {
    pub query: Query,
    pub reasons: Vec<Reason>,
    /// Whether rows that are not sorted may come in any order.
    pub any_order: bool,
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
        Self { query, reasons: Vec::new(), any_order: false }
    }
}

impl Lowering {
    /// Notes the reason why a node is not supported.
    pub(super) fn note_unsupported(&mut self, plan: &LogicalPlan, why: String) {
        let at = plan.display().to_string();
        if !self.reasons.iter().any(|reason| reason.at == at && reason.why == why) {
            self.reasons.push(Reason { at, why });
        }
    }

    /// Returns an expression of a node; notes an unsupported one.
    pub(super) fn of(&mut self, plan: &LogicalPlan, expr: &Logical, scope: Scope<'_>) -> Expr {
        self.expression(expr, scope).unwrap_or_else(|why| {
            self.note_unsupported(plan, why);
            Expr::boolean(Kind::Null, true)
        })
    }

    /// Returns the columns of a node's schema; notes unsupported ones.
    pub(super) fn fields(&mut self, plan: &LogicalPlan, schema: &DFSchema) -> Vec<Field> {
        fields(schema).unwrap_or_else(|why| {
            self.note_unsupported(plan, why);
            let field = |name: &String| Field {
                name: name.clone(),
                data_type: arrow::datatypes::DataType::Boolean,
                scalar: Scalar::Bool,
                nullable: true,
            };
            schema.fields().iter().map(|f| field(f.name())).collect()
        })
    }

    /// Returns the rows of a node.
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
                    self.note_unsupported(plan, "LIMIT that is no constant is not supported".to_owned());
                    return self.rows(&limit.input);
                };
                if !self.any_order && is_in_file_order(&limit.input) {
                    self.note_unsupported(plan, FILE_ORDER.to_owned());
                }
                self.limit(&limit.input, skip, fetch)
            }
            LogicalPlan::Union(union) => self.union(plan, &union.inputs),
            other => {
                let what = other.display().to_string();
                let what = what.split([':', ' ']).next().unwrap_or_default().to_owned();
                self.note_unsupported(plan, format!("{what} is not supported"));
                for input in other.inputs() {
                    self.rows(input);
                }
                let fields = self.fields(plan, plan.schema());
                Rows { branches: Vec::new(), fields, expected: 1.0, base: 1.0, ordered: false }
            }
        }
    }

    /// Projects rows to other columns.
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
            let value = types::same_type(value.clone(), &field.data_type).unwrap_or(value);
            field.nullable = value.nullable;
            (field, value)
        });
        let columns: Vec<(Field, Expr)> = columns.collect();
        rows.fields = columns.iter().map(|(field, _)| field.clone()).collect();
        rows.push(&Step::Project(columns));
        rows
    }

    /// Filters rows, with a step for each conjunct, so that later columns are read for fewer rows.
    pub(super) fn filter(&mut self, rows: &mut Rows, condition: Expr) {
        match condition.kind {
            Kind::And(a, b) => {
                self.filter(rows, *a);
                self.filter(rows, *b);
            }
            _ => {
                rows.expected = (rows.expected * expected_share(&condition)).max(1.0);
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

    /// Fills a table with a subquery's row; returns the table's number and its column.
    pub(super) fn scalar_subquery(&mut self, plan: &LogicalPlan) -> Result<(usize, Field), String> {
        let rows = self.rows(plan);
        let Some(field) = rows.fields.first().cloned() else {
            return Err("a subquery without columns".to_owned());
        };
        Ok((self.keep(rows, None), field))
    }
}

/// Returns all columns, unchanged.
pub(super) fn identity(fields: &[Field]) -> Vec<(Field, Expr)> {
    let column = |(index, field): (usize, &Field)| (field.clone(), column(index, field));
    fields.iter().enumerate().map(column).collect()
}

/// Returns a column of a row.
pub(super) fn column(index: usize, field: &Field) -> Expr {
    Expr {
        kind: Kind::Column(index),
        data_type: field.data_type.clone(),
        scalar: field.scalar,
        nullable: field.nullable,
    }
}

/// Returns a column for a computed value.
pub(super) fn named(name: &str, value: &Expr) -> Field {
    Field {
        name: name.to_owned(),
        data_type: value.data_type.clone(),
        scalar: value.scalar,
        nullable: value.nullable,
    }
}

/// Reason for the CPU to run a part that must return rows in the files' order: the kernels' threads
/// write rows to the first free place.
const FILE_ORDER: &str =
    "its rows keep the order of the files, which a GPU's pipelines do not; --any-order gives it up";

/// Returns whether the rows of a plan come in the order of files: no sort, join or aggregate stands
/// between them. The CPU's rule for the same plans is `KeepRowOrder` of the query engine.
fn is_in_file_order(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(projection) => is_in_file_order(&projection.input),
        LogicalPlan::Filter(filter) => is_in_file_order(&filter.input),
        LogicalPlan::SubqueryAlias(alias) => is_in_file_order(&alias.input),
        LogicalPlan::Limit(limit) => is_in_file_order(&limit.input),
        LogicalPlan::Union(union) => union.inputs.iter().any(|input| is_in_file_order(input)),
        _ => false,
    }
}
