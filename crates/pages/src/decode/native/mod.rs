//! Native decoder of flat columns, batch by batch.
//!
//! Dictionary indices are unpacked by `pelton-bitpack` and replaced by their values, in bulk; plain
//! values of a fixed width are copied. parquet-rs spends several times as long on a value
//! (docs/decisions/0017-native-decoders-for-flat-columns.md). Nested columns, plain strings and
//! other encodings are left to it (`LoadedColumns::decode`). It also decodes dictionaries other
//! than plain ones of a fixed width, so that a value is the same in either decoder.

mod column;
mod output;
mod page;
mod plain;
mod selected_ranges;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::FilterBuilder;
use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use pelton_bitpack::Kernels;

use crate::counters::ScanCounters;
use crate::decode::compaction::CompactionMask;
use crate::decode::native::column::NativeColumn;
pub(crate) use crate::decode::native::plain::Plain;
pub(crate) use crate::decode::native::selected_ranges::SelectedRanges;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::load::columns::LoadedColumns;
use crate::panic_guard;

/// Natively decoded columns and their selected rows.
pub(crate) struct NativeDecoder {
    columns: Arc<LoadedColumns>,
    /// Decoders by top-level column.
    decoders: BTreeMap<usize, NativeColumn>,
    selected: SelectedRanges,
    /// Whether pages are compacted to the selected rows.
    is_compacted: bool,
    counters: Arc<ScanCounters>,
}

impl LoadedColumns {
    /// Splits the columns into natively decoded ones and the others, for parquet-rs. Waits for the
    /// dictionaries of the first. Pages are compacted to the rows of `mask` if it is given.
    ///
    /// # Errors
    /// The types of the other columns can't be decoded to the schema's.
    pub(crate) fn native_decoder(
        self: &Arc<Self>,
        kernels: Kernels,
        selected: SelectedRanges,
        mask: Option<&Arc<CompactionMask>>,
        counters: &Arc<ScanCounters>,
    ) -> Result<(Option<NativeDecoder>, Option<Arc<Self>>)> {
        let mut native = BTreeMap::new();
        let mut rest = Vec::new();
        for &leaf in &self.leaves {
            match NativeColumn::new(self, leaf, kernels, mask.cloned()) {
                Some(column) => drop(native.insert(self.root(leaf), column)),
                None => rest.push(leaf),
            }
        }
        if native.is_empty() {
            return Ok((None, Some(self.clone())));
        }
        let others = (!rest.is_empty()).then(|| Self::join(std::iter::once(self), rest)).transpose()?;
        let (is_compacted, counters) = (mask.is_some(), counters.clone());
        let native =
            NativeDecoder { columns: self.clone(), decoders: native, selected, is_compacted, counters };
        Ok((Some(native), others.map(Arc::new)))
    }

    /// Returns the top-level column of a leaf.
    pub(crate) fn root(&self, leaf: usize) -> usize {
        self.file.parquet_schema().get_column_root_idx(leaf)
    }
}

impl NativeDecoder {
    /// Returns up to `rows` selected rows of all columns; `others` has the same rows of the columns
    /// of parquet-rs. `None` at the end.
    ///
    /// # Errors
    /// A page is bad, could not be decompressed, or was not loaded.
    pub fn next(&mut self, rows: usize, others: Option<&RecordBatch>) -> Result<Option<RecordBatch>> {
        let decoded = panic_guard::catch(|| self.decode(rows, others));
        decoded.unwrap_or_else(|what| Err(self.error(what)))
    }

    fn decode(&mut self, rows: usize, others: Option<&RecordBatch>) -> Result<Option<RecordBatch>> {
        let Some(next) = self.selected.next(rows) else { return Ok(None) };
        let mut filter = next.keep.as_ref().map(FilterBuilder::new);
        if self.decoders.len() > 1 {
            filter = filter.map(FilterBuilder::optimize);
        }
        let filter = filter.map(FilterBuilder::build);
        let mut columns: BTreeMap<usize, ArrayRef> = BTreeMap::new();
        for (&root, column) in &mut self.decoders {
            let all = column.read(&next.ranges)?;
            let kept = match &filter {
                None => all,
                Some(filter) => filter.filter(&all).map_err(|e| column.error(e.to_string()))?,
            };
            columns.insert(root, kept);
        }
        let roots = self.columns.leaves.iter().map(|&leaf| self.columns.root(leaf));
        let mut left = others.into_iter().flat_map(RecordBatch::columns);
        for root in roots {
            if let std::collections::btree_map::Entry::Vacant(place) = columns.entry(root)
                && let Some(other) = left.next()
            {
                place.insert(other.clone());
            }
        }
        let fields = columns.keys().map(|&root| self.columns.file.schema().field(root).clone());
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, columns.into_values().collect());
        let batch = batch.map_err(|e| self.error(e.to_string()))?;
        self.counters.direct(batch.num_rows() * self.decoders.len(), self.is_compacted);
        Ok(Some(batch))
    }

    fn error(&self, what: String) -> Error {
        Error::new(self.columns.file.place().row_group(self.columns.row_group), Cause::Decode(what))
    }
}
