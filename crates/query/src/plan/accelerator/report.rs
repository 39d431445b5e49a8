//! What EXPLAIN says of an accelerator.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::error::Result as DataFusionResult;

use crate::plan::accelerator::Rewritten;

/// Which subtrees it runs, as which pipelines, and every reason for what it does not run.
pub(super) fn report(rewritten: &Rewritten) -> String {
    let mut text = String::new();
    for node in &rewritten.nodes {
        text += &format!("{}\n", node.title);
        for line in node.text.lines() {
            text += &format!("  {line}\n");
        }
    }
    if rewritten.nodes.is_empty() {
        text += "nothing of this plan\n";
    }
    if !rewritten.reasons.is_empty() {
        text += "on the CPU:\n";
    }
    for reason in &rewritten.reasons {
        text += &format!("  {}: {}\n", reason.at, reason.why);
    }
    text
}

/// A row of EXPLAIN.
pub(super) fn row(schema: &SchemaRef, title: &str, text: &str) -> DataFusionResult<RecordBatch> {
    let cells = [title, text].map(|cell| Arc::new(StringArray::from(vec![cell])) as ArrayRef);
    Ok(RecordBatch::try_new(schema.clone(), cells.to_vec())?)
}

/// Messages of others may span lines; ours are one.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
