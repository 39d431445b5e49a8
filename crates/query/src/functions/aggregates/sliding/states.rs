//! Aggregates without an inverse over a moving frame.
//!
//! The frame is a queue of two stacks: the front has a state for each row, from that row to the end
//! of the front; the back has the later rows and one state of them all. The value merges both
//! states, so that a row costs a few merges for any width of the frame.

use arrow::array::ArrayRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::Call;
use crate::error::{Error, wrap};

type State = Vec<ScalarValue>;

/// An aggregate of the rows in a frame.
#[derive(Debug)]
pub(super) struct SlidingStates {
    call: Call,
    /// The first row's last.
    front: Vec<State>,
    /// The rows behind the front, as they came.
    rows: Vec<Vec<ArrayRef>>,
    /// Their state.
    back: Box<dyn Accumulator>,
}

impl SlidingStates {
    /// Makes one for an empty frame.
    ///
    /// # Errors
    /// The aggregate can't be computed.
    pub fn new(call: Call) -> Result<Self> {
        let back = call.accumulator()?;
        Ok(Self { call, front: vec![], rows: vec![], back })
    }

    /// Moves all rows to the front, which is empty.
    fn turn(&mut self) -> Result<()> {
        let mut following: Option<State> = None;
        for batch in self.rows.drain(..).rev() {
            for at in (0..batch.first().map_or(0, |column| column.len())).rev() {
                let row: Vec<ArrayRef> = batch.iter().map(|column| column.slice(at, 1)).collect();
                let mut state = self.call.accumulator()?;
                state.update_batch(&row)?;
                if let Some(following) = &following {
                    state.merge_batch(&arrays(following)?)?;
                }
                let state = state.state()?;
                self.front.push(state.clone());
                following = Some(state);
            }
        }
        self.back = self.call.accumulator()?;
        Ok(())
    }
}

fn arrays(state: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    state.iter().map(ScalarValue::to_array).collect()
}

impl Accumulator for SlidingStates {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.rows.push(values.to_vec());
        self.back.update_batch(values)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut count = values.first().map_or(0, |column| column.len());
        while count > 0 {
            if self.front.is_empty() {
                self.turn()?;
            }
            let kept = self.front.len().saturating_sub(count);
            if kept == self.front.len() {
                return Err(wrap(Error::Internal("more rows leave a frame than it has".to_owned())));
            }
            count -= self.front.len() - kept;
            self.front.truncate(kept);
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut whole = self.call.accumulator()?;
        if let Some(state) = self.front.last() {
            whole.merge_batch(&arrays(state)?)?;
        }
        // some accumulators hand out their state and are empty then
        let state = arrays(&self.back.state()?)?;
        self.back = self.call.accumulator()?;
        self.back.merge_batch(&state)?;
        whole.merge_batch(&state)?;
        whole.evaluate()
    }

    fn size(&self) -> usize {
        let front = self.front.iter().flatten().map(ScalarValue::size).sum::<usize>();
        let rows = self.rows.iter().flatten().map(|column| column.get_array_memory_size()).sum::<usize>();
        size_of_val(self) + front + rows + self.back.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Err(wrap(Error::Internal("the aggregate of a frame is handed on to no other".to_owned())))
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Err(wrap(Error::Internal("the aggregate of a frame takes no other's".to_owned())))
    }
}
