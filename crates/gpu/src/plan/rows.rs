//! Rows that a part of the plan gives, still on their way through pipelines.

use datafusion::common::{Column, DFSchema};

use crate::ir::{Field, Scalar, Source, Step};

/// Rows from one or several sources, all with the same columns.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Each is a pipeline without an end.
    pub branches: Vec<(Source, Vec<Step>)>,
    /// The columns, in the order of the plan's schema.
    pub fields: Vec<Field>,
    /// Rows that are expected.
    pub expected: f64,
    /// Rows that the largest scan behind them has, filters aside: `expected / base` is the part
    /// that is left.
    pub base: f64,
    /// They come in an order that was asked for.
    pub ordered: bool,
}

impl Rows {
    /// Appends a step to every branch.
    pub fn push(&mut self, step: &Step) {
        for (_, steps) in &mut self.branches {
            steps.push(step.clone());
        }
    }

    /// The part of its base that is left.
    pub fn share(&self) -> f64 {
        (self.expected / self.base.max(1.0)).min(1.0)
    }
}

/// What the columns of an expression mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    /// By which names they go.
    pub schema: &'a DFSchema,
    /// What they are, in the schema's order. Whether one can be null is told here: an outer join's
    /// schema and its rows agree, but a projection's rows may know better.
    pub fields: &'a [Field],
}

/// The columns of a schema.
///
/// # Errors
/// One has a type that the GPU has not.
pub(super) fn fields(schema: &DFSchema) -> Result<Vec<Field>, String> {
    let fields = schema.iter().map(|(_, field)| {
        let name = field.name().clone();
        let scalar = Scalar::of(field.data_type()).map_err(|why| format!("column {name}: {why}"))?;
        Ok(Field { name, data_type: field.data_type().clone(), scalar, nullable: field.is_nullable() })
    });
    fields.collect()
}

/// The number of a column in a schema.
///
/// # Errors
/// It is not there, which would be an error of ours.
pub(super) fn position(schema: &DFSchema, column: &Column) -> Result<usize, String> {
    schema.index_of_column(column).map_err(|error| format!("internal error: {error}"))
}
