//! Opened files of a table: their common schema, and their rows as the footers state them.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use futures::{StreamExt, TryStreamExt, stream};
use pelton_pages::listing::hive::{HiveColumns, HiveRules, HiveType, HiveValue};
use pelton_pages::listing::{self, ListedFile};
use pelton_pages::{Cause, FooterOptions, ParquetFile};

use crate::error::{Error, Result};

/// Footers that are read at a time. Fewer leave a disk or an object store idle; more only cost
/// memory.
const OPEN_AT_ONCE: usize = 16;

/// One file of a table.
#[derive(Debug)]
pub struct TableFile {
    /// The file with its footer.
    pub file: Arc<ParquetFile>,
    /// For each column of the table that is in the file: the column's index in the file.
    pub columns: Vec<usize>,
    /// The values of the partition columns, which follow the file's columns in the table.
    pub partitions: Vec<ScalarValue>,
}

/// All files of a table.
#[derive(Debug)]
pub struct TableFiles {
    /// The place or places as the user wrote them, with commas between.
    pub location: String,
    /// Columns of the files, then partition columns.
    pub schema: SchemaRef,
    /// Columns of the table that are in the files.
    pub file_columns: usize,
    /// The files, by path.
    pub files: Vec<TableFile>,
}

impl TableFiles {
    /// Opens all files at some locations.
    ///
    /// # Errors
    /// There is no file, one can't be read, or their columns differ.
    pub async fn open(locations: &[impl AsRef<str>], options: &FooterOptions) -> Result<Self> {
        let mut listed = Vec::new();
        for location in locations {
            listed.extend(listing::list(location.as_ref()).await?);
        }
        if listed.is_empty() {
            return Err(Error::Missing("a table of no files; name one or more".to_owned()));
        }
        let opened: Vec<(ListedFile, Arc<ParquetFile>)> = stream::iter(listed)
            .map(|listed| async move {
                let file = ParquetFile::open(listed.location.clone(), options).await?;
                Ok::<_, Error>((listed, file))
            })
            .buffered(OPEN_AT_ONCE)
            .try_collect()
            .await?;
        let location = locations.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        Self::of(location, &opened)
    }

    /// Returns the table of some opened files.
    ///
    /// # Errors
    /// Their columns differ.
    fn of(location: String, opened: &[(ListedFile, Arc<ParquetFile>)]) -> Result<Self> {
        let (first_listed, first) = &opened[0];
        refuse_duplicates(first)?;
        let hive = partition_columns(opened)?;
        let mut fields: Vec<_> = first.schema().fields().iter().cloned().collect();
        fields.retain(|field| !hive.columns.iter().any(|(name, _)| name == field.name()));
        let file_columns = fields.len();
        fields.extend(hive.columns.iter().map(|(name, hive_type)| {
            let nullable = true;
            Arc::new(Field::new(name, arrow_type(*hive_type), nullable))
        }));
        // any file may hold a null where one of them may
        for field in fields.iter_mut().take(file_columns) {
            let name = field.name();
            if opened
                .iter()
                .any(|(_, file)| file.schema().field_with_name(name).is_ok_and(|f| f.is_nullable()))
            {
                *field = Arc::new(Field::clone(field).with_nullable(true));
            }
        }
        let schema = Arc::new(Schema::new(fields));
        let mut files = Vec::with_capacity(opened.len());
        for ((_, file), values) in opened.iter().zip(hive.values) {
            let columns = match_columns(&schema, file_columns, file, first_listed)?;
            let values = values.into_iter().zip(&hive.columns);
            let partitions =
                values.map(|(value, (_, hive_type))| partition_value(value, *hive_type)).collect();
            files.push(TableFile { file: file.clone(), columns, partitions });
        }
        Ok(Self { location, schema, file_columns, files })
    }

    /// Returns the table of one or more files in memory.
    ///
    /// # Errors
    /// Their columns differ.
    pub(crate) fn in_memory(name: &str, files: impl IntoIterator<Item = Arc<ParquetFile>>) -> Result<Self> {
        let listed = |file: Arc<ParquetFile>| {
            (ListedFile { location: file.location().clone(), partitions: Vec::new() }, file)
        };
        Self::of(name.to_owned(), &files.into_iter().map(listed).collect::<Vec<_>>())
    }
}

fn refuse_duplicates(file: &ParquetFile) -> Result<()> {
    let mut seen = BTreeSet::new();
    for field in file.schema().fields() {
        if !seen.insert(field.name()) {
            let what = format!("it has two columns named {}; SQL can't tell them apart", field.name());
            return Err(file.error(Cause::NotParquet(what)).into());
        }
    }
    Ok(())
}

/// Returns the positions of the table's columns in one file.
fn match_columns(
    schema: &Schema,
    file_columns: usize,
    file: &ParquetFile,
    first: &ListedFile,
) -> Result<Vec<usize>> {
    refuse_duplicates(file)?;
    let other = first.location.name();
    let mut columns = Vec::with_capacity(file_columns);
    for field in schema.fields().iter().take(file_columns) {
        let Some((index, found)) = file.schema().fields().find(field.name()) else {
            let what = format!("column {} is missing; {other} has it", field.name());
            return Err(file.error(Cause::NotParquet(what)).into());
        };
        if !found.data_type().equals_datatype(field.data_type()) {
            let (name, found, expected) = (field.name(), found.data_type(), field.data_type());
            let what = format!("column {name} is {found} here, and {expected} in {other}");
            return Err(file.error(Cause::NotParquet(what)).into());
        }
        columns.push(index);
    }
    Ok(columns)
}

/// Reads the partition columns, which have the same names in every path.
fn partition_columns(opened: &[(ListedFile, Arc<ParquetFile>)]) -> Result<HiveColumns> {
    let pairs: Vec<_> = opened.iter().map(|(listed, _)| listed.partitions.clone()).collect();
    HiveColumns::read(&pairs, HiveRules::Engine).map_err(|other| {
        let names = |listed: &ListedFile| {
            listed.partitions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let ((first, _), (listed, _)) = (&opened[0], &opened[other]);
        let (file, found) = (listed.location.name(), names(listed));
        let (other, expected) = (first.location.name(), names(first));
        Error::Table(format!(
            "{file}: its path has the partition columns [{found}], {other} has [{expected}]"
        ))
    })
}

fn arrow_type(hive_type: HiveType) -> DataType {
    match hive_type {
        HiveType::Integer => DataType::Int64,
        HiveType::Date => DataType::Date32,
        HiveType::Text => DataType::Utf8View,
    }
}

fn partition_value(value: HiveValue, hive_type: HiveType) -> ScalarValue {
    match (value, hive_type) {
        (HiveValue::Integer(value), _) => ScalarValue::Int64(Some(value)),
        (HiveValue::Date(days), _) => ScalarValue::Date32(Some(days)),
        (HiveValue::Text(text), _) => ScalarValue::Utf8View(Some(text)),
        (HiveValue::Null, HiveType::Integer) => ScalarValue::Int64(None),
        (HiveValue::Null, HiveType::Date) => ScalarValue::Date32(None),
        (HiveValue::Null, HiveType::Text) => ScalarValue::Utf8View(None),
    }
}
