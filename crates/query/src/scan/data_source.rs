//! DataFusion's view of a scan: partitions, estimates, pushdown and metrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::datasource::source::{DataSource, OpenArgs};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricValue, Time};
use pelton_pages::ScanTotals;

use super::execution::Execution;
use super::queue::MorselQueue;
use super::source::PeltonSource;
use super::{predicate, stream, units};
use crate::tree::Tree;

impl PeltonSource {
    /// Returns the scan with partitions that, concatenated, have the rows in the order of the
    /// files. The partitions are small and numerous, so that up to `threads` of them run at a time.
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

    /// Returns the scan with partitions that share no value of a column of the output, by the
    /// statistics of the files. `None` if these don't tell so, or if it isn't worthwhile for
    /// `threads`. The partitions are more than the threads.
    pub fn by_key_ranges(&self, column: usize, threads: usize) -> Option<Self> {
        if self.partitions == 1 || self.units.is_some() || self.limit.is_some() {
            return None;
        }
        let units = units::key_ranges(self, self.projection[column], threads)?;
        Some(Self { partitions: units.len(), units: Some(units.into()), ..self.clone() })
    }

    /// Returns an execution of a partition.
    fn execution(&self, queue: Arc<MorselQueue>, partition: usize) -> Execution {
        match &self.units {
            Some(units) => Execution::of(queue, partition, units.get(partition).cloned().unwrap_or_default()),
            None => Execution::new(queue, partition),
        }
    }

    /// Returns whether a dynamic condition compares lists, maps or structs: DataFusion's
    /// comparisons order nulls inside of them differently from its sorts, and maps have no order.
    fn compares_nested(&self, condition: &Arc<dyn PhysicalExpr>) -> bool {
        let is_nested = |part: &Arc<dyn PhysicalExpr>| {
            Ok(part.data_type(&self.schema).is_ok_and(|data_type| data_type.is_nested()))
        };
        // The closure has no error to give.
        predicate::is_dynamic(condition) && condition.exists(is_nested).unwrap_or(true)
    }

    /// Returns whether a condition over the output reads the column of row numbers, which only the
    /// scan's output has.
    fn reads_row_number(&self, condition: &Arc<dyn PhysicalExpr>) -> bool {
        let number = self.files.row_number;
        number.is_some()
            && predicate::columns(condition)
                .iter()
                .any(|&column| self.projection.get(column).copied() == number)
    }

    /// Returns rows and bounds of the output, as estimated before it runs.
    fn estimate(&self) -> Statistics {
        let all = &self.statistics;
        let mut columns: Vec<_> = self.projection.iter().map(|&c| all.column_statistics[c].clone()).collect();
        let mut rows = all.num_rows;
        if !self.predicates.is_empty() {
            let scale = |n: usize| (n as f64 * self.selectivity).ceil() as usize;
            rows = Precision::Inexact(scale(rows.get_value().copied().unwrap_or(0)));
            for column in &mut columns {
                *column = column.clone().to_inexact();
            }
        }
        // With known bytes the planner would build a join's table from the side with fewer bytes.
        // The cost of that table depends on its rows, so bytes are left out.
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
        let execution = self.execution(Arc::new(MorselQueue::new(self)), partition);
        Ok(stream::open(self, execution, &context))
    }

    fn create_sibling_state(&self, _config: &ConfigOptions) -> Option<Arc<dyn std::any::Any + Send + Sync>> {
        Some(Arc::new(MorselQueue::new(self)))
    }

    fn open_with_args(&self, args: OpenArgs) -> DataFusionResult<SendableRecordBatchStream> {
        let shared = args.sibling_state.and_then(|state| state.downcast::<MorselQueue>().ok());
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
        let listed = self.files.listed;
        let plural = if listed == 1 { "" } else { "s" };
        let of = if count == listed { String::new() } else { format!(" of {listed}") };
        let location = &self.files.location;
        write!(f, "pelton {location} ({count}{of} file{plural}), columns=[{}]", names.join(", "))?;
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
                // only an order could make it fail, and the properties have none
                _ = properties.add_equal_conditions(column(first), column(at));
            }
        }
        properties
    }

    fn partition_statistics(&self, partition: Option<usize>) -> DataFusionResult<Arc<Statistics>> {
        let estimate = self.estimate();
        Ok(Arc::new(match partition {
            // the rows of a partition are decided while it runs
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
        let metrics = metrics(&self.counters.totals());
        if !self.keys.is_empty() {
            let (tested, passed) = self.keys.counters.totals();
            MetricBuilder::new(&metrics).global_counter("keys_tested_in_bitmap").add(tested as usize);
            MetricBuilder::new(&metrics).global_counter("keys_found_in_bitmap").add(passed as usize);
        }
        metrics
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
        // a limit counts the rows that pass conditions pushed down before it
        if self.limit.is_some() {
            return Ok(FilterPushdownPropagation::with_parent_pushdown_result(vec![
                PushedDown::No;
                filters.len()
            ]));
        }
        let mut taken = Vec::new();
        let mut results = Vec::with_capacity(filters.len());
        for filter in filters {
            if is_volatile(&filter) || self.compares_nested(&filter) || self.reads_row_number(&filter) {
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

/// Returns the metrics of one scan, all its partitions together.
fn metrics(totals: &ScanTotals) -> ExecutionPlanMetricsSet {
    let set = ExecutionPlanMetricsSet::new();
    let count =
        |name: &'static str, value: u64| MetricBuilder::new(&set).global_counter(name).add(value as usize);
    let time = |name: String, value: Duration| {
        let time = Time::new();
        time.add_duration(value);
        MetricBuilder::new(&set).build(MetricValue::Time { name: name.into(), time });
    };
    MetricBuilder::new(&set).output_rows(0).add(totals.rows_selected as usize);
    count("rows_decoded", totals.rows_decoded);
    count("bytes_read", totals.bytes_read);
    count("row_groups_read", totals.row_groups_read);
    count("row_groups_pruned", totals.row_groups_pruned);
    count("pages_read", totals.pages_read);
    count("pages_pruned", totals.pages_skipped);
    count("pages_cached", totals.pages_cached);
    count("pages_decided_encoded", totals.encoded_pages);
    count("rows_decided_encoded", totals.encoded_rows);
    count("values_cut_out", totals.values_cut_out);
    count("values_direct", totals.values_direct);
    count("pages_not_looked_up", totals.not_looked_up);
    count("footers_read", totals.footers.read);
    count("footers_cached", totals.footers.cached);
    count("files_pruned", totals.footers.pruned);
    if totals.traffic.requests > 0 {
        count("store_requests", totals.traffic.requests);
        count("store_bytes", totals.traffic.bytes);
        time("store_first_byte_time".to_owned(), totals.traffic.first_byte);
    }
    for ((format, device), entry) in &totals.decompression {
        let name = format!("decompressed_{format}_{device}");
        MetricBuilder::new(&set).global_counter(format!("{name}_bytes")).add(entry.bytes_out as usize);
        time(format!("{name}_time"), entry.time);
    }
    for ((format, device), entry) in &totals.looked_up {
        let name = format!("looked_up_{format}_{device}");
        MetricBuilder::new(&set).global_counter(format!("{name}_pages")).add(entry.pages as usize);
        time(format!("{name}_time"), entry.time);
    }
    time("io_time".to_owned(), totals.read_time);
    time("decode_time".to_owned(), totals.decode_time);
    time("filter_time".to_owned(), totals.filter_time);
    set
}
