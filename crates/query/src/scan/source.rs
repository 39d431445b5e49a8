//! The plan's side of a scan.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::datasource::source::{DataSource, OpenArgs};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use pelton_bitpack::Kernels;
use pelton_job::Router;
use pelton_pages::{Recorder, ScanCounters};

use super::execution::Execution;
use super::metrics;
use super::predicate;
use super::queue::{Part, WorkQueue};
use super::selectivity;
use super::stream;
use super::units;
use crate::table::{TableFile, TableFiles};

/// A partition with fewer rows costs more, in tasks and in merging, than it brings: some 64 Ki rows
/// decode in a millisecond.
const PARTITION_ROWS: usize = 64 * 1024;

/// What all scans of an engine share.
#[derive(Clone)]
pub struct ScanContext {
    /// Runs the decompression.
    pub router: Arc<Router>,
    /// Check the pages' CRC-32 where the writer stored one.
    pub verify_checksums: bool,
    /// Decompressed bytes that a scan reads at a time, of which each partition holds two.
    pub window_bytes: u64,
    /// What decides conditions on encoded data and decodes columns that are not nested; `None`:
    /// parquet-rs decodes everything first.
    pub kernels: Option<Kernels>,
    /// Rows of queries without ORDER BY may come in any order; otherwise they come in the files'
    /// order.
    pub any_order: bool,
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

/// A scan of some columns of a table, with the filters and the limit that were pushed into it.
#[derive(Debug, Clone)]
pub struct PeltonSource {
    pub(super) files: Arc<TableFiles>,
    statistics: Statistics,
    pub(super) context: ScanContext,
    /// The output: columns of the table, in the output's order.
    pub(super) projection: Vec<usize>,
    schema: SchemaRef,
    /// Conditions over the table's columns; a row is in the output if all hold.
    pub(super) predicates: Vec<Arc<dyn PhysicalExpr>>,
    pub(super) limit: Option<usize>,
    partitions: usize,
    /// The rows of each partition, if they are known before the scan runs.
    units: Option<Arc<[Vec<Part>]>>,
    /// Dynamic conditions that come from joins, whose other side says what it has before this scan
    /// need start.
    pub(super) awaited: Vec<Arc<DynamicFilterPhysicalExpr>>,
    pub(super) counters: Arc<ScanCounters>,
}

impl PeltonSource {
    /// A scan of the columns `projection` of a table, in up to `partitions` streams.
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
            limit,
            partitions,
            units: None,
            awaited,
            counters,
        })
    }

    /// The scan with more conditions, over the table's columns.
    pub fn with_predicates(mut self, predicates: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        self.predicates.extend(predicates);
        self
    }

    /// The scan with at most so many rows in each partition.
    pub fn with_limit(mut self, limit: Option<usize>) -> Self {
        self.limit = limit;
        self
    }

    /// The scan, with what it does kept in a recorder too.
    pub fn recording(mut self, recorder: Arc<Recorder>) -> Self {
        self.counters = Arc::new(ScanCounters::recording(recorder, &self.files.location));
        self
    }

    /// The scan, counting what it does there.
    pub fn counting(mut self, counters: Arc<ScanCounters>) -> Self {
        self.counters = counters;
        self
    }

    /// The scan without the conditions that only speed it up.
    pub fn without_dynamic_filters(mut self) -> Self {
        self.predicates.retain(|predicate| !predicate::is_dynamic(predicate));
        self.awaited.clear();
        self
    }

    /// The scan with partitions that, one behind the other, have the rows in the order of the
    /// files. They are many, and small, for up to `threads` of them to run at a time.
    ///
    /// # Errors
    /// A file's pages can't be told from its footer.
    pub fn in_order(mut self, threads: usize) -> DataFusionResult<Self> {
        // one partition takes all windows as they come
        if self.partitions > 1 {
            let units = units::units(&self, threads)?;
            self.partitions = units.len().max(1);
            self.units = Some(units.into());
        }
        Ok(self)
    }

    /// An execution of a partition.
    fn execution(&self, queue: Arc<WorkQueue>, partition: usize) -> Execution {
        match &self.units {
            Some(units) => Execution::of(queue, partition, units.get(partition).cloned().unwrap_or_default()),
            None => Execution::new(queue, partition),
        }
    }

    /// The scan, not starting before those of its dynamic conditions are known that `from_joins`
    /// has the ids of.
    pub fn awaiting(mut self, from_joins: &HashSet<u64>) -> Self {
        self.awaited = self.predicates.iter().flat_map(predicate::dynamic_parts).collect();
        self.awaited.retain(|filter| filter.expression_id().is_some_and(|id| from_joins.contains(&id)));
        self
    }

    /// The output's schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What the scan has done so far.
    pub fn counters(&self) -> &Arc<ScanCounters> {
        &self.counters
    }

    /// The table's files.
    pub fn files(&self) -> &Arc<TableFiles> {
        &self.files
    }

    /// Bytes of the columns that the output and the conditions need: compressed, and decompressed.
    pub fn bytes(&self) -> (u64, u64) {
        let mut columns: BTreeSet<usize> = self.projection.iter().copied().collect();
        columns.extend(self.predicates.iter().flat_map(predicate::columns));
        let of_file = |file: &TableFile| {
            let schema = file.file.metadata().file_metadata().schema_descr();
            let wanted: BTreeSet<usize> =
                columns.iter().filter_map(|&c| file.columns.get(c).copied()).collect();
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

    /// Whether a dynamic condition compares lists, maps or structs: DataFusion's comparisons order
    /// nulls inside of them differently from its sorts, and maps have no order.
    fn compares_nested(&self, condition: &Arc<dyn PhysicalExpr>) -> bool {
        let is_nested = |part: &Arc<dyn PhysicalExpr>| {
            Ok(part.data_type(&self.schema).is_ok_and(|data_type| data_type.is_nested()))
        };
        // The closure has no error to give.
        predicate::is_dynamic(condition) && condition.exists(is_nested).unwrap_or(true)
    }

    /// Rows, sizes and bounds of the output, as far as they can be told before it runs.
    fn estimate(&self) -> Statistics {
        let selectivity = selectivity::estimate(&self.predicates, &self.statistics);
        let all = &self.statistics;
        let mut columns: Vec<_> = self.projection.iter().map(|&c| all.column_statistics[c].clone()).collect();
        let mut rows = all.num_rows;
        if !self.predicates.is_empty() {
            let scale = |n: usize| (n as f64 * selectivity).ceil() as usize;
            rows = Precision::Inexact(scale(rows.get_value().copied().unwrap_or(0)));
            for column in &mut columns {
                *column = column.clone().to_inexact();
            }
        }
        // Where bytes are known the planner builds a join's table of the side with fewer bytes;
        // what the table costs goes by rows, so that bytes are left out.
        let estimate =
            Statistics { num_rows: rows, total_byte_size: Precision::Absent, column_statistics: columns };
        match self.limit {
            Some(limit) => estimate.clone().with_fetch(Some(limit), 0, self.partitions).unwrap_or(estimate),
            None => estimate,
        }
    }
}

impl DataSource for PeltonSource {
    fn open(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let execution = self.execution(Arc::new(WorkQueue::new(self)), partition);
        Ok(stream::open(self, execution, &context))
    }

    fn create_sibling_state(&self, _config: &ConfigOptions) -> Option<Arc<dyn std::any::Any + Send + Sync>> {
        Some(Arc::new(WorkQueue::new(self)))
    }

    fn open_with_args(&self, args: OpenArgs) -> DataFusionResult<SendableRecordBatchStream> {
        let shared = args.sibling_state.and_then(|state| state.downcast::<WorkQueue>().ok());
        match shared {
            Some(queue) => {
                let execution = self.execution(queue, args.partition);
                Ok(stream::open(self, execution, &args.context))
            }
            None => self.open(args.partition, args.context),
        }
    }

    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let count = self.files.files.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "pelton {} ({count} file{plural}), columns=[{}]", self.files.location, names.join(", "))?;
        if !self.predicates.is_empty() {
            let all: Vec<_> = self.predicates.iter().map(ToString::to_string).collect();
            write!(f, ", filter={}", all.join(" AND "))?;
        }
        match self.limit {
            Some(limit) => write!(f, ", limit={limit}"),
            None => Ok(()),
        }
    }

    fn output_partitioning(&self) -> Partitioning {
        Partitioning::UnknownPartitioning(self.partitions)
    }

    fn eq_properties(&self) -> EquivalenceProperties {
        let mut properties = EquivalenceProperties::new(self.schema.clone());
        let column = |at: usize| Arc::new(Column::new(self.schema.field(at).name(), at));
        for (at, table_column) in self.projection.iter().enumerate() {
            // a column of the file under two names
            if let Some(first) = self.projection[..at].iter().position(|other| other == table_column) {
                // only an order could make it fail, and there is none
                _ = properties.add_equal_conditions(column(first), column(at));
            }
        }
        properties
    }

    fn partition_statistics(&self, partition: Option<usize>) -> DataFusionResult<Arc<Statistics>> {
        let estimate = self.estimate();
        Ok(Arc::new(match partition {
            // which rows a partition gets is decided while it runs
            Some(_) => {
                let part = |n: usize| n / self.partitions;
                let mut share = estimate.to_inexact();
                share.num_rows = share.num_rows.map(part);
                share
            }
            None => estimate,
        }))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn DataSource>> {
        Some(Arc::new(self.clone().with_limit(limit)))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn metrics(&self) -> ExecutionPlanMetricsSet {
        metrics::describe(&self.counters.totals())
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> DataFusionResult<Option<Arc<dyn DataSource>>> {
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        for expression in projection.iter() {
            let Some(column) = expression.expr.downcast_ref::<Column>() else { return Ok(None) };
            columns.push(self.projection[column.index()]);
            let field = self.schema.field(column.index()).clone();
            fields.push(field.with_name(&expression.alias));
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()));
        Ok(Some(Arc::new(Self { projection: columns, schema, ..self.clone() })))
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> DataFusionResult<FilterPushdownPropagation<Arc<dyn DataSource>>> {
        // a limit counts rows that pass what was pushed down before it
        if self.limit.is_some() {
            return Ok(FilterPushdownPropagation::with_parent_pushdown_result(vec![
                PushedDown::No;
                filters.len()
            ]));
        }
        let mut taken = Vec::new();
        let mut results = Vec::with_capacity(filters.len());
        for filter in filters {
            if is_volatile(&filter) || self.compares_nested(&filter) {
                results.push(PushedDown::No);
            } else {
                taken.push(predicate::to_table_columns(filter, &self.projection, &self.files.schema)?);
                results.push(PushedDown::Yes);
            }
        }
        let mut propagation = FilterPushdownPropagation::with_parent_pushdown_result(results);
        if !taken.is_empty() {
            let node: Arc<dyn DataSource> = Arc::new(self.clone().with_predicates(taken));
            propagation = propagation.with_updated_node(node);
        }
        Ok(propagation)
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        for predicate in &self.predicates {
            if f(predicate)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }
}
