//! Keys of a join's build side, and the scan's use of them.
//!
//! An operator on the build side collects the keys in bitmaps. When the join has published its
//! filter, the scans of its probe side put the bitmaps in place of look-ups in the hash table.

mod bitmap;
mod expression;
mod table;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, DynamicFilterPhysicalExpr, InListExpr};
use datafusion::physical_expr::utils::conjunction;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::joins::{HashJoinExec, HashTableLookupExpr};
use parking_lot::Mutex;

use self::bitmap::{KeyBitmap, TooLarge, words_allowed};
use crate::tree::Tree;

pub(super) use expression::{KeyBitmapExpr, KeyCounters};
use table::KeyTableExpr;
pub(crate) use table::{KeyTable, NO_KEY};

type Expression = Arc<dyn PhysicalExpr>;

/// Divisor of a memory limit for one bitmap. Joins fail when memory is short, so that little of it
/// may go to what only makes them faster.
const MEMORY_SHARE: usize = 64;

/// The keys of a join's build side.
#[derive(Debug)]
pub(crate) struct JoinKeys {
    /// For each key of the join its column on the build side; `None` if it has no bitmap.
    columns: Vec<Option<usize>>,
    collected: Mutex<Vec<Collected>>,
    /// Set when a scan has seen the join's filter.
    complete: OnceLock<Vec<Option<Arc<KeyBitmap>>>>,
}

/// Keys of the partitions that came to their end.
#[derive(Debug)]
enum Collected {
    NoPartition,
    Keys(KeyBitmap),
    TooLarge,
}

impl JoinKeys {
    /// Returns the keys of a join, before it runs; `None` if none of them can have a bitmap.
    pub fn of(join: &HashJoinExec) -> Option<Arc<Self>> {
        let schema = join.left().schema();
        let column = |key: &Expression| {
            let index = key.downcast_ref::<Column>()?.index();
            KeyBitmap::takes(schema.field(index).data_type()).then_some(index)
        };
        let columns: Vec<Option<usize>> = join.on().iter().map(|(key, _)| column(key)).collect();
        if columns.iter().all(Option::is_none) {
            return None;
        }
        let collected = columns.iter().map(|_| Collected::NoPartition).collect();
        Some(Arc::new(Self { columns, collected: Mutex::new(collected), complete: OnceLock::new() }))
    }

    /// Returns the columns of the build side that have bitmaps.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().flatten().copied()
    }

    /// Returns a collector for a partition of the build side.
    pub fn collector(self: &Arc<Self>, pool: &Arc<dyn MemoryPool>) -> KeyCollector {
        let bitmap = |_| KeyBitmap::new(MemoryConsumer::new("the keys of a join").register(pool));
        let most_words = match pool.memory_limit() {
            MemoryLimit::Finite(limit) => limit / MEMORY_SHARE / size_of::<u64>(),
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        };
        let bitmaps = self.columns.iter().map(|column| column.map(bitmap)).collect();
        KeyCollector { keys: self.clone(), bitmaps, rows: 0, most_words }
    }

    /// Returns the bitmap of each key, with the keys of all partitions that have ended. Later ones
    /// are left out: the first call is for the join's filter, which is there when all have.
    fn bitmaps(&self) -> &[Option<Arc<KeyBitmap>>] {
        self.complete.get_or_init(|| {
            let collected = self.collected.lock().drain(..).collect::<Vec<_>>();
            let bitmaps = collected.into_iter().map(|keys| match keys {
                Collected::Keys(bitmap) => Some(Arc::new(bitmap.finished())),
                Collected::NoPartition | Collected::TooLarge => None,
            });
            bitmaps.collect()
        })
    }
}

/// Collects the keys of a partition of a join's build side.
#[derive(Debug)]
pub(crate) struct KeyCollector {
    keys: Arc<JoinKeys>,
    /// `None` without a bitmap, and after it has become too large.
    bitmaps: Vec<Option<KeyBitmap>>,
    rows: usize,
    most_words: usize,
}

impl KeyCollector {
    /// Adds the keys of a batch.
    pub fn add(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows();
        let most_words = words_allowed(self.rows).min(self.most_words);
        for (column, bitmap) in self.keys.columns.iter().zip(&mut self.bitmaps) {
            if let (Some(column), Some(keys)) = (column, bitmap.as_mut())
                && let Err(TooLarge) = keys.add(batch.column(*column), most_words)
            {
                *bitmap = None;
            }
        }
    }

