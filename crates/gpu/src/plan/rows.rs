//! Rows of a part of the plan that are not yet in a table, and estimates of their number.

use datafusion::common::{Column, DFSchema};
use pelton_query::PeltonTable;

use crate::ir::{Comparison, Expr, Field, Kind, Scalar, Source, Step};

/// Rows from one or several sources, all with the same columns.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Each is a pipeline without an end.
    pub branches: Vec<(Source, Vec<Step>)>,
    /// The columns, in the order of the plan's schema.
    pub fields: Vec<Field>,
    /// Expected number of rows.
    pub expected: f64,
    /// Rows of the largest scan behind them, without filters: `expected / base` is the remaining
    /// part.
    pub base: f64,
    /// They are sorted.
    pub ordered: bool,
}

impl Rows {
    /// Appends a step to every branch.
    pub fn push(&mut self, step: &Step) {
        for (_, steps) in &mut self.branches {
            steps.push(step.clone());
        }
    }

    /// Returns the remaining part of the base.
    pub fn share(&self) -> f64 {
        (self.expected / self.base.max(1.0)).min(1.0)
    }
}

/// Names and types of the columns of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    /// Their names.
    pub schema: &'a DFSchema,
    /// Their types, in the schema's order. Nullability comes from here: an outer join's schema and
    /// its rows agree, but a projection's rows may be known to have no nulls.
    pub fields: &'a [Field],
}

/// Returns the columns of a schema.
///
/// # Errors
/// One has a type that the GPU does not support.
pub(super) fn fields(schema: &DFSchema) -> Result<Vec<Field>, String> {
    let fields = schema.iter().map(|(_, field)| {
        let name = field.name().clone();
        let scalar = Scalar::of(field.data_type()).map_err(|why| format!("column {name}: {why}"))?;
        Ok(Field { name, data_type: field.data_type().clone(), scalar, nullable: field.is_nullable() })
    });
    fields.collect()
}

/// Returns the number of a column in a schema.
///
/// # Errors
/// It is not there, which is an internal error.
pub(super) fn position(schema: &DFSchema, column: &Column) -> Result<usize, String> {
    schema.index_of_column(column).map_err(|error| format!("internal error: {error}"))
}

/// Shares of rows that pass conditions on unknown values: the guesses of System R (Selinger and
/// others, Access path selection in a relational database management system, 1979) for equality,
/// ranges and the rest.
const EQUAL_SHARE: f64 = 0.1;
const RANGE_SHARE: f64 = 0.33;
const OTHER_SHARE: f64 = 0.25;

/// Rows of a group without other knowledge: most keys repeat a little.
const ROWS_PER_GROUP: f64 = 2.0;

/// Returns the rows of a table's files.
pub(super) fn table_rows(table: &PeltonTable) -> f64 {
    let rows = |file: &pelton_pages::ParquetFile| file.metadata().file_metadata().num_rows().max(0) as f64;
    table.files().files.iter().map(|file| rows(&file.file)).sum()
}

/// Returns the part of the rows for which a condition holds.
pub(super) fn expected_share(condition: &Expr) -> f64 {
    match &condition.kind {
        Kind::And(a, b) => expected_share(a) * expected_share(b),
        Kind::Or(a, b) => (expected_share(a) + expected_share(b)).min(1.0),
        Kind::Not(a) => 1.0 - expected_share(a),
        Kind::Compare(Comparison::Equal | Comparison::NotDistinct, ..) => EQUAL_SHARE,
        Kind::Compare(Comparison::NotEqual | Comparison::Distinct, ..) => 1.0 - EQUAL_SHARE,
        Kind::Compare(..) => RANGE_SHARE,
        Kind::InList { list, .. } => (EQUAL_SHARE * list.len() as f64).min(0.5),
        Kind::Like(..) | Kind::StartsWith(..) | Kind::EndsWith(..) | Kind::Contains(..) => EQUAL_SHARE,
        _ => OTHER_SHARE,
    }
}

/// Returns the expected number of groups.
pub(super) fn expected_groups(rows: f64, keys: usize) -> f64 {
    if keys == 0 { 1.0 } else { (rows / ROWS_PER_GROUP).max(1.0) }
}
