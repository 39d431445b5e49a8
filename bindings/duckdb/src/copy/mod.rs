//! `COPY … TO '…' (FORMAT pelton)`: writes rows as a Parquet file; the router compresses its pages.
//!
//! DuckDB gives chunks of a few thousand rows: its first interface on one thread for each file, the
//! others on several. Their values are copied into larger arrays ([`gather`]), and
//! [`pelton_pages::TableWriter`] encodes and compresses those on its own threads, while DuckDB goes
//! on.

mod columns;
mod gather;
mod options;
mod types;

use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use pelton_pages::{AtomicFile, TableWriter, WriteOptions};

use crate::resources::{Resources, resources};
use crate::settings::Settings;
use crate::sys::{CopyBind, CopyFunction, Kind, Rows, Values};
use gather::Gather;
use options::Options;

/// Rows that are gathered before they are encoded: several chunks, so that an encoder call handles
/// many values, but few enough to be in the cache then.
const BATCH_ROWS: usize = 16 * 1024;

/// The format `pelton`.
pub struct PeltonCopy;

/// A bound statement.
pub struct Bound {
    resources: Arc<Resources>,
    options: WriteOptions,
    columns: Vec<(String, Kind)>,
    /// Whether the rows come as one struct with the columns as its fields.
    is_struct: bool,
}

/// A file in progress.
pub struct Writing {
    writer: TableWriter<BufWriter<AtomicFile>>,
    path: String,
}

impl CopyFunction for PeltonCopy {
    const NAME: &'static str = "pelton";
    type Bound = Bound;
    type File = Writing;
    type Gathered = Gathered;

    fn bind(bind: &dyn CopyBind) -> Result<Bound, String> {
        let Options { parquet, device, columns } = Options::of(bind.options()?)?;
        let (columns, is_struct) = columns::named(bind.columns()?, columns)?;
        // A type that Parquet lacks is reported before a file exists.
        gatherers(&columns)?;
        let settings = Settings::of(bind, device)?;
        let resources = resources(&settings)?;
        let options = parquet.finish(options::CODEC, settings.threads)?;
        Ok(Bound { resources, options, columns, is_struct })
    }

    fn open(bound: &Bound, path: &str) -> Result<Writing, String> {
        let (schema, _) = gatherers(&bound.columns)?;
        let file = AtomicFile::create(Path::new(path)).map_err(|e| format!("{path}: cannot write: {e}"))?;
        let to = BufWriter::new(file);
        let writer = TableWriter::new(to, &Arc::from(path), &schema, bound.options, &bound.resources.router);
        let writer = writer.map_err(|e| e.to_string())?;
        Ok(Writing { writer, path: path.to_owned() })
    }

    fn gathering(bound: &Bound) -> Result<Gathered, String> {
        let (schema, columns) = gatherers(&bound.columns)?;
        Ok(Gathered { schema, columns, rows: 0, batches: Vec::new() })
    }

    fn gather(bound: &Bound, gathered: &mut Gathered, rows: &Rows) -> Result<(), String> {
        if bound.is_struct {
            let structs = rows.column(0);
            columns::check_rows(&structs)?;
            gathered.push(rows.len(), |index| structs.field(index))
        } else {
            gathered.push(rows.len(), |index| rows.column(index))
        }
    }

    fn write(file: &mut Writing, gathered: &mut Gathered, are_all: bool) -> Result<(), String> {
        if are_all && gathered.rows > 0 {
            gathered.finish().map_err(|error| format!("{}: {error}", file.path))?;
        }
        gathered.batches.drain(..).try_for_each(|batch| file.writer.write(&batch)).map_err(|e| e.to_string())
    }

    fn finish(file: Writing) -> Result<(), String> {
        let Writing { writer, path } = file;
        let (to, _) = writer.finish().map_err(|e| e.to_string())?;
        let failed = |e: std::io::Error| format!("{path}: cannot write: {e}");
        to.into_inner().map_err(|e| failed(e.into_error()))?.commit().map_err(failed)
    }
}

/// Returns the schema of a file with these columns, and the gatherers of their values.
fn gatherers(columns: &[(String, Kind)]) -> Result<(SchemaRef, Vec<Box<dyn Gather>>), String> {
    let columns = columns.iter().map(|(name, of)| types::column(name, of)).collect::<Result<Vec<_>, _>>()?;
    let (fields, gathered): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    Ok((Arc::new(Schema::new(fields)), gathered))
}

/// Gathered rows.
pub struct Gathered {
    schema: SchemaRef,
    columns: Vec<Box<dyn Gather>>,
    /// Rows in `columns`.
    rows: usize,
    /// Full batches, of [`BATCH_ROWS`] each.
    batches: Vec<RecordBatch>,
}

impl Gathered {
    fn push<'a>(&mut self, rows: usize, column: impl Fn(usize) -> Values<'a>) -> Result<(), String> {
        for (index, gathered) in self.columns.iter_mut().enumerate() {
            let pushed = gathered.push(&column(index));
            pushed.map_err(|what| format!("column {}: {what}", self.schema.field(index).name()))?;
        }
        self.rows += rows;
        if self.rows >= BATCH_ROWS { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), String> {
        let arrays = self.columns.iter_mut().map(|column| column.finish()).collect::<Result<Vec<_>, _>>();
        self.rows = 0;
        let batch = arrays.and_then(|arrays| RecordBatch::try_new(self.schema.clone(), arrays));
        self.batches.push(batch.map_err(|e| format!("internal error of Pelton's: {e}"))?);
        Ok(())
    }
}
