//! Tables written as Parquet files.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton_pages::{AtomicFile, Cause, Place, TableWriter, WriteOptions, Written};
use pelton_query::Result;

use crate::engine::Engine;

impl Engine {
    /// Begins a Parquet file; the devices compress its pages. Errors call it `name`.
    ///
    /// # Errors
    /// A column's type is one that Parquet has no place for, a number of the options is zero, or
    /// `to` can't be written.
    pub fn table_writer<W: Write + Send>(
        &self,
        to: W,
        name: &str,
        schema: &SchemaRef,
        options: WriteOptions,
    ) -> Result<TableWriter<W>> {
        Ok(TableWriter::new(to, &Arc::from(name), schema, options, &self.router())?)
    }

    /// Writes rows as a Parquet file. It appears under its name when it is whole and on disk; a
    /// file that was there is replaced then, and not before.
    ///
    /// # Errors
    /// As [`Engine::table_writer`], an error of a batch, and a folder or disk that does not take
    /// the file. The incomplete file is removed then.
    pub fn write_parquet(
        &self,
        path: &Path,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch>>,
        options: WriteOptions,
    ) -> Result<Written> {
        let name: Arc<str> = path.display().to_string().into();
        let failed =
            |e: std::io::Error| pelton_pages::Error::new(Place::file(&name), Cause::Write(e.to_string()));
        let file = AtomicFile::create(path).map_err(failed)?;
        let mut writer = self.table_writer(file, &name, schema, options)?;
        for batch in batches {
            writer.write(&batch?)?;
        }
        let (file, written) = writer.finish()?;
        file.commit().map_err(failed)?;
        Ok(written)
    }
}
