//! Table functions over files: `read_parquet`, `read_csv`, `parquet_metadata` and others.
//!
//! DataFusion plans table functions without waiting for a file, and without named arguments. So a
//! pass over the statement turns each call into the name of a table, which is the call's text, and
//! the catalog makes the table of that name when the statement's tables are looked up.

mod call;
mod footers;
mod parquet;
mod places;
mod text;

use std::sync::Arc;

use datafusion::catalog::TableProvider;

use crate::error::Result;
use crate::scan::ScanContext;
use call::Call;
pub(super) use text::is_text;

/// Names of the functions.
pub(super) const FUNCTIONS: [&str; 15] = [
    "delta_scan",
    "glob",
    "parquet_bloom_probe",
    "parquet_file_metadata",
    "parquet_kv_metadata",
    "parquet_metadata",
    "parquet_scan",
    "parquet_schema",
    "read_csv",
    "read_csv_auto",
    "read_json",
    "read_json_auto",
    "read_ndjson",
    "read_ndjson_auto",
    "read_parquet",
];

/// Returns the table of a call's text; `None` if the text is no call of one of [`FUNCTIONS`].
///
/// # Errors
/// An argument is wrong, or a file can't be read.
pub(super) async fn table(text: &str, context: &ScanContext) -> Result<Option<Arc<dyn TableProvider>>> {
    let Some(call) = Call::parse(text, &FUNCTIONS)? else { return Ok(None) };
    Ok(Some(match call.name.as_str() {
        "delta_scan" => parquet::delta(call, context).await?,
        "glob" => places::glob(call, &context.stores).await?,
        "read_parquet" | "parquet_scan" => parquet::read(call, context).await?,
        "read_csv" | "read_csv_auto" => text::csv(call, context).await?,
        "read_json" | "read_json_auto" => text::json(call, context, false).await?,
        "read_ndjson" | "read_ndjson_auto" => text::json(call, context, true).await?,
        _ => footers::table(call, &context.stores).await?,
    }))
}

/// Returns the table of a place whose name says that its files are text; see [`is_text`].
///
/// # Errors
/// A file can't be read.
pub(super) async fn text_table(place: &str, context: &ScanContext) -> Result<Arc<dyn TableProvider>> {
    text::place(place, context).await
}
