//! Tables over text files, and their scan.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use async_trait::async_trait;
use bytes::{Buf, Bytes};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::{StreamExt, TryStreamExt, stream};
use pelton_pages::Location;

use super::csv::{CsvFile, Rows, Skip};
use super::empty_lines::EmptyLines;
use super::json::{Members, Objects, Shape};
use super::json_check::Check;
use super::options::Options;
use super::pieces::{Pieces, damaged, failed};
use super::{Format, json, sniff};
use crate::error::{Error, Result, wrap};
use crate::stores::Stores;
use crate::table::ListedTable;

/// Files whose first rows are read at a time.
const OPEN_AT_ONCE: usize = 8;

/// Text files under one name. Their first rows are read once, when the table is made.
#[derive(Debug)]
pub(super) struct TextTable {
    format: Arc<Format>,
    options: Arc<Options>,
    /// Columns of the files, then columns with one value for each file.
    schema: SchemaRef,
    file_columns: usize,
    files: Arc<[TextFile]>,
}

#[derive(Debug)]
struct TextFile {
    location: Location,
    /// The dialect and columns of a CSV file.
    csv: Option<CsvFile>,
    /// The values of the columns that follow those of the files.
    constants: Vec<ScalarValue>,
    /// True if the types were found in all rows.
    is_whole: bool,
}

impl TextTable {
    /// Opens the files at some places.
    ///
    /// # Errors
    /// There is no file, one can't be read, or their columns don't fit together.
    pub async fn open(places: &[String], format: Format, options: Options, stores: &Stores) -> Result<Self> {
        let listed = ListedTable::list(places, options.hive, options.filename.as_deref(), stores).await?;
        let locations = listed.locations.clone();
        let sniffed: Vec<Sniffed> = stream::iter(locations)
            .map(|location| sniff_file(location, &format, &options))
            .buffered(OPEN_AT_ONCE)
            .try_collect()
            .await?;
        let mut fields = columns(&sniffed, &format, &options)?;
        if fields.is_empty() {
            let file = &listed.locations[0];
            return Err(failed(
                file,
                &"it is empty, and no columns can be told: name them with columns := {…}",
            ));
        }
        fields.retain(|field| !listed.hides(field.name()));
        let file_columns = fields.len();
        fields.extend(listed.fields.iter().map(|field| Field::clone(field)));
        let schema = Arc::new(Schema::new(fields));
        listed.refuse_taken_names(&schema, file_columns)?;
        let files = sniffed.into_iter().zip(listed.constants);
        let files = files.map(|(file, constants)| TextFile {
            location: file.location,
            csv: file.csv,
            constants,
            is_whole: file.is_whole,
        });
        let files = files.collect();
        Ok(Self { format: Arc::new(format), options: Arc::new(options), schema, file_columns, files })
    }
}

/// A file's columns, from its first rows.
struct Sniffed {
    location: Location,
    csv: Option<CsvFile>,
    columns: Vec<(String, Shape)>,
    /// Types that options name.
    types: Vec<(String, DataType)>,
    /// True if the types were found in all rows.
    is_whole: bool,
}

async fn sniff_file(location: Location, format: &Format, options: &Options) -> Result<Sniffed> {
    match format {
        Format::Csv(dialect) => {
            let (mut file, shapes) = sniff::csv(&location, dialect, options).await?;
            let types = sniff::named_types(&location, &mut file, dialect, options)?;
            let columns = file.names.iter().cloned().zip(shapes).collect();
            Ok(Sniffed { location, csv: Some(file), columns, types, is_whole: false })
        }
        Format::Json(_) if options.columns.is_some() => {
            let types = options.columns.clone().unwrap_or_default();
            let columns = types.iter().map(|(name, _)| (name.clone(), Shape::Null)).collect();
            Ok(Sniffed { location, csv: None, columns, types, is_whole: false })
        }
        Format::Json(layout) => {
            let (columns, is_whole) = json::sniff(&location, *layout, options).await?;
            Ok(Sniffed { location, csv: None, columns, types: Vec::new(), is_whole })
        }
    }
}

