//! Delta tables: `delta_kernel` says which files and rows count, and Pelton's scan reads them.

mod log;
mod predicate;

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use chrono::DateTime;
use datafusion::catalog::Session;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use delta_kernel::engine::arrow_conversion::TryIntoArrow;
use delta_kernel::scan::state::ScanFile;
use delta_kernel::table_features::ColumnMappingMode;
use delta_kernel::{KernelError, Predicate, Snapshot, SnapshotRef};
use object_store::ObjectMeta;
use pelton_pages::listing::{self, Folder};
use pelton_pages::{FooterOptions, Location};

use super::files::{LoggedFile, TableFiles};
use super::footer_cache::Opened;
use super::late::{LateTable, Unopened};
use super::provider::PeltonTable;
use crate::error::{Error, Result};
use crate::scan::ScanContext;
use log::{Log, LogFiles, ROOT};

/// A version of a Delta table.
#[derive(Debug)]
pub(crate) struct DeltaTable {
    files: Arc<LogFiles>,
    snapshot: SnapshotRef,
    schema: SchemaRef,
    /// For each column: its name in files, or in the partition values of the log.
    names: Vec<String>,
    context: ScanContext,
}

/// A file of a version, as the log has it.
struct DataFile {
    path: String,
    size: u64,
    modified: i64,
    /// Rows that are deleted, ascending.
    deleted: Vec<u64>,
    partitions: HashMap<String, String>,
}

impl DeltaTable {
    /// Opens a version of the table in a folder; the latest one by default.
    ///
    /// # Errors
    /// There is no table, it has no such version, or it uses features that are not supported.
    pub async fn open(place: &str, version: Option<u64>, context: &ScanContext) -> Result<LateTable> {
        let folder = listing::folder(place, &*context.stores).await?;
        let name = folder.name.clone();
        let files = LogFiles::new(folder).map_err(|what| Error::Table(format!("{name}: {what}")))?;
        let files = Arc::new(files);
        let snapshot = kernel(&files, move |log| {
            let builder = Snapshot::builder_for(ROOT);
            let builder = version.into_iter().fold(builder, |builder, version| builder.at_version(version));
            builder.build(log).map_err(message)
        });
        let snapshot = snapshot.await?;
        let (schema, names) = columns(&snapshot).map_err(|what| Error::Table(format!("{name}: {what}")))?;
        Ok(LateTable::new(Self { files, snapshot, schema, names, context: context.clone() }))
    }

    fn error(&self, what: &str) -> Error {
        Error::Table(format!("{}: {what}", self.files.folder().name))
    }

    fn location(&self, folder: &Folder, file: &DataFile) -> Result<Location, String> {
        let meta = ObjectMeta {
            location: self.files.data_path(&file.path)?,
            last_modified: DateTime::from_timestamp_millis(file.modified).unwrap_or_default(),
            size: file.size,
            e_tag: None,
            version: None,
        };
        let name = format!("{}/{}", folder.name.trim_end_matches('/'), file.path);
        Ok(Location::new(folder.store.clone(), meta, name).in_store(folder.origin.clone()))
    }
}

/// Runs calls of the kernel on a thread that may block. A panic there is an error.
async fn kernel<T: Send + 'static>(
    files: &Arc<LogFiles>,
    calls: impl FnOnce(&Log) -> Result<T, String> + Send + 'static,
) -> Result<T> {
    let log = Log(files.clone());
    let done = tokio::task::spawn_blocking(move || calls(&log)).await;
    let done = done.unwrap_or_else(|_| Err("its log is damaged".to_owned()));
    done.map_err(|what| {
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ").replace(ROOT, "");
        Error::Table(format!("{}: the Delta table can't be read: {what}", files.folder().name))
    })
}

/// Returns the kernel's message, without the calls that led to it.
fn message(error: KernelError) -> String {
    error.without_backtrace().to_string()
}

