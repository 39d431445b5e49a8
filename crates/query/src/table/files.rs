//! The files of a table, opened: one schema for all of them, and what their footers say about their
//! rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use futures::{StreamExt, TryStreamExt, stream};
use pelton_pages::{Cause, FooterOptions, ParquetFile};

use super::listing::{self, ListedFile};
use crate::error::{Error, Result};

/// How many footers are read at a time. Enough to keep a local disk or an object store busy; more
/// only costs memory.
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
    /// What the user called the place, or the places with commas between them.
    pub location: String,
    /// Columns of the files, then partition columns.
    pub schema: SchemaRef,
    /// How many columns are in the files.
    pub file_columns: usize,
    /// The files, by path.
    pub files: Vec<TableFile>,
}

impl TableFiles {
    /// Opens all files at some locations.
    ///
    /// # Errors
    /// There is none, one can't be read, or their columns differ.
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
        let (first_listed, first) = &opened[0];
        refuse_duplicates(first)?;
        let (names, types) = partition_columns(&opened)?;
        let mut fields: Vec<_> = first.schema().fields().iter().cloned().collect();
        fields.retain(|field| !names.contains(field.name()));
        let file_columns = fields.len();
        fields.extend(names.iter().zip(&types).map(|(name, data_type)| {
            let nullable = true;
            Arc::new(Field::new(name, data_type.clone(), nullable))
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
        for (listed, file) in &opened {
            let columns = match_columns(&schema, file_columns, file, first_listed)?;
            let values = listed.partitions.iter().zip(&types);
            let partitions =
                values.map(|((_, value), data_type)| partition_value(value, data_type)).collect();
            files.push(TableFile { file: file.clone(), columns, partitions });
        }
        let location = locations.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        Ok(Self { location, schema, file_columns, files })
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

/// Where the table's columns are in one file.
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

/// Names and types of the partition columns: the same names in every path, integers if all values
/// are.
fn partition_columns(opened: &[(ListedFile, Arc<ParquetFile>)]) -> Result<(Vec<String>, Vec<DataType>)> {
    let names =
        |listed: &ListedFile| listed.partitions.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (first, _) = &opened[0];
    let expected = names(first);
    if let Some((listed, _)) = opened.iter().find(|(listed, _)| names(listed) != expected) {
        let (file, found) = (listed.location.name(), names(listed).join(", "));
        let (other, expected) = (first.location.name(), expected.join(", "));
        return Err(Error::Table(format!(
            "{file}: its path has the partition columns [{found}], {other} has [{expected}]"
        )));
    }
    let is_integer = |column: usize| {
        let mut values = opened.iter().map(|(listed, _)| listed.partitions[column].1.as_str());
        values.all(|value| value == HIVE_NULL || value.parse::<i64>().is_ok_and(|n| n.to_string() == value))
    };
    let types = (0..expected.len()).map(|c| if is_integer(c) { DataType::Int64 } else { DataType::Utf8View });
    let types = types.collect();
    Ok((expected, types))
}

/// What Hive names the directory of rows whose partition column is null.
const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

fn partition_value(value: &str, data_type: &DataType) -> ScalarValue {
    match data_type {
        DataType::Int64 => ScalarValue::Int64(value.parse().ok()),
        _ => ScalarValue::Utf8View((value != HIVE_NULL).then(|| value.to_owned())),
    }
}
