//! Tables written as Parquet files.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton_pages::{Cause, Place, TableWriter, WriteOptions, Written};
use pelton_query::stores::Output;
use pelton_query::{Result, WritingMemory};

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

    /// Reserves the part of the memory limit that is for a file of rows, until it is dropped. Its
    /// bounds are for writers that this crate does not open.
    pub fn writing_memory(&self) -> WritingMemory {
        self.session.writing_memory()
    }

    /// Begins a file of a store, which appears when it is committed; `None` for a local place.
    /// Writing to it blocks.
    pub fn create_in_store(&self, place: &str) -> Option<Result<Output>> {
        Output::create_in_store(place, self.session.stores())
    }

    /// Writes rows as a Parquet file, local or in a store. It appears under its name when it is
    /// whole and on disk; a file that was there is replaced then, and not before.
    ///
    /// # Errors
    /// As [`Engine::table_writer`], an error of a batch, and a folder, disk or store that does not
    /// take the file. The incomplete file is removed then.
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
        let file = Output::create(&path.to_string_lossy(), self.session.stores())?;
        let memory = self.writing_memory();
        let mut writer = self.table_writer(file, &name, schema, memory.bounded_options(options, 1))?;
        for batch in batches {
            writer.write(&batch?)?;
        }
        let (file, written) = writer.finish()?;
        file.commit().map_err(failed)?;
        Ok(written)
    }
}
