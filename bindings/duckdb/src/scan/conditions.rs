//! Conditions that DuckDB evaluates for a scan: on bounds, and on columns that are decoded first.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, BooleanBufferBuilder, new_null_array};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use pelton_pages::{Filter, FilterEffectiveness, bounds};

use super::morsels::Wanted;
use crate::sys::native::{Conditions, Duty, Scratch};
use crate::sys::{Type, VECTOR_ROWS};
use crate::vector;

/// A condition on a column of a file.
#[derive(Debug, Clone)]
pub struct On {
    /// The column of the file.
    pub column: usize,
    /// Number of the condition, for DuckDB.
    pub condition: u64,
    pub of: Type,
    pub duty: Duty,
    /// Rows that it saw and let pass, by which it may be left out.
    pub effectiveness: Arc<FilterEffectiveness>,
}

impl On {
    /// Returns whether rows are tested now.
    pub fn is_evaluated(&self) -> bool {
        match self.duty {
            Duty::MustHold => true,
            Duty::MayHold => !self.effectiveness.is_ineffective(),
            Duty::BoundsOnly => false,
        }
    }
}

/// The conditions of a scan, for one thread's pruning.
pub struct Evaluated<'a> {
    pub on: &'a [On],
    pub conditions: Conditions,
}

impl Wanted for Evaluated<'_> {
    fn columns(&self) -> Vec<usize> {
        self.on.iter().map(|on| on.column).collect()
    }

    fn may_hold(&self, index: usize, bounds: &bounds::Bounds) -> Result<BooleanArray, String> {
        let On { condition, of, .. } = &self.on[index];
        let count = bounds.mins.len();
        let scratch = |array: &ArrayRef| -> Result<Scratch, String> {
            let mut values = Scratch::new(of, count);
            vector::write_flat(array, 0, count, &mut values.empty())?;
            Ok(values)
        };
        let (mins, maxes) = (scratch(&bounds.mins)?, scratch(&bounds.maxes)?);
        Ok(BooleanArray::from(self.conditions.may_hold(*condition, &mins, &maxes, count)?))
    }
}

/// A condition that DuckDB evaluates.
pub struct DuckDbFilter {
    pub on: On,
    pub conditions: Conditions,
}

impl fmt::Debug for DuckDbFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "condition {} on column {}", self.on.condition, self.on.column)
    }
}

impl DuckDbFilter {
    /// Returns the passing values of an array.
    fn passing(&self, array: &ArrayRef) -> Result<BooleanBuffer, String> {
        let mut passing = BooleanBufferBuilder::new(array.len());
        // One vector does for all parts where nothing of the values before is left in it.
        let is_reused = array.null_count() == 0 && array.data_type().is_primitive();
        let mut values = Scratch::new(&self.on.of, VECTOR_ROWS);
        for from in (0..array.len()).step_by(VECTOR_ROWS) {
            let rows = VECTOR_ROWS.min(array.len() - from);
            if from > 0 && !is_reused {
                values = Scratch::new(&self.on.of, VECTOR_ROWS);
            }
            vector::write_flat(array, from, rows, &mut values.empty())?;
            match self.conditions.evaluate(self.on.condition, &values, rows)? {
                None => passing.append_n(rows, true),
                Some(found) => {
                    let mut bits = [0u8; VECTOR_ROWS / 8];
                    found.into_iter().for_each(|row| bits[row as usize / 8] |= 1 << (row % 8));
                    passing.append_packed_range(0..rows, &bits);
                }
            }
        }
        Ok(passing.finish())
    }
}

impl Filter for DuckDbFilter {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String> {
        let array = batch.column(0);
        let dictionary = array.as_dictionary_opt::<Int32Type>();
        let Some(dictionary) = dictionary.filter(|dictionary| dictionary.values().len() < array.len()) else {
            return Ok(BooleanArray::new(self.passing(array)?, None));
        };
        let of_values = self.passing(dictionary.values())?;
        let null = match dictionary.null_count() {
            0 => false,
            _ => self.passing(&new_null_array(dictionary.values().data_type(), 1))?.value(0),
        };
        let passes = |key: Option<i32>| key.map_or(null, |key| of_values.value(key as usize));
        Ok(BooleanArray::new(dictionary.keys().iter().map(passes).collect(), None))
    }

    fn note(&self, rows: usize, passing: usize) {
        self.on.effectiveness.note(rows, passing);
    }
}
