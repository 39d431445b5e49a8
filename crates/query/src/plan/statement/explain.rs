//! EXPLAIN of queries, and of statements that have an effect.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::record_batch::RecordBatch;
use datafusion::common::format::{ExplainFormat, ExplainStatementOptions};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::analyze::AnalyzeExecBuilder;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::sql::parser::{ExplainStatement, Statement};
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;

use super::tokens::{keyword, replaced};
use crate::error::{Error, Result, plan_in_sql};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::plan::sql;

/// Formats of plans.
const FORMATS: [&str; 5] = ["INDENT", "JSON", "PGJSON", "TREE", "GRAPHVIZ"];

/// Returns the text of EXPLAIN with the planner's name for JSON.
///
/// # Errors
/// There is no such format.
pub(super) fn with_formats<'a>(text: &'a str, tokens: &[TokenWithSpan]) -> Result<Cow<'a, str>> {
    // a query's own words come after these
    let is_option = |word: &str| ["EXPLAIN", "ANALYZE", "VERBOSE", "FORMAT"].contains(&word);
    let before = |at: usize| keyword(at.checked_sub(1).and_then(|at| tokens.get(at)));
    for (at, token) in tokens.iter().enumerate() {
        match keyword(Some(token)).as_deref() {
            Some("JSON") if before(at).as_deref() == Some("FORMAT") => {
                return Ok(Cow::Owned(replaced(text, token, "pgjson")));
            }
            Some(word) if before(at).as_deref() == Some("FORMAT") && !FORMATS.contains(&word) => {
                let named = token.token.to_string();
                return Err(Error::Query(format!(
                    "EXPLAIN has no format {named}: write FORMAT json, tree, indent or graphviz"
                )));
            }
            Some(word) if !is_option(word) => break,
            _ => {}
        }
    }
    Ok(Cow::Borrowed(text))
}

/// Returns whether the statement below EXPLAIN is a query.
pub(super) fn is_query(explained: &ExplainStatement) -> bool {
    match explained.statement.as_ref() {
        Statement::Statement(statement) => matches!(**statement, SqlStatement::Query(_)),
        _ => false,
    }
}

/// Plans EXPLAIN of a query.
///
/// # Errors
/// The query can't be planned.
pub(super) async fn query(session: &Session, text: &str, explained: ExplainStatement) -> Result<Plan> {
    let logical = sql::plan(&session.context.state(), text, Statement::Explain(explained)).await?;
    Ok(shown_in_sql(session.plan(&logical).await?))
}

/// Returns the plan of an EXPLAIN whose texts have SQL's constants and types.
fn shown_in_sql(plan: Plan) -> Plan {
    Arc::new(RowsExec::each("EXPLAIN", plan, |rows| {
        let columns = rows.columns().iter().map(|column| match column.as_string_opt::<i32>() {
            Some(texts) => {
                let texts = texts.iter().map(|text| text.map(in_sql));
                Arc::new(texts.collect::<StringArray>()) as ArrayRef
            }
            None => column.clone(),
        });
        Ok(RecordBatch::try_new(rows.schema(), columns.collect())?)
    }))
}

/// Returns the text of a plan in any format with SQL's constants and types.
fn in_sql(plan: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(plan) {
        Ok(mut tree) if tree.is_array() || tree.is_object() => {
            each_text(&mut tree, &mut |text| *text = plan_in_sql(text));
            serde_json::to_string_pretty(&tree).unwrap_or_else(|_| plan.to_owned())
        }
        _ => plan_in_sql(plan),
    }
}

/// Calls a function for each text of a tree.
fn each_text(tree: &mut serde_json::Value, call: &mut impl FnMut(&mut String)) {
    match tree {
        serde_json::Value::String(text) => call(text),
        serde_json::Value::Array(parts) => parts.iter_mut().for_each(|part| each_text(part, call)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|part| each_text(part, call)),
        _ => {}
    }
}

/// Returns the options of EXPLAIN for a statement that is no query.
///
/// # Errors
/// It has no plan in this format.
pub(super) fn options(explained: &ExplainStatement) -> Result<ExplainStatementOptions> {
    if matches!(*explained.statement, Statement::Explain(_)) {
        return Err(Error::Query("EXPLAIN of an EXPLAIN is not supported: write it once".to_owned()));
    }
    match explained.options.format {
        None | Some(ExplainFormat::Indent) => Ok(explained.options.clone()),
        _ => Err(Error::Query(
            "EXPLAIN of a statement that is no query has one format: leave FORMAT out".to_owned(),
        )),
    }
}

/// Returns the text of a statement's plan. The statement takes effect with ANALYZE alone.
///
/// # Errors
/// A fault of Pelton's.
pub(super) fn effect(options: &ExplainStatementOptions, plan: Plan) -> Result<Plan> {
    let schema = LogicalPlan::explain_schema();
    if options.analyze {
        return Ok(shown_in_sql(Arc::new(
            AnalyzeExecBuilder::new(options.verbose, false, plan, schema).build(),
        )));
    }
    let shown = DisplayableExecutionPlan::new(plan.as_ref()).indent(options.verbose).to_string();
    let columns = ["physical_plan".to_owned(), plan_in_sql(&shown)];
    let columns = columns.map(|text| Arc::new(StringArray::from(vec![text])) as ArrayRef);
    let rows = RecordBatch::try_new(schema, columns.to_vec());
    Ok(Arc::new(RowsExec::of("EXPLAIN", rows.map_err(|e| Error::Internal(e.to_string()))?)))
}
