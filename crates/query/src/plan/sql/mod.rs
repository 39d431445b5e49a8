//! Planning of SQL text to a logical plan.

mod clauses;
mod expressions;
mod literals;
mod macros;
mod mentions;
mod names;
mod parse;
mod syntax;
mod times;
mod types;
mod walk;

use std::collections::HashSet;

use datafusion::common::SchemaError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;

use crate::error::{OtherName, wrap};
use crate::tree::PlanTree;
pub(super) use clauses::file_calls::is_file_function;
pub(super) use clauses::joins::asof_columns;
pub(super) use clauses::samples::sampled_tables;
use clauses::{
    expression_names, file_calls, item_names, joins, nested_sets,
    order_by::{keys, ordinals},
    percent_limits, samples, signed_places, sorted_aggregates, windows,
};
pub(super) use expressions::IS_DISTINCT;
use expressions::{
    any_elements, operator_calls, precedence, refusals, regex_replacements, row_values, short_forms,
    signed_counts,
};
pub(super) use mentions::mentioned;
use names::{
    Renamed, captures, casts, column_names, lateral_aliases, pivots, series_columns, stars, unique_names,
    using_joins,
};
pub(super) use parse::{parse, parse_behind};
pub(super) use types::{TimeTypes, ZONE, arrow_type};
pub(super) use walk::WalkMut;

/// Names of a statement's results that are written out where the statement uses them.
const MAX_ALIASES: usize = 100;

/// Plans a statement that was parsed from a text.
///
/// DataFusion requires unique names for the columns of every SELECT. A statement that it refuses
/// for that is planned again with unique names, and the columns of the result get their titles
/// back.
///
/// # Errors
/// The statement names a missing object, or can't be planned.
pub(super) async fn plan(state: &SessionState, sql: &str, statement: Statement) -> Result<LogicalPlan> {
    mentions::apart(plan_apart(state, sql, statement)).await
}

async fn plan_apart(state: &SessionState, sql: &str, mut statement: Statement) -> Result<LogicalPlan> {
    if let Some(statement) = syntax::sql_statement(&mut statement) {
        file_calls::name(statement).map_err(wrap)?;
        signed_places::hide(state, statement);
        write_out(state, statement).await?;
    }
    literals::type_literals(&mut statement).map_err(wrap)?;
    times::prepare(&mut statement).map_err(wrap)?;
    if let Some(statement) = syntax::sql_statement(&mut statement) {
        operator_calls::bind(statement).map_err(wrap)?;
        precedence::bind_distinct_from(statement);
        precedence::bind_exists(statement);
        row_values::compare(statement);
        row_values::pack(statement);
        any_elements::write_out(statement);
        signed_counts::sign(statement);
        regex_replacements::escape(statement);
        ordinals::write_out(statement);
        sorted_aggregates::sort_lists(statement);
        nested_sets::expand(statement);
        windows::write_out(statement)?;
        using_joins::write_out(state, statement, false).await?;
        precedence::as_operators(statement);
    }
    let mut first = mentions::planned(state, &mut statement).await;
    if first.as_ref().is_err_and(is_ambiguous)
        && let Some(sql) = syntax::sql_statement(&mut statement)
    {
        using_joins::write_out(state, sql, true).await?;
        first = mentions::planned(state, &mut statement).await;
    }
    // each round writes one name out, and a name does not come back
    for _ in 0..MAX_ALIASES {
        let Some(name) = first.as_ref().err().and_then(lateral_aliases::missing) else { break };
        let Some(sql) = syntax::sql_statement(&mut statement) else { break };
        if !series_columns::name(sql, &name) && !lateral_aliases::write_out(state, sql, &name).await {
            break;
        }
        first = mentions::planned(state, &mut statement).await;
    }
    if let Ok(plan) = &first {
        captures::refuse(&statement, plan)?;
    }
    let is_done = match &first {
        Ok(plan) => !has_equal_names(plan)? && !unique_names::hides_columns(&statement),
        Err(error) => !is_of_equal_names(error),
    };
    if is_done {
        return column_names::restore(first?, &Renamed::default());
    }
    let mut renamed = Renamed::new(sql);
    renamed.in_statement(state, &mut statement).await;
    let mut second = mentions::planned(state, &mut statement).await;
    let has_failed = match &second {
        Ok(plan) => has_equal_names(plan)?,
        Err(error) => is_of_equal_names(error),
    };
    if has_failed {
        casts::show(&mut statement);
        second = mentions::planned(state, &mut statement).await;
    }
    match second {
        Ok(plan) => column_names::restore(plan, &renamed),
        // the first error refers to the original statement
        Err(_) => column_names::restore(first?, &Renamed::default()),
    }
}

