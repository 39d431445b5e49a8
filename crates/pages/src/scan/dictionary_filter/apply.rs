//! Dictionary filters of a stage, with decoding of the rows that they leave undecided.

use std::sync::Arc;

use arrow::buffer::BooleanBuffer;
use pelton_bitpack::Kernels;

use crate::error::Result;
use crate::load::columns::LoadedColumns;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter;
use crate::scan::dictionary_filter::FilterResult;
use crate::scan::stages::Stages;
use crate::scan::stages::step;
use crate::scan::window::leaves;
use crate::undecided::Undecided;

impl<'a> Stages<'a> {
    /// Applies the dictionary filters of a stage, after its columns were loaded. Returns the other
    /// conditions.
    pub fn apply_dictionary_filters(&mut self, number: usize) -> Result<Vec<&'a Condition>> {
        let conditions = &self.spec.stages[number].conditions;
        let Some(kernels) = self.spec.kernels else { return Ok(conditions.iter().collect()) };
        let mut others = Vec::new();
        for condition in conditions {
            if self.selection.count() == 0 {
                break;
            }
            if let Err(reason) = self.apply_dictionary_filter(condition, kernels)? {
                self.spec.load.counters.undecided(reason);
                others.push(condition);
            }
        }
        Ok(others)
    }

    fn apply_dictionary_filter(
        &mut self,
        condition: &Condition,
        kernels: Kernels,
    ) -> Result<Result<(), Undecided>> {
        let [column] = condition.columns[..] else { return Ok(Err(Undecided::SeveralColumns)) };
        let [leaf] = leaves(self.file, &[column])[..] else { return Ok(Err(Undecided::Nested)) };
        let Some(loaded) = self.loaded.get(&column) else { return Ok(Err(Undecided::Decoded)) };
        let (counters, before) = (&self.spec.load.counters, self.selection.count());
        let rows = (self.window, &self.selection);
        let evaluation = match self.evaluations.remove(&column) {
            Some(evaluation) => Ok(evaluation),
            None => dictionary_filter::evaluate(self.file, loaded, (column, leaf), condition, rows, counters),
        };
        let evaluation = match evaluation {
            Ok(evaluation) => evaluation,
            Err(reason) => return Ok(Err(reason)),
        };
        let FilterResult { mut passed, rest, pages } =
            dictionary_filter::apply(kernels, evaluation, rows, counters)?;
        let rest = self.selection.within(&rest);
        let (undecided, mut passed_rest) = (rest.count(), 0);
        if undecided > 0 {
            let alone = Arc::new(LoadedColumns::join(std::iter::once(loaded), vec![leaf])?);
            let Some(mut decoder) = self.decode(alone, &rest)? else {
                loaded.release(leaf);
                return Ok(Err(Undecided::Scattered));
            };
            let (conditions, new) = ([condition], [column]);
            let mut step = step(self.file, &conditions, &new, undecided);
            while let Some(batch) = decoder.next(self.spec).transpose()? {
                self.filter(&mut step, batch.columns(), batch.num_rows())?;
            }
            let found = self.finished(&mut step, undecided)?;
            passed_rest = found.count_set_bits();
            let decided = !&rest.spread(&BooleanBuffer::new_set(undecided));
            passed = &(&passed & &decided) | &rest.spread(&found);
            counters.undecided(Undecided::Mixed);
        }
        self.reduce_selection(&passed)?;
        counters.encoded(pages, before - undecided);
        // decoded rows were counted by their own step
        condition.filter.note(before - undecided, self.selection.count() - passed_rest);
        Ok(Ok(()))
    }
}
