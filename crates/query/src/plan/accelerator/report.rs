//! Texts about the work of an accelerator: rows of EXPLAIN, and notes for the user of a query.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::error::Result as DataFusionResult;
use parking_lot::Mutex;

use crate::plan::accelerator::Rewritten;

/// Returns the subtrees and pipelines that the accelerator runs, and the reasons for the rest.
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

/// Returns a row of EXPLAIN.
pub(super) fn row(schema: &SchemaRef, title: &str, text: &str) -> DataFusionResult<RecordBatch> {
    let cells = [title, text].map(|cell| Arc::new(StringArray::from(vec![cell])) as ArrayRef);
    Ok(RecordBatch::try_new(schema.clone(), cells.to_vec())?)
}

/// Joins the lines of a foreign message.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Sentences for the user, each once. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Notes {
    /// Adds a sentence unless it is present.
    pub(super) fn add(&self, line: String) {
        let mut lines = self.lines.lock();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }

    /// Returns the sentences so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }

    /// Returns the sentences of several, each once, in alphabetical order.
    pub fn united(all: &[Notes]) -> Vec<String> {
        let lines: BTreeSet<String> = all.iter().flat_map(Notes::lines).collect();
        lines.into_iter().collect()
    }
}