/// Unites the columns of files by name. CSV files have those of the first, unless `union_by_name`
/// is on.
fn columns(files: &[Sniffed], format: &Format, options: &Options) -> Result<Vec<Field>> {
    let takes_all = options.union_by_name || matches!(format, Format::Json(_));
    let first = files.iter().position(|file| !file.columns.is_empty());
    let mut columns: Vec<(String, Shape, &Location)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        for (name, shape) in &file.columns {
            match columns.iter_mut().find(|(known, ..)| known == name) {
                Some((_, known, _)) => *known = std::mem::replace(known, Shape::Null).and(shape.clone()),
                None if takes_all || Some(number) == first => {
                    columns.push((name.clone(), shape.clone(), &file.location));
                }
                None => {}
            }
        }
    }
    if !takes_all {
        for file in files.iter().filter(|file| !file.columns.is_empty()) {
            let is_missing = |name: &String| file.columns.iter().all(|(own, _)| own != name);
            if let Some((name, _, other)) = columns.iter().find(|(name, ..)| is_missing(name)) {
                let other = other.name();
                let what =
                    format!("column {name} is missing; {other} has it (union_by_name := true makes it NULL)");
                return Err(failed(&file.location, &what));
            }
        }
    }
    let field = |(name, shape, location): (String, Shape, &Location)| {
        let named = files.iter().flat_map(|file| &file.types).find(|(other, _)| *other == name);
        let data_type = named.map(|(_, data_type)| data_type.clone()).or_else(|| shape.data_type(false));
        let data_type = data_type.ok_or_else(|| {
            let what = format!(
                "column {name} has lists or structs in some rows and other values in others: name the columns to \
                 read with columns := {{…}}"
            );
            failed(location, &what)
        })?;
        Ok(Field::new(name, data_type, true))
    };
    columns.into_iter().map(field).collect()
}

#[async_trait]
impl TableProvider for TextTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let projection = projection.cloned().unwrap_or(all);
        let schema: SchemaRef = Arc::new(self.schema.project(&projection)?);
        let scan = TextScan {
            format: self.format.clone(),
            options: self.options.clone(),
            table: self.schema.clone(),
            file_columns: self.file_columns,
            files: self.files.clone(),
            projection,
            schema: schema.clone(),
        };
        // one partition keeps the order of the files and their rows
        let partitions: Vec<Arc<dyn PartitionStream>> = vec![Arc::new(scan)];
        Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, None, false, limit)?))
    }
}

/// A scan of some columns.
#[derive(Clone)]
struct TextScan {
    format: Arc<Format>,
    options: Arc<Options>,
    table: SchemaRef,
    file_columns: usize,
    files: Arc<[TextFile]>,
    projection: Vec<usize>,
    schema: SchemaRef,
}

impl fmt::Debug for TextScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.files.iter().map(|file| file.location.name().as_ref()).collect();
        write!(f, "text of {}", names.join(", "))
    }
}

impl PartitionStream for TextScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batch_rows = context.session_config().batch_size();
        let scan = Arc::new(self.clone());
        let files = stream::iter(0..self.files.len()).map(Ok);
        let batches = files.and_then(move |number| {
            let scan = scan.clone();
            async move {
                let reader = scan.open(number, batch_rows)?;
                Ok::<_, Error>(stream::try_unfold((reader, scan), move |(mut reader, scan)| async move {
                    let batch = reader.next(&scan.files[number].location).await?;
                    let batch =
                        batch.map(|batch| scan.project(number, &reader.columns, &batch)).transpose()?;
                    Ok::<_, Error>(batch.map(|batch| (batch, (reader, scan))))
                }))
            }
        });
        let batches = batches.try_flatten().map_err(wrap);
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

/// Reader of a file's rows.
struct Reader {
    source: Source,
    /// Text that is not parsed yet.
    text: Bytes,
    is_at_end: bool,
    /// Lines in front of the parsed text.
    skipped: u64,
    /// For each column of the scan: its place in the batches; `None` if the file lacks it.
    columns: Vec<Option<usize>>,
}

enum Source {
    Csv { pieces: Box<Pieces>, skip: Skip, empty_lines: Option<EmptyLines>, rows: Box<Rows> },
    Json { objects: Box<Objects>, members: Box<Members>, check: Box<Check> },
}

impl Reader {
    /// Returns the next batch of the parser.
    async fn next(&mut self, location: &Location) -> Result<Option<RecordBatch>> {
        loop {
            if self.text.is_empty() && !self.is_at_end {
                let piece = match &mut self.source {
                    Source::Csv { pieces, skip, empty_lines, .. } => {
                        let mut piece = pieces.next().await?;
                        piece.iter_mut().for_each(|piece| skip.from(piece));
                        match empty_lines {
                            Some(lines) => piece.map(|piece| lines.quoted(piece)),
                            None => piece,
                        }
                    }
                    Source::Json { objects, check, .. } => {
                        let piece = objects.next().await?;
                        if let Some(piece) = &piece {
                            check.take(piece).map_err(|what| failed(location, &what))?;
                        }
                        piece
                    }
                };
                match piece {
                    Some(piece) => self.text = piece,
                    None => {
                        self.is_at_end = true;
                        if let Source::Csv { rows, .. } = &mut self.source {
                            let ended = rows.end();
                            ended.map_err(|error| damaged(location, &error, self.skipped))?;
                        }
                    }
                }
            }
            let batch = self.parse().map_err(|error| damaged(location, &error, self.skipped))?;
            if batch.is_some() || (self.is_at_end && self.text.is_empty()) {
                return Ok(batch);
            }
        }
    }

