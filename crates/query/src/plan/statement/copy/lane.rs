//! Thread of a COPY: the files that it writes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use pelton_job::Router;
use pelton_pages::{AtomicFolder, Cause, Error as FileError, OutputFile, Place, RowFormat, RowWriter};
use tokio::sync::mpsc::Receiver;

use super::file_names::FileNames;
use super::partitions::PartitionRows;
use crate::error::{Error, Result};
use crate::stores::{Output, StoreFolder, Stores};

/// Folder of a result of several files.
#[derive(Clone)]
pub(super) enum OutputFolder {
    Local(Arc<AtomicFolder>),
    InStore(Arc<StoreFolder>),
}

/// Means of all threads of a statement.
pub(super) struct Means {
    /// The place, as the statement has it.
    pub place: String,
    /// The place as it is shown.
    pub shown: String,
    pub stores: Arc<Stores>,
    pub format: RowFormat,
    /// Schema of the files.
    pub schema: SchemaRef,
    pub router: Arc<Router>,
    /// Pattern of the names of the folder's files; `None`: `data_` and their number.
    pub names: Option<FileNames>,
    /// Infix of the files' names that no other statement has, if the folder has files; else empty.
    pub mark: String,
}

impl Means {
    /// Returns the error of a file.
    pub fn failed(&self, name: &str, error: &std::io::Error) -> Error {
        Error::Pages(FileError::new(Place::file(&name.into()), Cause::Write(error.to_string())))
    }
}

/// Step of a lane.
pub(super) enum Message {
    /// Writes rows of a partition.
    Rows(PartitionRows),
    /// Closes all files: no more rows of these partitions come.
    Close,
    /// Ends the lane.
    End,
}

/// See the module.
pub(super) struct Lane {
    means: Arc<Means>,
    /// The folder of the files; `None`: one file is the result.
    folder: Option<OutputFolder>,
    open: HashMap<usize, RowWriter<Output>>,
    written: Written,
}

/// Files that a thread wrote.
#[derive(Default)]
pub(super) struct Written {
    /// The file that is the result, if it is one file, without its name.
    pub whole: Option<Output>,
    /// Places of all files.
    pub names: Vec<String>,
    /// Largest number of files that were open at a time.
    pub most_open: usize,
}

impl Lane {
    pub fn new(means: Arc<Means>, folder: Option<OutputFolder>) -> Self {
        Self { means, folder, open: HashMap::new(), written: Written::default() }
    }

    /// Writes rows until the end, and all bytes to disk. Returns the files.
    ///
    /// # Errors
    /// A file can't be written, or the senders were dropped before the end: the statement was
    /// cancelled.
    pub fn run(mut self, mut messages: Receiver<Message>) -> Result<Written> {
        while let Some(next) = messages.blocking_recv() {
            match next {
                Message::Rows(part) => self.write(&part)?,
                Message::Close => self.close_all()?,
                Message::End => {
                    self.close_all()?;
                    return Ok(self.written);
                }
            }
        }
        Err(Error::Cancelled)
    }

    fn write(&mut self, part: &PartitionRows) -> Result<()> {
        if let Some(writer) = self.open.get_mut(&part.partition) {
            return Ok(writer.write(&part.rows)?);
        }
        let mut writer = self.create(part.partition, &part.folder)?;
        let written = writer.write(&part.rows);
        self.open.insert(part.partition, writer);
        self.written.most_open = self.written.most_open.max(self.open.len());
        Ok(written?)
    }

    fn create(&mut self, partition: usize, folder: &str) -> Result<RowWriter<Output>> {
        let means = &self.means;
        let (name, file) = match &self.folder {
            None => (means.shown.clone(), Output::create(&means.place, &means.stores)?),
            Some(all) => {
                // a partition has one file; without folders of partitions, the threads' files are
                // told apart by their numbers
                let number = if folder.is_empty() { partition } else { 0 };
                let file = match &means.names {
                    Some(names) => names.name(number),
                    None => format!("data_{}{number}", means.mark),
                };
                let file = file + means.format.extension();
                let within = if folder.is_empty() { file } else { format!("{folder}/{file}") };
                match all {
                    OutputFolder::Local(all) => {
                        let path = Path::new(&means.place).join(&within).display().to_string();
                        let file = all.file(Path::new(&within)).map_err(|e| means.failed(&path, &e))?;
                        (path, Output::Local(OutputFile::InFolder(file)))
                    }
                    OutputFolder::InStore(all) => {
                        (format!("{}/{within}", means.shown.trim_end_matches('/')), all.file(&within)?)
                    }
                }
            }
        };
        self.written.names.push(name.clone());
        Ok(RowWriter::new(file, &name.into(), &means.schema, &means.format, &means.router)?)
    }

    /// Ends all files.
    fn close_all(&mut self) -> Result<()> {
        std::mem::take(&mut self.open).into_values().try_for_each(|writer| self.close(writer))
    }

    /// Ends a file, and writes it to disk or to its store.
    fn close(&mut self, writer: RowWriter<Output>) -> Result<()> {
        let mut file = writer.finish()?;
        let failed = |error| self.means.failed(&self.means.shown, &error);
        match &self.folder {
            Some(OutputFolder::Local(folder)) if folder.syncs_files() => {}
            _ => file.sync().map_err(failed)?,
        }
        match self.folder {
            None => self.written.whole = Some(file),
            Some(_) => file.commit().map_err(failed)?,
        }
        Ok(())
    }
}
