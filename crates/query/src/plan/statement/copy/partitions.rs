//! Partitions of a result: the folder of each row, named by the values of some columns.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, Decimal128Type, Field, Schema, SchemaRef};
use arrow::row::{RowConverter, SortField};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::memory_pool::MemoryReservation;
use pelton_pages::TimeFormats;

use crate::compact::compact;
use crate::error::{Error, Result};

/// Folder value that stands for NULL, as readers know it.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Memory of a partition beside its key and its folder: their places in tables, here and in the
/// lane.
const PARTITION_BYTES: usize = 192;

/// Columns of a result: those that name folders, and those of the files.
#[derive(Debug, Clone)]
pub(super) struct Partitioning {
    columns: Vec<usize>,
    names: Vec<String>,
    kept: Vec<usize>,
    /// Schema of the files.
    pub schema: SchemaRef,
}

impl Partitioning {
    /// Finds the columns `names` of a result; `*` are all of them. Files have these columns only if
    /// `written` says so.
    ///
    /// # Errors
    /// A column is missing, named twice, or of a type without names for folders; or files would
    /// have no column.
    pub fn new(schema: &SchemaRef, names: &[String], written: bool) -> Result<Self, String> {
        let all = || schema.fields().iter().map(|field| field.name().clone()).collect();
        let names: Vec<String> = if names == ["*"] { all() } else { names.to_vec() };
        let columns = names.iter().map(|name| find(schema, name)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = BTreeSet::new();
        if let Some(twice) = columns.iter().find(|&&column| !seen.insert(column)) {
            return Err(format!("partition_by has {} twice; leave one out", schema.field(*twice).name()));
        }
        let names: Vec<String> = columns.iter().map(|&column| schema.field(column).name().clone()).collect();
        for (name, &column) in names.iter().zip(&columns) {
            let data_type = schema.field(column).data_type();
            if !may_name(data_type) {
                return Err(format!("partition_by has {name}, a {data_type}, whose values name no folder"));
            }
            if name.is_empty() || name.contains(['/', '=', '%', '\\']) || name.contains(char::is_control) {
                return Err(format!(
                    "partition_by has {name:?}, which names no folder; give the column another name with AS"
                ));
            }
        }
        let kept: Vec<usize> =
            (0..schema.fields().len()).filter(|column| written || !columns.contains(column)).collect();
        if kept.is_empty() {
            let what = "partition_by has all columns, and files need one; add write_partition_columns";
            return Err(what.to_owned());
        }
        let projected = schema.project(&kept).map_err(|error| error.to_string())?;
        Ok(Self { columns, names, kept, schema: Arc::new(projected) })
    }
}

fn find(schema: &Schema, name: &str) -> Result<usize, String> {
    let same = |field: &str| field.eq_ignore_ascii_case(name);
    let fields = || schema.fields().iter().map(|field| field.name().as_str());
    let exact: Vec<usize> = positions(fields(), |field| field == name);
    let found = if exact.is_empty() { positions(fields(), same) } else { exact };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let all: Vec<&str> = fields().collect();
            Err(format!("partition_by has {name}, which is no column; there are {}", all.join(", ")))
        }
        _ => Err(format!("partition_by has {name}, and several columns are called so; rename one with AS")),
    }
}

fn positions<'a>(names: impl Iterator<Item = &'a str>, is: impl Fn(&str) -> bool) -> Vec<usize> {
    names.enumerate().filter(|(_, name)| is(name)).map(|(index, _)| index).collect()
}

fn may_name(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => may_name(values),
        DataType::Boolean | DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            true
        }
        DataType::Interval(_) | DataType::Duration(_) => false,
        other => other.is_numeric() || other.is_temporal(),
    }
}

/// Rows of one partition.
pub(super) struct PartitionRows {
    /// Number of the partition, in the order in which they are found.
    pub partition: usize,
    /// Its folder, relative to that of the result.
    pub folder: Arc<str>,
    pub rows: RecordBatch,
}

/// Rows of a batch by where they go.
#[derive(Default)]
pub(super) struct Split {
    /// Rows of the partitions with a file that stays open.
    pub open: Vec<PartitionRows>,
    /// Rows of other partitions, with their keys, and the lane that writes them.
    pub sorted: Vec<(usize, RecordBatch)>,
}

/// Lanes, and the files that each keeps open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes {
    /// Number of lanes. The lane of a partition is the remainder of its number.
    pub count: usize,
    /// Files that a lane keeps open.
    pub open_files: usize,
}

/// Splits batches into partitions.
pub(super) struct Splitter {
    partitioning: Arc<Partitioning>,
    converter: RowConverter,
    partitions: HashMap<Box<[u8]>, usize>,
    folders: Vec<Arc<str>>,
    lanes: Lanes,
    /// Rows so far.
    rows: u64,
    /// Accounts for the partitions' keys and folders.
    reservation: MemoryReservation,
    /// Schema of the files, with keys.
    keyed: SchemaRef,
    /// Forms of times, which readers of folders know.
    times: TimeFormats,
}

impl Splitter {
    /// # Errors
    /// Values of a column can't be compared.
    pub fn new(
        partitioning: &Arc<Partitioning>,
        schema: &Schema,
        lanes: Lanes,
        reservation: MemoryReservation,
    ) -> Result<Self> {
        let field = |column: &usize| SortField::new(schema.field(*column).data_type().clone());
        let converter = RowConverter::new(partitioning.columns.iter().map(field).collect());
        Ok(Self {
            partitioning: partitioning.clone(),
            converter: converter.map_err(failed)?,
            partitions: HashMap::new(),
            folders: Vec::new(),
            lanes,
            rows: 0,
            reservation,
            keyed: keyed(&partitioning.schema),
            times: TimeFormats::sql(),
        })
    }

