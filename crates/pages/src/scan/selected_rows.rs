//! Decoder of the selected rows of a scan range.

use std::time::Instant;

use arrow::array::BooleanArray;
use arrow::compute;
use arrow::record_batch::RecordBatch;

use crate::decode::decoder::Decoder;
use crate::decode::native::NativeDecoder;
use crate::error::Result;
use crate::scan::window::ScanSpec;

/// Decoder of selected rows, which combines the native decoder of some columns with parquet-rs's
/// decoder of the others.
pub(crate) struct SelectedRowsDecoder {
    row_group: usize,
    native: Option<NativeDecoder>,
    others: Option<Masked>,
}

/// A decoder of parquet-rs, and a mask over its rows.
struct Masked {
    decoder: Decoder,
    mask: Option<BooleanArray>,
    /// Rows decoded so far.
    offset: usize,
}

impl SelectedRowsDecoder {
    /// Decodes all columns natively.
    pub fn of_native(row_group: usize, native: NativeDecoder) -> Self {
        Self { row_group, native: Some(native), others: None }
    }

    /// Decodes all columns with parquet-rs, and keeps the rows that `mask` selects.
    pub fn of_parquet(row_group: usize, decoder: Decoder, mask: Option<BooleanArray>) -> Self {
        Self { row_group, native: None, others: Some(Masked { decoder, mask, offset: 0 }) }
    }

    /// Adds columns that are decoded natively.
    pub fn with_native(self, native: Option<NativeDecoder>) -> Self {
        Self { native, ..self }
    }

    /// Decodes the next rows.
    pub fn next(&mut self, spec: &ScanSpec) -> Option<Result<RecordBatch>> {
        let start = Instant::now();
        let batch = self.step(spec.batch_size);
        spec.load.counters.decoded(self.row_group, start.elapsed());
        batch.transpose()
    }

    fn step(&mut self, batch_size: usize) -> Result<Option<RecordBatch>> {
        let Some(others) = &mut self.others else {
            return self.native.as_mut().map_or(Ok(None), |native| native.next(batch_size, None));
        };
        let Some(batch) = others.next()? else { return Ok(None) };
        match &mut self.native {
            None => Ok(Some(batch)),
            Some(native) => native.next(batch.num_rows(), Some(&batch)),
        }
    }
}

impl Masked {
    /// Returns the next rows that the mask selects, at least one.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(batch) = self.decoder.next().transpose()? {
            let rows = batch.num_rows();
            let batch = match &self.mask {
                None => batch,
                Some(mask) => {
                    let part = mask.slice(self.offset, rows.min(mask.len() - self.offset));
                    self.offset += part.len();
                    let kept = compute::filter_record_batch(&batch, &part);
                    kept.map_err(|e| self.decoder.error(e.to_string()))?
                }
            };
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
