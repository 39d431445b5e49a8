//! Opened files of a table: their common schema, and their rows as the footers state them.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use futures::{StreamExt, TryStreamExt, stream};
use pelton_pages::{Cause, FooterOptions, ParquetFile};

use super::listed::{HivePartitions, ListedTable};
use super::unite;
use crate::error::Result;

/// Footers that are read at a time. Fewer leave a disk or an object store idle; more only cost
/// memory.
const OPEN_AT_ONCE: usize = 16;

/// Options of a table over files.
#[derive(Debug, Clone, Default)]
pub struct TableOptions {
    /// Reading of the footers.
    pub footers: FooterOptions,
    /// Source of partition columns.
    pub hive: HivePartitions,
    /// Unite the columns of all files by name; a column that a file lacks is NULL in its rows.
    pub union_by_name: bool,
    /// Name of a column with the name of each row's file.
    pub filename: Option<String>,
    /// Name of a column with the number of each row in its file, from 0.
    pub row_number: Option<String>,
}

/// One file of a table.
#[derive(Debug)]
pub struct TableFile {
    /// The file with its footer.
    pub file: Arc<ParquetFile>,
    /// For each column of the table that is in files: the column's index in this file, if it has
    /// the column.
    columns: Vec<Option<usize>>,
    /// The values of the other columns, which follow them in the table. That of a column of row
    /// numbers is null.
    pub partitions: Vec<ScalarValue>,
}

impl TableFile {
    /// Returns the index in the file of a column of the table; `None` if the file lacks it.
    pub fn column(&self, column: usize) -> Option<usize> {
        self.columns.get(column).copied().flatten()
    }

    /// Returns the row of the file that is the first of a row group.
    pub(crate) fn first_row(&self, row_group: usize) -> i64 {
        self.file.metadata().row_groups().iter().take(row_group).map(|group| group.num_rows()).sum()
    }
}

/// All files of a table.
#[derive(Debug)]
pub struct TableFiles {
    /// The place or places as the user wrote them, with commas between.
    pub location: String,
    /// Columns of the files, then columns with one value for each file or with row numbers.
    pub schema: SchemaRef,
    /// Columns of the table that are in the files.
    pub file_columns: usize,
    /// The column of row numbers.
    pub row_number: Option<usize>,
    /// The files, by path.
    pub files: Vec<TableFile>,
}

impl TableFiles {
    /// Opens all files at some locations.
    ///
    /// # Errors
    /// There is no file, one can't be read, or their columns don't fit together.
    pub async fn open(locations: &[impl AsRef<str>], options: &TableOptions) -> Result<Self> {
        let listed = ListedTable::list(locations, options.hive, options.filename.as_deref()).await?;
        let opened: Vec<Arc<ParquetFile>> = stream::iter(listed.locations.clone())
            .map(|location| ParquetFile::open(location, &options.footers))
            .buffered(OPEN_AT_ONCE)
            .try_collect()
            .await?;
        let location = locations.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        Self::of(location, opened, listed, options)
    }

    /// Returns the table of some opened files.
    ///
    /// # Errors
    /// Their columns don't fit together.
    fn of(
        location: String,
        opened: Vec<Arc<ParquetFile>>,
        listed: ListedTable,
        options: &TableOptions,
    ) -> Result<Self> {
        opened.iter().try_for_each(|file| refuse_duplicates(file))?;
        let mut fields = unite::fields(&opened, options.union_by_name)?;
        fields.retain(|field| !listed.hides(field.name()));
        let file_columns = fields.len();
        let row_number = options.row_number.as_ref().map(|name| {
            fields.push(Arc::new(Field::new(name, DataType::Int64, false)));
            fields.len() - 1
        });
        fields.extend(listed.fields.iter().cloned());
        let schema = Arc::new(Schema::new(fields));
        listed.refuse_taken_names(&schema, file_columns)?;
        let mut files = Vec::with_capacity(opened.len());
        for (file, constants) in opened.into_iter().zip(listed.constants) {
            let of_files = schema.fields().iter().take(file_columns);
            let columns = of_files.map(|field| file.schema().index_of(field.name()).ok()).collect();
            let number = row_number.map(|_| ScalarValue::Int64(None));
            let partitions = number.into_iter().chain(constants).collect();
            files.push(TableFile { file, columns, partitions });
        }
        Ok(Self { location, schema, file_columns, row_number, files })
    }

    /// Returns the value that a column has in all rows of a file; `None` if the rows differ.
    pub(crate) fn constant(&self, file: &TableFile, column: usize) -> Option<ScalarValue> {
        if column >= self.file_columns {
            return Some(file.partitions[column - self.file_columns].clone());
        }
        match file.column(column) {
            Some(_) => None,
            // a type without a null value of its own is read as the null type
            None => Some(
                ScalarValue::try_from(self.schema.field(column).data_type()).unwrap_or(ScalarValue::Null),
            ),
        }
    }

    /// Returns the type to which a column of a file is cast; `None` if it has the table's.
    pub(crate) fn cast(&self, file: &TableFile, column: usize) -> Option<&DataType> {
        let united = self.schema.field(column).data_type();
        let own = file.column(column).map(|index| file.file.schema().field(index).data_type());
        own.is_some_and(|own| own != united).then_some(united)
    }

    /// Returns whether every file has all columns with one type, and no column is of row numbers.
    pub fn is_uniform(&self) -> bool {
        let is_read =
            |file: &TableFile, column| file.column(column).is_some() && self.cast(file, column).is_none();
        let mut files = self.files.iter();
        self.row_number.is_none()
            && files.all(|file| (0..self.file_columns).all(|column| is_read(file, column)))
    }

    /// Returns the table of one or more files in memory.
    ///
    /// # Errors
    /// Their columns differ.
    pub(crate) fn in_memory(name: &str, files: impl IntoIterator<Item = Arc<ParquetFile>>) -> Result<Self> {
        let files: Vec<_> = files.into_iter().collect();
        let listed = ListedTable::of(files.iter().map(|file| file.location().clone()));
        Self::of(name.to_owned(), files, listed, &TableOptions::default())
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
