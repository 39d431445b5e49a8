//! What a user should know of a query beside its rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use parking_lot::Mutex;

use super::exec::AcceleratedExec;

/// Sentences for the user, each once. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Notes {
    /// Adds a sentence, if it is not there yet.
    pub(super) fn add(&self, line: String) {
        let mut lines = self.lines.lock();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }

    /// The sentences until now.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }

    /// The sentences of several, each once, in alphabetical order.
    pub fn united(all: &[Notes]) -> Vec<String> {
        let lines: BTreeSet<String> = all.iter().flat_map(Notes::lines).collect();
        lines.into_iter().collect()
    }
}

/// The notes of all parts of a plan that an accelerator runs. They are filled as it runs.
pub fn notes(plan: &Arc<dyn ExecutionPlan>) -> Vec<Notes> {
    let mut found: Vec<Notes> = plan.children().into_iter().flat_map(notes).collect();
    found.extend(plan.downcast_ref::<AcceleratedExec>().map(|exec| exec.notes().clone()));
    found
}
