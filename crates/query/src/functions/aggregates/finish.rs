//! Aggregates with DataFusion's state and a final value of our own.

use std::fmt;

use arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};

/// Computes values from states.
pub(in crate::functions) trait Finish: fmt::Debug + Send + Sync + 'static {
    /// Returns the value of each row of a state.
    ///
    /// # Errors
    /// A value does not fit its type, or the columns are no state of the aggregate.
    fn finish(&self, state: &[ArrayRef]) -> Result<ArrayRef>;
}

/// Accumulator of one group or frame.
#[derive(Debug)]
pub(in crate::functions) struct Finished<F> {
    pub inner: Box<dyn Accumulator>,
    pub finish: F,
    /// True if reading the state empties the accumulator.
    pub drains: bool,
}

impl<F: Finish> Accumulator for Finished<F> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(values)
    }

    /// Merges one state at a time: DataFusion's `percentile_cont` reads only the first of a batch.
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let count = states.first().map_or(0, |states| states.len());
        (0..count).try_for_each(|at| {
            let one: Vec<ArrayRef> = states.iter().map(|states| states.slice(at, 1)).collect();
            self.inner.merge_batch(&one)
        })
    }

    /// More rows may follow, so that the state is put back.
    fn evaluate(&mut self) -> Result<ScalarValue> {
        let state = self.inner.state()?.iter().map(ScalarValue::to_array).collect::<Result<Vec<_>>>()?;
        if self.drains {
            self.inner.merge_batch(&state)?;
        }
        ScalarValue::try_from_array(&self.finish.finish(&state)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

/// Accumulator of groups.
pub(in crate::functions) struct FinishedGroups<F> {
    pub inner: Box<dyn GroupsAccumulator>,
    pub finish: F,
}

impl<F: Finish> GroupsAccumulator for FinishedGroups<F> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.inner.update_batch(values, groups, filter, count)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        self.finish.finish(&self.inner.state(emit_to)?)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.inner.state(emit_to)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.inner.merge_batch(states, groups, count)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.inner.convert_to_state(values, filter)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }
}
