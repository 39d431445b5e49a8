//! EXPLAIN of queries, and of statements that have an effect.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::record_batch::RecordBatch;
use datafusion::common::format::ExplainFormat;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::analyze::AnalyzeExecBuilder;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::sql::parser::{ExplainStatement, Statement};
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;

use super::{RowsExec, keyword, offset, parsed};
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::session::Session;
use crate::plan::sql;

/// Returns the text of EXPLAIN with the planner's name for JSON.
pub(super) fn with_formats<'a>(text: &'a str, tokens: &[TokenWithSpan]) -> Cow<'a, str> {
    // a query's own words come after these
    let is_option = |word: &str| ["EXPLAIN", "ANALYZE", "VERBOSE", "FORMAT"].contains(&word);
    let before = |at: usize| keyword(at.checked_sub(1).and_then(|at| tokens.get(at)));
    for (at, token) in tokens.iter().enumerate() {
        match keyword(Some(token)).as_deref() {
            Some("JSON") if before(at).as_deref() == Some("FORMAT") => {
                let start = offset(text, token);
                return Cow::Owned(format!("{}pgjson{}", &text[..start], &text[start + "JSON".len()..]));
            }
            Some(word) if !is_option(word) => break,
            _ => {}
        }
    }
    Cow::Borrowed(text)
}

/// Plans EXPLAIN. The statement below it takes effect with ANALYZE alone.
///
/// # Errors
/// The statement can't be planned.
pub(super) async fn plan(session: &Session, text: &str, explain: ExplainStatement) -> Result<Plan> {
    if is_query(&explain.statement) {
        let explain = Statement::Explain(explain);
        let logical = sql::plan(&session.context.state(), text, explain).await?;
        return session.plan(&logical).await;
    }
    let ExplainStatement { options, statement } = explain;
    if matches!(*statement, Statement::Explain(_)) {
        return Err(Error::Query("EXPLAIN of an EXPLAIN is not supported: write it once".to_owned()));
    }
    if options.format.as_ref().is_some_and(|format| *format != ExplainFormat::Indent) {
        return Err(Error::Query(
            "EXPLAIN of a statement that is no query has no other format: leave FORMAT out".to_owned(),
        ));
    }
    let plan = parsed(session, text, *statement).await?;
    let schema = LogicalPlan::explain_schema();
    if options.analyze {
        let explained = AnalyzeExecBuilder::new(options.verbose, false, plan, schema).build();
        return Ok(Arc::new(explained));
    }
    let shown = DisplayableExecutionPlan::new(plan.as_ref()).indent(options.verbose).to_string();
    let columns: Vec<ArrayRef> = [vec!["physical_plan".to_owned()], vec![shown]]
        .map(|text| Arc::new(StringArray::from(text)) as _)
        .into();
    let rows = RecordBatch::try_new(schema, columns).map_err(|e| Error::Internal(e.to_string()))?;
    Ok(Arc::new(RowsExec::of("EXPLAIN", rows)))
}

fn is_query(statement: &Statement) -> bool {
    matches!(statement, Statement::Statement(statement) if matches!(**statement, SqlStatement::Query(_)))
}
