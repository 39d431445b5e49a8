//! Further kinds of tables: lists of files, rows in memory; and engines over the same
//! machine.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parking_lot::Mutex;
use pelton_query::Result;

use crate::engine::Engine;
use crate::functions;
use crate::profile::Recording;

impl Engine {
    /// Gives the Parquet files at several locations a name, as one table.
    ///
    /// # Errors
    /// As [`Engine::register`].
    pub fn register_files(&self, name: &str, locations: &[String]) -> Result<()> {
        self.threads().block_on(self.session.register(name, locations))
    }

    /// Gives rows in memory a name. The batches are shared, not copied.
    ///
    /// # Errors
    /// Two columns have one name, or a batch has other columns than the schema.
    pub fn register_batches(&self, name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<()> {
        self.session.register_batches(name, schema, batches)
    }

    /// Removes a table; returns whether it existed. Running queries keep it to their end.
    ///
    /// # Errors
    /// A fault of Pelton's.
    pub fn deregister(&self, name: &str) -> Result<bool> {
        self.session.deregister(name)
    }

    /// Returns the names that were registered, in order.
    pub fn tables(&self) -> Vec<String> {
        self.session.tables()
    }

    /// Returns an engine with the same devices, threads and memory limit, and with the tables of
    /// this one. Later registrations in one engine do not reach the other. The call takes less than
    /// a millisecond.
    ///
    /// # Errors
    /// A fault of Pelton's.
    pub fn branch(&self) -> Result<Engine> {
        let session = self.threads().block_on(self.session.branch())?;
        let machine = Arc::new(self.machine.branch());
        let session = session.hosted(machine.clone(), self.session.settings());
        functions::register(&session, &machine);
        let (notes, recording) = (self.notes.clone(), self.recording.clone());
        Ok(Engine { session, machine, notes, recording, pages: Mutex::new(self.pages.lock().clone()) })
    }

    /// As [`Engine::branch`], and records the work of its queries for
    /// [`Query::take_profile`](crate::Query::take_profile), one query at a time.
    ///
    /// # Errors
    /// As [`Engine::branch`].
    pub fn branch_recording(&self) -> Result<Engine> {
        let mut engine = self.branch()?;
        engine.start_recording();
        Ok(engine)
    }

    pub(crate) fn start_recording(&mut self) {
        self.recording = Some(self.new_recording());
    }

    /// Returns a recorder of the queries that are planned from now on.
    pub(crate) fn new_recording(&self) -> Recording {
        let recording = Recording { recorder: Arc::default(), gpu: self.machine().gpu.clone() };
        self.session.record(recording.recorder.clone());
        recording
    }
}
