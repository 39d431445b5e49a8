//! `parquet_metadata` and the other functions that read footers alone.

mod bounds;
mod chunks;
mod columns;
mod file;
mod schema;

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::{StreamExt, TryStreamExt, stream};
use pelton_pages::{FooterOptions, Location, ParquetFile, listing};

use super::call::{Argument, Call};
use crate::error::{Error, Result, wrap};

/// Footers that are read ahead, so that a store is not idle.
const AHEAD: usize = 8;

/// Returns the table of a call of one of the functions over footers.
pub(super) async fn table(mut call: Call) -> Result<Arc<dyn TableProvider>> {
    let places = call.places()?;
    let rows = match call.name.as_str() {
        "parquet_metadata" => Rows::Chunks,
        "parquet_schema" => Rows::Schema,
        "parquet_file_metadata" => Rows::File,
        "parquet_kv_metadata" => Rows::KeyValues,
        _ => {
            let column = call.next().and_then(Argument::into_text);
            let value = call.next();
            match (column, value) {
                (Some(column), Some(value)) => Rows::Bloom { column, value },
                _ => {
                    return Err(call.error(
                        "give a file, a column and a value: parquet_bloom_probe('x.parquet', 'id', 7)",
                    ));
                }
            }
        }
    };
    call.finish()?;
    let mut files = Vec::new();
    for place in &places {
        files.extend(listing::list(place).await?.into_iter().map(|file| file.location));
    }
    let footers = Footers { schema: rows.schema(), rows: Arc::new(rows), files };
    Ok(Arc::new(StreamingTable::try_new(footers.schema.clone(), vec![Arc::new(footers)])?))
}

/// Rows that are made of a footer.
#[derive(Debug)]
enum Rows {
    /// One for each column chunk.
    Chunks,
    /// One for each element of the schema.
    Schema,
    /// One for each file.
    File,
    /// One for each pair of keys and values.
    KeyValues,
    /// One for each row group, with the answer of a column's bloom filter.
    Bloom { column: String, value: Argument },
}

impl Rows {
    fn schema(&self) -> SchemaRef {
        match self {
            Rows::Chunks => columns::schema(&chunks::columns()),
            Rows::Schema => columns::schema(&schema::columns()),
            Rows::File => columns::schema(&file::columns()),
            Rows::KeyValues => columns::schema(&file::pair_columns()),
            Rows::Bloom { .. } => columns::schema(&file::answer_columns()),
        }
    }

    async fn of(&self, file: &ParquetFile) -> Result<Vec<RecordBatch>> {
        let groups = 0..file.metadata().num_row_groups();
        match self {
            // a batch for each row group, since there may be millions of chunks
            Rows::Chunks => {
                let of_group = |group| columns::batch(&chunks::columns(), &chunks::of_row_group(file, group));
                groups.map(of_group).collect()
            }
            Rows::Schema => Ok(vec![columns::batch(&schema::columns(), &schema::elements(file))?]),
            Rows::File => Ok(vec![columns::batch(&file::columns(), &[file::About::read(file).await?])?]),
            Rows::KeyValues => Ok(vec![columns::batch(&file::pair_columns(), &file::key_values(file))?]),
            Rows::Bloom { column, value } => {
                Ok(vec![columns::batch(&file::answer_columns(), &file::probe(file, column, value).await?)?])
            }
        }
    }
}

/// Rows of the footers of some files, which are read on execution.
struct Footers {
    schema: SchemaRef,
    rows: Arc<Rows>,
    files: Vec<Location>,
}

impl fmt::Debug for Footers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.files.iter().map(|file| file.name().as_ref()).collect();
        write!(f, "footers of {}", names.join(", "))
    }
}

impl PartitionStream for Footers {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.clone();
        let read = stream::iter(self.files.clone()).map(move |location| {
            let rows = rows.clone();
            async move {
                let file = ParquetFile::open(location, &FooterOptions::default()).await?;
                let batches = rows.of(&file).await?;
                Ok::<_, Error>(stream::iter(batches.into_iter().map(Ok::<_, Error>)))
            }
        });
        let batches = read.buffered(AHEAD).try_flatten().map_err(wrap);
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}
