//! Addition of a file to a table in memory, whose small files are merged.

use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::physical_plan::execute_stream;
use pelton_pages::ParquetFile;

use super::table;
use crate::error::{Error, Result};
use crate::plan::catalog::{Catalog, Entry, missing};
use crate::table::{Memory, PeltonTable, rows};

/// Largest number of rows that files are merged to: those of a full row group. Beyond it, merging
/// would leave out no row group.
const MERGED_ROWS: u64 = 1 << 20;

/// Attempts to merge while others insert into the same table.
const ATTEMPTS: usize = 3;

/// Adds a file to a table. It is merged with files in front of it that are no larger than the sum
/// of those behind them, so that many small insertions leave a number of files that grows with the
/// logarithm of the rows.
///
/// # Errors
/// The table is gone, or has other columns now; or its rows can't be read.
pub(super) async fn append(
    catalog: &Catalog,
    memory: &Memory,
    context: &Arc<TaskContext>,
    name: &str,
    file: Arc<ParquetFile>,
) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let entry = catalog.current(name).ok_or_else(|| missing(name))?;
        let seen = fitting(name, &entry, &file)?;
        let replaced = small(seen, rows(&file));
        if replaced == 0 {
            break;
        }
        let merged = match merged(memory, context, name, seen, replaced, &file).await {
            Ok(merged) => merged,
            // the table fits in memory as it is
            Err(Error::Memory(_)) => break,
            Err(error) => return Err(error),
        };
        let mut is_done = false;
        catalog.change(name, |now| {
            let table = fitting(name, now, &file)?;
            is_done = Arc::ptr_eq(table.files(), seen.files());
            match is_done {
                true => Ok(Entry::Table(Arc::new(table.with_file(name, replaced, merged)?))),
                false => Ok(now.clone()),
            }
        })?;
        if is_done {
            return Ok(());
        }
    }
    catalog.change(name, |now| {
        let table = fitting(name, now, &file)?;
        Ok(Entry::Table(Arc::new(table.with_file(name, 0, file.clone())?)))
    })
}

/// Returns the table of an entry, if it has the columns of a file.
fn fitting<'a>(name: &str, entry: &'a Entry, file: &ParquetFile) -> Result<&'a PeltonTable> {
    let table = table(name, entry)?;
    match table.files().schema.fields() == file.schema().fields() {
        true => Ok(table),
        false => Err(Error::Execution(format!(
            "{name} was replaced by a table with other columns during the INSERT: run it again"
        ))),
    }
}

/// Returns the number of last files that a file with `rows` rows is merged with.
fn small(table: &PeltonTable, rows_behind: u64) -> usize {
    let mut sum = rows_behind;
    let files = table.files().files.iter().rev();
    files
        .take_while(|file| {
            let rows = rows(&file.file);
            let is_small = rows <= sum && rows.saturating_add(sum) <= MERGED_ROWS;
            sum = sum.saturating_add(rows);
            is_small
        })
        .count()
}

async fn merged(
    memory: &Memory,
    context: &Arc<TaskContext>,
    name: &str,
    table: &PeltonTable,
    replaced: usize,
    file: &Arc<ParquetFile>,
) -> Result<Arc<ParquetFile>> {
    let last = table.last_files(name, replaced, file.clone())?;
    let rows = execute_stream(last.in_order()?, context.clone())?;
    let (merged, _) = memory.write(name, &table.files().schema, rows).await?;
    Ok(merged)
}
