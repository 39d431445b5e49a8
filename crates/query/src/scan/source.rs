//! Scan in a plan: columns, conditions and limit, as planning adds them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use pelton_bitpack::Kernels;
use pelton_job::Router;
use pelton_pages::{Recorder, ScanCounters};

use super::join_keys::{JoinKeys, ScanKeys};
use super::{predicate, selectivity};
use crate::stores::Stores;
use crate::table::{FooterCache, TableFile, TableFiles};

/// Least rows of a partition. For fewer, tasks and merging cost more than the parallelism saves.
const PARTITION_ROWS: usize = 64 * 1024;

/// Settings that all scans of an engine share.
#[derive(Clone)]
pub struct ScanContext {
    /// Runs the decompression.
    pub router: Arc<Router>,
    /// Check the pages' CRC-32 where the writer stored one.
    pub verify_checksums: bool,
    /// Decompressed bytes of a scan range. Each partition holds two.
    pub window_bytes: u64,
    /// Kernels for dictionary filters and the native decoder; `None`: parquet-rs decodes everything
    /// first.
    pub kernels: Option<Kernels>,
    /// Rows of queries without ORDER BY may come in any order; otherwise they come in the files'
    /// order.
    pub any_order: bool,
    /// Object stores and their settings.
    pub stores: Arc<Stores>,
    /// Footers that were read before.
    pub footers: Arc<FooterCache>,
}

#[cfg(test)]
impl ScanContext {
    /// Returns the context of tests: scans over a router, which parquet-rs decodes.
    pub(crate) fn in_tests(router: Arc<Router>) -> Self {
        Self {
            router,
            verify_checksums: false,
            window_bytes: 1 << 20,
            kernels: None,
            any_order: false,
            stores: Arc::default(),
            footers: Arc::default(),
        }
    }
}

impl fmt::Debug for ScanContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanContext")
            .field("verify_checksums", &self.verify_checksums)
            .field("window_bytes", &self.window_bytes)
            .field("kernels", &self.kernels.map(|kernels| kernels.name()))
            .finish_non_exhaustive()
    }
}

/// Rows of one partition, before pruning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowRange {
    /// Index of the file in the table.
    pub file: usize,
    pub row_group: usize,
    pub rows: Range<usize>,
}

/// A scan of some columns of a table, with the filters and the limit that were pushed into it.
#[derive(Debug, Clone)]
pub struct PeltonSource {
    pub(super) files: Arc<TableFiles>,
    pub(super) statistics: Statistics,
    pub(super) context: ScanContext,
    /// The output: columns of the table, in the output's order.
    pub(super) projection: Vec<usize>,
    pub(super) schema: SchemaRef,
    /// Conditions over the table's columns; a row is in the output if all hold.
    pub(super) predicates: Vec<Arc<dyn PhysicalExpr>>,
    /// Estimated share of rows that pass them, which the planner asks for again and again.
    pub(super) selectivity: f64,
    pub(super) limit: Option<usize>,
    pub(super) partitions: usize,
    /// The rows of each partition, if they are known before the scan runs.
    pub(super) units: Option<Arc<[Vec<RowRange>]>>,
    /// Dynamic conditions of joins, for which the scan waits before it reads.
    pub(super) awaited: Vec<Arc<DynamicFilterPhysicalExpr>>,
    /// Keys of the joins that dynamic conditions come from.
    pub(super) keys: ScanKeys,
    pub(super) counters: Arc<ScanCounters>,
}

