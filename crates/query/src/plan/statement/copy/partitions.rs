//! Partitions of a result: the folder of each row, named by the values of some columns.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::row::{RowConverter, SortField};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pelton_pages::TimeFormats;

use crate::error::{Error, Result};

/// Folder value that stands for NULL, as readers know it.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

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

/// Splits batches into partitions.
pub(super) struct Splitter {
    partitioning: Arc<Partitioning>,
    converter: RowConverter,
    partitions: HashMap<Box<[u8]>, usize>,
    folders: Vec<Arc<str>>,
    /// Forms of times, which readers of folders know.
    times: TimeFormats,
}

impl Splitter {
    /// # Errors
    /// Values of a column can't be compared.
    pub fn new(partitioning: &Arc<Partitioning>, schema: &Schema) -> Result<Self> {
        let field = |column: &usize| SortField::new(schema.field(*column).data_type().clone());
        let converter = RowConverter::new(partitioning.columns.iter().map(field).collect());
        Ok(Self {
            partitioning: partitioning.clone(),
            converter: converter.map_err(failed)?,
            partitions: HashMap::new(),
            folders: Vec::new(),
            times: TimeFormats::sql(),
        })
    }

    /// Returns the rows of each partition that a batch has rows of. Rows keep their order.
    ///
    /// # Errors
    /// A value can't be in the name of a folder.
    pub fn split(&mut self, batch: &RecordBatch) -> Result<Vec<PartitionRows>> {
        let columns: Vec<ArrayRef> =
            self.partitioning.columns.iter().map(|&column| batch.column(column).clone()).collect();
        let values = self.converter.convert_columns(&columns).map_err(failed)?;
        let kept = batch.project(&self.partitioning.kept).map_err(failed)?;
        let mut rows: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        for (row, value) in values.iter().enumerate() {
            let key: &[u8] = value.as_ref();
            let partition = match self.partitions.get(key) {
                Some(&partition) => partition,
                None => {
                    let folder = self.folder(&columns, row)?;
                    self.folders.push(folder.into());
                    self.partitions.insert(key.into(), self.folders.len() - 1);
                    self.folders.len() - 1
                }
            };
            let place = *places.entry(partition).or_insert_with(|| {
                rows.push((partition, Vec::new()));
                rows.len() - 1
            });
            rows[place].1.push(row as u32);
        }
        let part = |(partition, rows): (usize, Vec<u32>)| {
            let rows = match rows.len() == kept.num_rows() {
                true => kept.clone(),
                false => take_record_batch(&kept, &UInt32Array::from(rows)).map_err(failed)?,
            };
            Ok(PartitionRows { partition, folder: self.folders[partition].clone(), rows })
        };
        rows.into_iter().map(part).collect()
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