/// Writes the forms out that DataFusion's planner has not, in those that it has.
///
/// # Errors
/// A form is used where it has no meaning, or the columns that it stands for can't be told.
async fn write_out(state: &SessionState, statement: &mut SqlStatement) -> Result<()> {
    refusals::check(statement).map_err(wrap)?;
    item_names::write_behind(statement).map_err(wrap)?;
    expression_names::write_out(statement);
    short_forms::write_out(statement);
    macros::expand(statement, &|name| is_function(state, name)).map_err(wrap)?;
    samples::write_out(statement);
    joins::nest(statement);
    pivots::write_out(state, statement).await?;
    stars::expand(state, statement).await?;
    // of the columns that COLUMNS stands for
    expression_names::write_out(statement);
    keys::refer(statement, &|name| state.aggregate_functions().contains_key(name)).map_err(wrap)?;
    percent_limits::write_out(statement).map_err(wrap)
}

fn is_function(state: &SessionState, name: &str) -> bool {
    state.scalar_functions().contains_key(name)
        || state.higher_order_functions().contains_key(name)
        || state.aggregate_functions().contains_key(name)
        || state.window_functions().contains_key(name)
}

/// Returns the names that a statement may have for a function: its other names, and the macros that
/// call it.
pub(super) fn names_of_function(state: &SessionState, name: &str) -> Vec<OtherName> {
    let scalar = state.scalar_functions().get(name).map(|found| found.aliases().to_vec());
    let aggregate = || state.aggregate_functions().get(name).map(|found| found.aliases().to_vec());
    let window = || state.window_functions().get(name).map(|found| found.aliases().to_vec());
    let aliases = scalar.or_else(aggregate).or_else(window).unwrap_or_default();
    // a macro's call has other arguments than the statement's
    let mut names = macros::callers(name);
    names.extend(aliases.into_iter().map(|name| OtherName { name, forms: String::new() }));
    names
}

/// Returns whether DataFusion numbered a column of the result because of an equal name, or takes
/// two columns of an aggregate for one.
fn has_equal_names(plan: &LogicalPlan) -> Result<bool> {
    let mut found = plan.schema().fields().iter().any(|field| is_numbered(field.name()));
    plan.apply_to_all(|node| {
        if let LogicalPlan::Aggregate(aggregate) = node {
            let columns = aggregate.group_expr.iter().chain(&aggregate.aggr_expr);
            let mut names = HashSet::new();
            found |= !columns.into_iter().all(|column| names.insert(column.schema_name().to_string()));
        }
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(found)
}

fn is_ambiguous(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => matches!(**error, SchemaError::AmbiguousReference { .. }),
        _ => false,
    }
}

/// Returns whether an error reports two columns of one name, or a missing column that may have been
/// one of two.
fn is_of_equal_names(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::AmbiguousReference { .. }
            | SchemaError::DuplicateQualifiedField { .. }
            | SchemaError::DuplicateUnqualifiedField { .. } => true,
            SchemaError::FieldNotFound { valid_fields, .. } => {
                valid_fields.iter().any(|field| is_numbered(&field.name))
            }
        },
        DataFusionError::Plan(message) => message.contains("require unique expression names"),
        _ => false,
    }
}

/// Returns whether a name such as `x:1` is DataFusion's, for the second `x` of a subquery.
fn is_numbered(name: &str) -> bool {
    let number = name.rsplit_once(':').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
