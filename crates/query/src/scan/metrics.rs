//! A scan's counters in the form that EXPLAIN ANALYZE prints.

use std::time::Duration;

use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricValue, Time};
use pelton_pages::ScanTotals;

/// The metrics of one scan, all its partitions together.
pub(super) fn describe(totals: &ScanTotals) -> ExecutionPlanMetricsSet {
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