impl PeltonSource {
    /// Returns a scan of the columns `projection` of a table, in up to `partitions` streams.
    ///
    /// # Errors
    /// A column is not in the table.
    pub fn new(
        files: Arc<TableFiles>,
        statistics: Statistics,
        context: ScanContext,
        projection: Vec<usize>,
        partitions: usize,
    ) -> DataFusionResult<Self> {
        let schema: SchemaRef = Arc::new(files.schema.project(&projection)?);
        let rows = statistics.num_rows.get_value().copied().unwrap_or(usize::MAX);
        let partitions = partitions.min(rows.div_ceil(PARTITION_ROWS)).max(1);
        let (predicates, awaited, counters) = (Vec::new(), Vec::new(), Arc::default());
        let limit = None;
        Ok(Self {
            files,
            statistics,
            context,
            projection,
            schema,
            predicates,
            selectivity: 1.0,
            limit,
            partitions,
            units: None,
            awaited,
            keys: ScanKeys::default(),
            counters,
        })
    }

    /// Returns the scan with more conditions, over the table's columns.
    pub fn with_predicates(mut self, predicates: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        self.predicates.extend(predicates);
        self.selectivity = selectivity::estimate(&self.predicates, &self.statistics);
        self
    }

    /// Returns the scan with at most `limit` rows in each partition.
    pub fn with_limit(mut self, limit: Option<usize>) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the scan with a recorder that keeps its events.
    pub fn recording(mut self, recorder: Arc<Recorder>) -> Self {
        self.counters = Arc::new(ScanCounters::recording(recorder, &self.files.location));
        self
    }

    /// Returns the scan with other counters.
    pub fn counting(mut self, counters: Arc<ScanCounters>) -> Self {
        self.counters = counters;
        self
    }

    /// Returns the scan without the conditions that only speed it up.
    pub fn without_dynamic_filters(mut self) -> Self {
        self.predicates.retain(|predicate| !predicate::is_dynamic(predicate));
        self.awaited.clear();
        self.keys = ScanKeys::default();
        self
    }

    /// Returns the ids of the scan's dynamic conditions.
    pub(crate) fn dynamic_conditions(&self) -> impl Iterator<Item = u64> {
        let parts = self.predicates.iter().flat_map(predicate::dynamic_parts);
        parts.filter_map(|filter| filter.expression_id())
    }

    /// Returns the scan with the keys of joins, by the ids of the conditions that come from them.
    pub(crate) fn with_keys(mut self, keys: HashMap<u64, Arc<JoinKeys>>) -> Self {
        self.keys = ScanKeys::new(keys);
        self
    }

    /// Returns the scan with a barrier: it waits for its dynamic conditions with an id in
    /// `from_joins`.
    pub fn awaiting(mut self, from_joins: &HashSet<u64>) -> Self {
        self.awaited = self.predicates.iter().flat_map(predicate::dynamic_parts).collect();
        self.awaited.retain(|filter| filter.expression_id().is_some_and(|id| from_joins.contains(&id)));
        self
    }

    /// Returns the output's schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the scan's counters.
    pub fn counters(&self) -> &Arc<ScanCounters> {
        &self.counters
    }

    /// Returns the table's files.
    pub fn files(&self) -> &Arc<TableFiles> {
        &self.files
    }

    /// Returns the bytes of the columns that the output and the conditions need: compressed, and
    /// decompressed.
    pub fn bytes(&self) -> (u64, u64) {
        let mut columns: BTreeSet<usize> = self.projection.iter().copied().collect();
        columns.extend(self.predicates.iter().flat_map(predicate::columns));
        let of_file = |file: &TableFile| {
            let schema = file.file.metadata().file_metadata().schema_descr();
            let wanted: BTreeSet<usize> = columns.iter().filter_map(|&c| file.column(c)).collect();
            let leaves =
                (0..schema.num_columns()).filter(|&leaf| wanted.contains(&schema.get_column_root_idx(leaf)));
            let leaves: Vec<usize> = leaves.collect();
            let groups = file.file.metadata().row_groups().iter();
            let chunks = groups.flat_map(|group| leaves.iter().map(|&leaf| group.column(leaf)));
            chunks.fold((0, 0), |(compressed, plain), chunk| {
                (compressed + chunk.compressed_size() as u64, plain + chunk.uncompressed_size() as u64)
            })
        };
        let sizes = self.files.files.iter().map(of_file);
        sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1))
    }
}
