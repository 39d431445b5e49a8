//! The partitions of a window, and the rows that are held for them.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::{concat_batches, filter_record_batch};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::row::{RowConverter, Rows, SortField};
use datafusion::error::Result;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;

use super::Top;
use super::best::Best;
use crate::compact::compact;

/// The partitions that were seen, each with its best keys.
pub(super) struct Ranks {
    top: Top,
    /// Values of the partition keys; `None` without PARTITION BY.
    partitions: Option<Box<dyn GroupValues>>,
    order: RowConverter,
    best: Vec<Best>,
    /// Bytes of the best keys.
    key_bytes: usize,
}

/// Rows that may be among the first of their partitions.
pub(super) struct Held {
    pub batch: RecordBatch,
    /// For each row, its partition.
    partitions: Vec<usize>,
    /// For each row, its order keys.
    keys: Rows,
}

impl Held {
    /// Returns the bytes that the rows take.
    pub fn size(&self) -> usize {
        let partitions = self.partitions.capacity() * size_of::<usize>();
        self.batch.get_array_memory_size() + partitions + self.keys.size()
    }
}

impl Ranks {
    /// Returns an operator's partitions before its first row.
    ///
    /// # Errors
    /// The keys can't be hashed or compared.
    pub fn new(top: &Top, schema: &SchemaRef) -> Result<Self> {
        let keys = top.partition.iter().enumerate();
        let fields = keys.map(|(at, key)| Ok(Field::new(at.to_string(), key.data_type(schema)?, true)));
        let fields = fields.collect::<Result<Vec<Field>>>()?;
        let partitions = (!fields.is_empty())
            .then(|| new_group_values(Arc::new(Schema::new(fields)), &GroupOrdering::None))
            .transpose()?;
        let order = top.order.iter().map(|key| {
            let data_type = key.expr.data_type(schema)?;
            Ok(SortField::new_with_options(data_type, key.options))
        });
        let order = RowConverter::new(order.collect::<Result<Vec<_>>>()?)?;
        Ok(Self { top: top.clone(), partitions, order, best: Vec::new(), key_bytes: 0 })
    }

    /// Returns rows with their partitions and order keys.
    fn ranked(&mut self, batch: RecordBatch) -> Result<Held> {
        let rows = batch.num_rows();
        let values = |key: &Arc<dyn PhysicalExpr>| key.evaluate(&batch)?.into_array(rows);
        let (mut partitions, mut count) = (vec![0; rows], 1);
        if let Some(known) = &mut self.partitions {
            let keys = self.top.partition.iter().map(values).collect::<Result<Vec<ArrayRef>>>()?;
            known.intern(&keys, &mut partitions)?;
            count = known.len();
        }
        let ranking = self.top.ranking;
        self.best.resize_with(count, || ranking.partition());
        let keys = self.top.order.iter().map(|key| values(&key.expr));
        let keys = self.order.convert_columns(&keys.collect::<Result<Vec<_>>>()?)?;
        Ok(Held { batch, partitions, keys })
    }

    /// Returns the rows of a new batch that may be among the first; `None` if there are none.
    pub fn admitted(&mut self, batch: RecordBatch) -> Result<Option<Held>> {
        let new = self.ranked(batch)?;
        let mut grown = 0;
        let admitted = new.partitions.iter().zip(&new.keys).map(|(partition, key)| {
            let bytes = self.best[*partition].admit(key.as_ref(), self.top.most);
            grown += bytes.unwrap_or_default();
            bytes.is_some()
        });
        let admitted = admitted.collect();
        self.key_bytes += grown;
        self.filtered(new, admitted)
    }

    /// Returns held rows without those that better ones came after.
    pub fn reduced(&self, held: Held) -> Result<Option<Held>> {
        let still = held.partitions.iter().zip(&held.keys);
        let still = still.map(|(partition, key)| self.best[*partition].holds(key.as_ref(), self.top.most));
        let still = still.collect();
        self.filtered(held, still)
    }

    fn filtered(&self, rows: Held, keep: Vec<bool>) -> Result<Option<Held>> {
        let kept = keep.iter().filter(|is_kept| **is_kept).count();
        if kept == 0 || kept == keep.len() {
            return Ok((kept > 0).then_some(rows));
        }
        let (mut partitions, mut keys) = (Vec::with_capacity(kept), self.order.empty_rows(kept, 0));
        for (at, _) in keep.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            partitions.push(rows.partitions[at]);
            keys.push(rows.keys.row(at));
        }
        // a batch of few rows would keep the texts of all
        let batch = compact(&filter_record_batch(&rows.batch, &BooleanArray::from(keep))?)?;
        Ok(Some(Held { batch, partitions, keys }))
    }

    /// Returns rows of several batches as one.
    pub fn merged(&self, mut held: Vec<Held>) -> Result<Option<Held>> {
        if held.len() < 2 {
            return Ok(held.pop());
        }
        let batch = concat_batches(held[0].batch.schema_ref(), held.iter().map(|held| &held.batch))?;
        let (mut partitions, mut keys) = (Vec::new(), self.order.empty_rows(batch.num_rows(), 0));
        for held in held {
            partitions.extend(held.partitions);
            held.keys.iter().for_each(|key| keys.push(key));
        }
        Ok(Some(Held { batch, partitions, keys }))
    }

    /// Returns the bytes that the keys take.
    pub fn size(&self) -> usize {
        let partitions = self.partitions.as_ref().map_or(0, |partitions| partitions.size());
        partitions + self.best.capacity() * size_of::<Best>() + self.key_bytes
    }
}