/// Returns the columns of a version, and their names in its files.
fn columns(snapshot: &Snapshot) -> Result<(SchemaRef, Vec<String>), String> {
    let schema = snapshot.schema();
    let mode = snapshot.table_configuration().column_mapping_mode();
    if mode == ColumnMappingMode::Id {
        return Err("the Delta table maps columns by their ids, which is not supported".to_owned());
    }
    let converted: Schema = schema.as_ref().try_into_arrow().map_err(|e| e.to_string())?;
    let names: Vec<String> = schema.fields().map(|field| field.physical_name(mode).to_owned()).collect();
    if mode != ColumnMappingMode::None
        && let Some(field) = converted.fields().iter().find(|field| field.data_type().is_nested())
    {
        let name = field.name();
        return Err(format!(
            "the Delta table maps the names of fields in column {name}, which is not supported"
        ));
    }
    let fields =
        converted.fields().iter().map(|field| Field::new(field.name(), views(field.data_type()), true));
    Ok((Arc::new(Schema::new(fields.collect::<Vec<_>>())), names))
}

/// Returns the type with texts and bytes as views, as files are read.
fn views(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| Arc::new(Field::clone(field).with_data_type(views(field.data_type())));
    match data_type {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        DataType::List(item) => DataType::List(field(item)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        other => other.clone(),
    }
}

/// Returns the files of a version that statistics leave.
fn data_files(
    snapshot: SnapshotRef,
    condition: Option<Predicate>,
    log: &Log,
) -> Result<Vec<DataFile>, String> {
    let builder = snapshot.clone().scan_builder().with_predicate(condition.map(Arc::new));
    let scan = builder.build().map_err(message)?;
    let mut found: Vec<ScanFile> = Vec::new();
    for metadata in scan.scan_metadata(log).map_err(message)? {
        found = metadata
            .map_err(message)?
            .visit_scan_files(found, |found, file| found.push(file))
            .map_err(message)?;
    }
    let mut files = Vec::with_capacity(found.len());
    for file in found {
        let deleted = file.dv_info.get_row_indexes(log, scan.table_root()).map_err(message)?;
        files.push(DataFile {
            path: file.path,
            size: u64::try_from(file.size).map_err(|_| "a file has a negative size".to_owned())?,
            modified: file.modification_time,
            deleted: deleted.unwrap_or_default(),
            partitions: file.partition_values,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the value of a partition column, which the log has as text; an empty one is null.
fn constant(text: &str, data_type: &DataType) -> Result<ScalarValue, String> {
    let text = (!text.is_empty()).then(|| text.to_owned());
    let is_null = text.is_none();
    let value = ScalarValue::Utf8(text).cast_to(data_type).map_err(|e| e.to_string())?;
    match value.is_null() == is_null {
        true => Ok(value),
        false => Err(format!("a partition value of the log is no {data_type}")),
    }
}

#[async_trait]
impl Unopened for DeltaTable {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn select(&self, _state: &dyn Session, filters: &[Expr]) -> Result<PeltonTable> {
        let (snapshot, condition) = (self.snapshot.clone(), predicate::predicate(filters));
        let data = kernel(&self.files, move |log| data_files(snapshot, condition, log)).await?;
        let folder = self.files.folder();
        let mut locations = Vec::with_capacity(data.len());
        for file in &data {
            locations.push(self.location(folder, file).map_err(|what| self.error(&what))?);
        }
        let opened = self.context.footers.open(locations, &FooterOptions::default()).await?;
        let Opened { files: opened, footers, traffic } = opened;
        let mut files = Vec::with_capacity(opened.len());
        for (file, data) in opened.into_iter().zip(data) {
            let mut columns = Vec::with_capacity(self.names.len());
            let mut constants = Vec::new();
            for (index, name) in self.names.iter().enumerate() {
                let value = data.partitions.get(name);
                if let Some(value) = value {
                    let data_type = self.schema.field(index).data_type();
                    constants.push((index, constant(value, data_type).map_err(|what| self.error(&what))?));
                }
                columns.push(file.schema().index_of(name).ok().filter(|_| value.is_none()));
            }
            files.push(LoggedFile { file, columns, constants, deleted: data.deleted });
        }
        let name = folder.name.clone();
        let is_renamed =
            self.names.iter().zip(self.schema.fields()).any(|(name, field)| name != field.name());
        let files = TableFiles::of_log(name, self.schema.clone(), files, is_renamed, (footers, traffic))?;
        Ok(PeltonTable::over(files, self.context.clone()))
    }
}
