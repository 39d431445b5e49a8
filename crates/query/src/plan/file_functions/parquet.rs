//! `read_parquet`.

use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::call::Call;
use crate::error::Result;
use crate::scan::ScanContext;
use crate::table::{HivePartitions, PeltonTable, TableOptions};

/// Returns the table of `read_parquet(places, …)`.
pub(super) async fn read(mut call: Call, context: &ScanContext) -> Result<Arc<dyn TableProvider>> {
    let places = call.places()?;
    let options = TableOptions {
        hive: hive(&mut call)?,
        union_by_name: call.flag("union_by_name")?.unwrap_or(false),
        filename: call.column_name("filename")?,
        row_number: call.column_name("file_row_number")?,
        ..TableOptions::default()
    };
    call.finish()?;
    Ok(Arc::new(PeltonTable::open_with(&places, &options, context.clone()).await?))
}

/// Removes the option `hive_partitioning`.
pub(super) fn hive(call: &mut Call) -> Result<HivePartitions> {
    Ok(match call.flag("hive_partitioning")? {
        None => HivePartitions::Below,
        Some(true) => HivePartitions::Whole,
        Some(false) => HivePartitions::Off,
    })
}
