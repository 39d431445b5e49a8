//! Condition that a key is in a bitmap.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow::datatypes::{DataType, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::bitmap::KeyBitmap;

/// Values that a scan looked up in bitmaps. A value of a dictionary counts once for each page.
#[derive(Debug, Default)]
pub(in crate::scan) struct KeyCounters {
    tested: AtomicU64,
    passed: AtomicU64,
}

impl KeyCounters {
    /// Returns the values that were looked up, and those of them that were keys.
    pub fn totals(&self) -> (u64, u64) {
        (self.tested.load(Relaxed), self.passed.load(Relaxed))
    }
}

/// True for the keys of a join's build side, false for other values and null.
#[derive(Debug)]
pub(in crate::scan) struct KeyBitmapExpr {
    key: Arc<dyn PhysicalExpr>,
    bitmap: Arc<KeyBitmap>,
    counters: Arc<KeyCounters>,
}

impl KeyBitmapExpr {
    /// Returns the condition on `key`, which has a type that bitmaps take.
    pub fn new(key: Arc<dyn PhysicalExpr>, bitmap: Arc<KeyBitmap>, counters: Arc<KeyCounters>) -> Self {
        Self { key, bitmap, counters }
    }

    /// Returns the tested expression.
    pub fn key(&self) -> &Arc<dyn PhysicalExpr> {
        &self.key
    }

    /// Returns the number of different keys.
    pub fn keys(&self) -> usize {
        self.bitmap.keys()
    }

    /// Returns the share of the values in the range of the keys that are keys.
    pub fn density(&self) -> f64 {
        self.bitmap.density()
    }
}

impl PartialEq for KeyBitmapExpr {
    fn eq(&self, other: &Self) -> bool {
        self.key.eq(&other.key) && Arc::ptr_eq(&self.bitmap, &other.bitmap)
    }
}

impl Eq for KeyBitmapExpr {}

impl Hash for KeyBitmapExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
        Arc::as_ptr(&self.bitmap).hash(state);
    }
}

impl fmt::Display for KeyBitmapExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key_bitmap({})", self.key)
    }
}

impl PhysicalExpr for KeyBitmapExpr {
    fn data_type(&self, _: &Schema) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn nullable(&self, _: &Schema) -> Result<bool> {
        Ok(false)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let keys = self.key.evaluate(batch)?.into_array(batch.num_rows())?;
        let Some(found) = self.bitmap.contains(&keys) else {
            return Err(DataFusionError::Internal(format!("{} can't be keys", keys.data_type())));
        };
        self.counters.tested.fetch_add(found.len() as u64, Relaxed);
        self.counters.passed.fetch_add(found.true_count() as u64, Relaxed);
        Ok(ColumnarValue::Array(Arc::new(found)))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.key]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let key = children.pop().unwrap_or_else(|| self.key.clone());
        Ok(Arc::new(Self::new(key, self.bitmap.clone(), self.counters.clone())))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