    /// Returns the rows of a batch by where they go. The first partitions that are found get the
    /// open files. Rows keep their order.
    ///
    /// # Errors
    /// A value can't be in the name of a folder, or memory is too short for the names of all
    /// folders.
    pub fn split(&mut self, batch: &RecordBatch) -> Result<Split> {
        let columns: Vec<ArrayRef> =
            self.partitioning.columns.iter().map(|&column| batch.column(column).clone()).collect();
        let values = self.converter.convert_columns(&columns).map_err(failed)?;
        let kept = batch.project(&self.partitioning.kept).map_err(failed)?;
        let open_files = self.lanes.count * self.lanes.open_files;
        let mut open: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut sorted: Vec<(Vec<u32>, Vec<i128>)> = vec![Default::default(); self.lanes.count];
        for (row, value) in values.iter().enumerate() {
            let partition = match self.partitions.get(value.as_ref()) {
                Some(&partition) => partition,
                None => self.add(value.as_ref(), &columns, row)?,
            };
            if partition < open_files {
                open.entry(partition).or_default().push(row as u32);
            } else {
                let (rows, keys) = &mut sorted[partition % self.lanes.count];
                rows.push(row as u32);
                keys.push(key(partition, self.rows + row as u64));
            }
        }
        self.rows += batch.num_rows() as u64;
        let mut split = Split::default();
        for (partition, rows) in open {
            let rows = match rows.len() == kept.num_rows() {
                true => kept.clone(),
                false => taken(&kept, rows)?,
            };
            split.open.push(PartitionRows { partition, folder: self.folders[partition].clone(), rows });
        }
        for (lane, (rows, all)) in sorted.into_iter().enumerate().filter(|(_, (rows, _))| !rows.is_empty()) {
            let mut columns = taken(&kept, rows)?.columns().to_vec();
            columns.push(Arc::new(keys(all)));
            let rows = RecordBatch::try_new(self.keyed.clone(), columns).map_err(failed)?;
            split.sorted.push((lane, rows));
        }
        Ok(split)
    }

    /// Returns the schema of the rows that are sorted.
    pub fn keyed(&self) -> &SchemaRef {
        &self.keyed
    }

    /// Returns the folders of all partitions.
    pub fn into_folders(self) -> Vec<Arc<str>> {
        self.folders
    }

    /// Adds the partition of a row, and returns its number.
    fn add(&mut self, value: &[u8], columns: &[ArrayRef], row: usize) -> Result<usize> {
        let folder: Arc<str> = self.folder(columns, row)?.into();
        self.reservation.try_grow(value.len() + folder.len() + PARTITION_BYTES)?;
        self.folders.push(folder);
        self.partitions.insert(value.into(), self.folders.len() - 1);
        Ok(self.folders.len() - 1)
    }

    /// Returns the folder of a row, as `a=1/b=x`.
    fn folder(&self, columns: &[ArrayRef], row: usize) -> Result<String> {
        let mut folder = String::new();
        for (name, column) in self.partitioning.names.iter().zip(columns) {
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(name);
            folder.push('=');
            if column.is_null(row) || *column.data_type() == DataType::Null {
                folder.push_str(NULL);
                continue;
            }
            let bad = |what: &str| Error::Execution(format!("partition_by {name}: {what}"));
            let options = FormatOptions::new().with_display_error(false);
            let options = options
                .with_timestamp_format(self.times.timestamp.as_deref())
                .with_timestamp_tz_format(self.times.timestamp_tz.as_deref());
            let text = ArrayFormatter::try_new(column, &options).map_err(failed)?;
            let text = text.value(row).try_to_string();
            let text = text.map_err(|_| bad("a date or time is outside of the calendar"))?;
            if text == NULL {
                return Err(bad(&format!("a row has the text {NULL}, which stands for NULL in folders")));
            }
            encode(&text, &mut folder);
        }
        Ok(folder)
    }
}

/// Bits of a key below the partition: the row's number.
const ROW_BITS: u32 = 64;

/// Returns the key of a row: its partition, and then its number among all rows. The digits of the
/// type have room for 2³² partitions.
pub(super) fn key(partition: usize, row: u64) -> i128 {
    (partition as i128) << ROW_BITS | i128::from(row)
}

/// Returns the array of keys.
pub(super) fn keys(all: Vec<i128>) -> Decimal128Array {
    Decimal128Array::from(all)
}

/// Returns the columns of rows with their keys, which come last.
pub(super) fn keyed(schema: &SchemaRef) -> SchemaRef {
    let key = Field::new("key", keys(Vec::new()).data_type().clone(), false);
    let fields = schema.fields().iter().cloned().chain([Arc::new(key)]);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Returns the partition, the first row and the number of rows of each run of one partition.
pub(super) fn runs(keys: &dyn Array) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (row, key) in keys.as_primitive::<Decimal128Type>().values().iter().enumerate() {
        let partition = (key >> ROW_BITS) as usize;
        match runs.last_mut() {
            Some((last, _, length)) if *last == partition => *length += 1,
            _ => runs.push((partition, row, 1)),
        }
    }
    runs
}

/// Returns some rows of a batch, in memory of their own: those of one partition may wait long for
/// their writer, and would keep the texts of the whole batch.
fn taken(batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch> {
    let rows = take_record_batch(batch, &UInt32Array::from(rows)).map_err(failed)?;
    compact(&rows).map_err(failed)
}

/// Percent-encodes a value, as Hive and DuckDB do, so that it can't be another folder.
fn encode(text: &str, to: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => to.push(byte.into()),
            _ => to.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Returns the error of a batch that can't be split or joined.
pub(super) fn failed(error: arrow::error::ArrowError) -> Error {
    Error::Execution(format!("partition_by: {error}"))
}

#[cfg(test)]
mod tests;
