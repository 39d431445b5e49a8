//! One row group's worth of a table at a time from the tpchgen crate, as Arrow batches.
//!
//! tpchgen can start anywhere in a table: it is asked for part `i` of `n`. The parts joined in
//! order are the table for every `n`, so threads can each make parts and the rows come out the
//! same.

use arrow::array::{ArrayRef, RecordBatch};
use arrow::error::ArrowError;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use super::convert::{self, Columns};
use super::table::Table;
use crate::Error;

/// Rows in a batch that goes to the Parquet writer: 8192 rows of lineitem are about 1.5 MB, which
/// stays in a second-level cache between the making of a column and its encoding.
const BATCH_ROWS: usize = 8192;

/// Makes part `part` (from 0) of `parts` of `table` at `scale_factor` and gives it to `sink` batch
/// by batch.
pub fn generate_part(
    table: Table,
    scale_factor: f64,
    part: u32,
    parts: u32,
    sink: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
) -> Result<(), Error> {
    let out_of_range = || Error::Argument(format!("scale factor {scale_factor} is too large"));
    let step = i32::try_from(part).ok().and_then(|p| p.checked_add(1)).ok_or_else(out_of_range)?;
    let steps = i32::try_from(parts).map_err(|_| out_of_range())?;
    let sf = scale_factor;
    let schema = table.schema();
    let mut emit = |columns: Vec<ArrayRef>| sink(RecordBatch::try_new(schema.clone(), columns)?);
    match table {
        Table::Lineitem => {
            in_batches(LineItemGenerator::new(sf, step, steps).iter(), convert::lineitem, &mut emit)
        }
        Table::Orders => in_batches(OrderGenerator::new(sf, step, steps).iter(), convert::orders, &mut emit),
        Table::Partsupp => {
            in_batches(PartSuppGenerator::new(sf, step, steps).iter(), convert::partsupp, &mut emit)
        }
        Table::Part => in_batches(PartGenerator::new(sf, step, steps).iter(), convert::part, &mut emit),
        Table::Customer => {
            in_batches(CustomerGenerator::new(sf, step, steps).iter(), convert::customer, &mut emit)
        }
        Table::Supplier => {
            in_batches(SupplierGenerator::new(sf, step, steps).iter(), convert::supplier, &mut emit)
        }
        Table::Nation => in_batches(NationGenerator::new(sf, step, steps).iter(), convert::nation, &mut emit),
        Table::Region => in_batches(RegionGenerator::new(sf, step, steps).iter(), convert::region, &mut emit),
    }
}

fn in_batches<Row>(
    mut rows: impl Iterator<Item = Row>,
    convert: fn(&[Row]) -> Columns,
    emit: &mut dyn FnMut(Vec<ArrayRef>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut batch = Vec::with_capacity(BATCH_ROWS);
    loop {
        batch.clear();
        batch.extend(rows.by_ref().take(BATCH_ROWS));
        if batch.is_empty() {
            return Ok(());
        }
        emit(convert(&batch).map_err(|e: ArrowError| Error::from(e))?)?;
    }
}
