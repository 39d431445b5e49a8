//! Result of a plan: its columns, and fields in them, by the names of the root.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use datafusion_substrait::logical_plan::consumer::{SubstraitConsumer, rename_field};
use substrait::proto::PlanRel;
use substrait::proto::plan_rel::RelType;

use super::context::Consumer;
use super::field_names::with_field_names;

/// Plans the relation of a plan.
///
/// # Errors
/// The relation does not plan, or the names are not as many as its columns and fields.
pub(in crate::plan::substrait) async fn plan(
    consumer: &Consumer<'_>,
    relation: &PlanRel,
) -> Result<LogicalPlan> {
    match &relation.rel_type {
        Some(RelType::Rel(rel)) => consumer.consume_rel(rel).await,
        Some(RelType::Root(root)) => {
            let Some(input) = &root.input else { return plan_err!("the root of the plan has no input") };
            let plan = consumer.consume_rel(input).await?;
            // plans of older versions have none
            if root.names.is_empty() { Ok(plan) } else { named(plan, &root.names) }
        }
        None => plan_err!("the plan has no relation"),
    }
}

fn named(plan: LogicalPlan, names: &Vec<String>) -> Result<LogicalPlan> {
    let mut used = 0;
    let mut fields: Vec<Field> = Vec::new();
    for (at, field) in plan.schema().fields().iter().enumerate() {
        if used >= names.len() {
            return plan_err!("the plan has more columns than names: {}", names.len());
        }
        fields.push(rename_field(field, names, at, &mut used)?);
    }
    if used != names.len() {
        return plan_err!("the plan has {} names for {used} columns and fields of them", names.len());
    }
    let mut times: HashMap<&str, usize> = HashMap::new();
    fields.iter().for_each(|field| *times.entry(field.name()).or_default() += 1);
    let is_done = plan
        .schema()
        .fields()
        .iter()
        .zip(&fields)
        .all(|(old, new)| old.name() == new.name() && old.data_type() == new.data_type());
    if is_done {
        return Ok(plan);
    }
    let columns = plan.schema().columns().into_iter().zip(plan.schema().fields()).zip(&fields).enumerate();
    let columns = columns.map(|(at, ((column, old), new))| {
        let is_same = column.name() == new.name();
        let is_retyped = old.data_type() != new.data_type();
        let mut value = Expr::Column(column);
        if is_retyped {
            value = with_field_names(value, new.data_type());
        }
        // a table distinguishes a column from others of its name
        match times.get(new.name().as_str()) {
            Some(2..) => {
                let table = TableReference::bare(format!("column {}", at + 1));
                value.alias_qualified(Some(table), new.name())
            }
            _ if is_same && !is_retyped => value,
            _ => value.alias(new.name()),
        }
    });
    let columns: Vec<Expr> = columns.collect();
    Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(plan))?))
}