    /// Parses the text up to the end of a batch. Returns it, or the last one.
    fn parse(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while !self.text.is_empty() {
            let (read, is_full) = match &mut self.source {
                Source::Csv { rows, .. } => (rows.read(&self.text)?, rows.is_full()),
                Source::Json { members, .. } => {
                    let read = members.read(&self.text)?;
                    (read, read < self.text.len())
                }
            };
            self.text.advance(read);
            if is_full {
                return self.take();
            }
        }
        if self.is_at_end { self.take() } else { Ok(None) }
    }

    fn take(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match &mut self.source {
            Source::Csv { rows, .. } => rows.take(),
            Source::Json { members, .. } => members.take(),
        }
    }
}

impl TextScan {
    /// Begins a file.
    fn open(&self, number: usize, batch_rows: usize) -> Result<Reader> {
        let file = &self.files[number];
        let of_files = self.projection.iter().filter(|&&column| column < self.file_columns);
        let names: Vec<&str> = of_files.map(|&column| self.table.field(column).name().as_str()).collect();
        let (source, read): (Source, Vec<String>) = match (self.format.as_ref(), &file.csv) {
            (Format::Csv(dialect), Some(csv)) => {
                let pieces =
                    Pieces::new(file.location.clone(), self.options.compression.of(file.location.name()))?;
                let pieces = Box::new(pieces);
                let wanted = csv.names.iter().enumerate().filter(|(_, name)| names.contains(&name.as_str()));
                let (wanted, read) = wanted.map(|(place, name)| (place, name.clone())).unzip();
                let types: Vec<DataType> = csv
                    .names
                    .iter()
                    .map(|name| {
                        self.table.field_with_name(name).map_or(DataType::Utf8, |f| f.data_type().clone())
                    })
                    .collect();
                let rows = Box::new(dialect.rows(csv, &types, wanted, batch_rows)?);
                let (skip, empty_lines) = (Skip(dialect.skip), dialect.empty_lines(csv));
                (Source::Csv { pieces, skip, empty_lines, rows }, read)
            }
            (Format::Json(layout), _) => {
                let mut wanted: Vec<&Field> = Vec::new();
                for name in names {
                    let field =
                        self.table.field_with_name(name).map_err(|e| Error::Internal(e.to_string()))?;
                    if !wanted.iter().any(|other| other.name() == name) {
                        wanted.push(field);
                    }
                }
                let read = wanted.iter().map(|field| field.name().clone()).collect();
                let schema = Arc::new(Schema::new(wanted.into_iter().cloned().collect::<Vec<_>>()));
                let objects = Box::new(Objects::new(&file.location, *layout, &self.options)?);
                let of_file: Vec<usize> = (0..self.file_columns).collect();
                let table = self.table.project(&of_file).map_or_else(|_| self.table.clone(), Arc::new);
                let is_closed = self.options.columns.is_none();
                let check = Box::new(Check::new(table, schema.clone(), is_closed, file.is_whole));
                let members =
                    Members::new(schema, batch_rows).map_err(|error| damaged(&file.location, &error, 0))?;
                let members = Box::new(members);
                (Source::Json { objects, members, check }, read)
            }
            (Format::Csv(_), None) => {
                return Err(Error::Internal("a CSV file without a dialect".to_owned()));
            }
        };
        let place = |&column: &usize| match column < self.file_columns {
            true => read.iter().position(|name| name == self.table.field(column).name()),
            false => None,
        };
        let columns = self.projection.iter().map(place).collect();
        let skipped = match self.format.as_ref() {
            Format::Csv(dialect) => dialect.skip,
            Format::Json(_) => 0,
        };
        Ok(Reader { source, text: Bytes::new(), is_at_end: false, skipped, columns })
    }

    /// Turns a batch of a parser into one of the output.
    fn project(&self, number: usize, places: &[Option<usize>], batch: &RecordBatch) -> Result<RecordBatch> {
        let file = &self.files[number];
        let rows = batch.num_rows();
        let column = |(&column, place): (&usize, &Option<usize>)| -> DataFusionResult<ArrayRef> {
            let data_type = self.table.field(column).data_type();
            match place {
                Some(place) if batch.column(*place).data_type() == data_type => {
                    Ok(batch.column(*place).clone())
                }
                Some(place) => Ok(cast(batch.column(*place), data_type)?),
                None if column >= self.file_columns => {
                    file.constants[column - self.file_columns].to_array_of_size(rows)
                }
                None => Ok(new_null_array(data_type, rows)),
            }
        };
        let columns = self.projection.iter().zip(places).map(column).collect::<DataFusionResult<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|error| failed(&file.location, &error))
    }
}