    /// Hands the keys of the whole partition over. Returns their bytes.
    pub fn finish(self) -> usize {
        let mut bytes = 0;
        let most_words = words_allowed(self.rows).min(self.most_words);
        let mut collected = self.keys.collected.lock();
        for (all, bitmap) in collected.iter_mut().zip(self.bitmaps) {
            *all = match (std::mem::replace(all, Collected::TooLarge), bitmap) {
                (Collected::NoPartition, Some(own)) => {
                    bytes += own.bytes();
                    Collected::Keys(own)
                }
                (Collected::Keys(mut others), Some(own)) => {
                    bytes += own.bytes();
                    match others.merge(&own, most_words) {
                        Ok(()) => Collected::Keys(others),
                        Err(TooLarge) => Collected::TooLarge,
                    }
                }
                (_, None) | (Collected::TooLarge, _) => Collected::TooLarge,
            };
        }
        bytes
    }
}

/// Keys of the joins that a scan has filters of.
#[derive(Debug, Clone, Default)]
pub(super) struct ScanKeys {
    /// By the id of the join's filter.
    joins: HashMap<u64, Arc<JoinKeys>>,
    pub counters: Arc<KeyCounters>,
}

impl ScanKeys {
    /// Returns the keys of some joins, by the ids of their filters.
    pub fn new(joins: HashMap<u64, Arc<JoinKeys>>) -> Self {
        Self { joins, counters: Arc::default() }
    }

    /// Returns whether the scan has no such join.
    pub fn is_empty(&self) -> bool {
        self.joins.is_empty()
    }

    /// Returns the present state of a condition, which is `current`, with bitmaps in place of
    /// look-ups in the hash table of the join that the condition comes from, and before its other
    /// tests for keys.
    pub fn with_bitmaps(
        &self,
        condition: &Expression,
        current: Expression,
        schema: &Schema,
    ) -> DataFusionResult<Expression> {
        let filter = condition.downcast_ref::<DynamicFilterPhysicalExpr>();
        let join = filter.and_then(|filter| self.joins.get(&filter.expression_id()?));
        let Some(join) = join else { return Ok(current) };
        let replace = |node: Expression| {
            let Some(tested) = tested_keys(&node) else { return Ok(Transformed::no(node)) };
            let bitmaps = join.bitmaps().iter().zip(&tested).filter_map(|(bitmap, key)| {
                let takes = key.data_type(schema).is_ok_and(|of| KeyBitmap::takes(&of));
                let bitmap = bitmap.as_ref().filter(|_| takes)?;
                let tested = KeyBitmapExpr::new(key.clone(), bitmap.clone(), self.counters.clone());
                Some(Arc::new(tested) as Expression)
            });
            let mut all: Vec<Expression> = bitmaps.collect();
            if all.is_empty() {
                return Ok(Transformed::no(node));
            }
            // a list is still compared with statistics
            if tested.len() > 1 || node.downcast_ref::<InListExpr>().is_some() {
                all.push(node);
            }
            Ok(Transformed::new(conjunction(all), true, TreeNodeRecursion::Jump))
        };
        current.transform_down(replace).map(|transformed| transformed.data)
    }
}

/// Returns the expressions that a test for keys of a join looks up.
fn tested_keys(node: &Expression) -> Option<Vec<Expression>> {
    if node.downcast_ref::<HashTableLookupExpr>().is_some() {
        return Some(node.children().into_iter().cloned().collect());
    }
    if let Some(table) = node.downcast_ref::<KeyTableExpr>() {
        return Some(vec![table.key().clone()]);
    }
    let list = node.downcast_ref::<InListExpr>().filter(|list| !list.negated())?;
    Some(match list.expr().downcast_ref::<ScalarFunctionExpr>().filter(|call| call.name() == "struct") {
        Some(several) => several.args().to_vec(),
        None => vec![list.expr().clone()],
    })
}

/// Returns whether a condition holds wherever `test` does, a test for keys of the same expression:
/// it is only worth comparing with statistics.
pub(super) fn is_implied(condition: &Expression, test: &Expression) -> bool {
    let bound = condition.downcast_ref::<BinaryExpr>();
    let bound = bound.filter(|bound| matches!(bound.op(), Operator::GtEq | Operator::LtEq));
    let bound = bound.map(BinaryExpr::left);
    let list = condition.downcast_ref::<InListExpr>().filter(|list| !list.negated()).map(InListExpr::expr);
    if let Some(bitmap) = test.downcast_ref::<KeyBitmapExpr>() {
        return bound.or(list).is_some_and(|key| key.eq(bitmap.key()));
    }
    let of_test = test.downcast_ref::<InListExpr>().filter(|list| !list.negated()).map(InListExpr::expr);
    bound.zip(of_test).is_some_and(|(key, of_test)| key.eq(of_test))
}
