//! Opened files of a table: their common schema, and their rows as the footers state them.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::compute::can_cast_types;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use parking_lot::Mutex;
use pelton_pages::traffic::Traffic;
use pelton_pages::{Cause, FooterOptions, FooterTotals, ParquetFile, RowRanges, ScanCounters};

use super::footer_cache::{FooterCache, Opened};
use super::listed::{HivePartitions, ListedTable};
use super::unite;
use crate::error::{Error, Result};

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

impl TableOptions {
    /// Returns whether the options are the defaults but for those of footers.
    pub(super) fn is_plain(&self) -> bool {
        let has_columns = self.filename.is_some() || self.row_number.is_some();
        self.hive == HivePartitions::Below && !self.union_by_name && !has_columns
    }
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
    /// The values of columns that a log has in place of the file.
    logged: Vec<(usize, ScalarValue)>,
    /// The rows that are not deleted, by row group; `None` if all count.
    kept: Option<Vec<RowRanges>>,
}

/// A file of a table whose log names its files.
pub(super) struct LoggedFile {
    pub file: Arc<ParquetFile>,
    /// For each column of the table: its index in the file, if it has the column.
    pub columns: Vec<Option<usize>>,
    /// Columns with values from the log.
    pub constants: Vec<(usize, ScalarValue)>,
    /// Deleted rows, ascending.
    pub deleted: Vec<u64>,
}

impl TableFile {
    /// Returns the index in the file of a column of the table; `None` if the file lacks it.
    pub fn column(&self, column: usize) -> Option<usize> {
        self.columns.get(column).copied().flatten()
    }

    /// Returns the rows of a row group that are not deleted; `None` if all count.
    pub(crate) fn kept(&self, row_group: usize) -> Option<&RowRanges> {
        self.kept.as_ref().and_then(|kept| kept.get(row_group))
    }

    /// Returns the number of rows that are not deleted.
    pub(super) fn rows(&self) -> usize {
        match &self.kept {
            Some(kept) => kept.iter().flatten().map(|rows| rows.len()).sum(),
            None => self.file.metadata().file_metadata().num_rows() as usize,
        }
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
    /// Files at the locations, with those that their paths rule out.
    pub listed: usize,
    /// Present for a table whose log names its files.
    pub(super) log: Option<Log>,
    /// The work of opening the files, until a scan counts it as its own.
    opening: Mutex<Option<(FooterTotals, Traffic)>>,
}

/// Changes that a log makes in the reading of a table's files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Log {
    /// Columns have other names in the files.
    pub is_renamed: bool,
}

/// Columns of a table over files.
#[derive(Debug, Clone)]
pub(super) struct TableColumns {
    pub schema: SchemaRef,
    pub file_columns: usize,
    pub row_number: Option<usize>,
    /// The files that they are from.
    from: Vec<Arc<ParquetFile>>,
}

impl TableColumns {
    /// Returns the columns of opened files, and those that are not in the files.
    ///
    /// # Errors
    /// The files' columns don't fit together.
    pub fn of(opened: &[Arc<ParquetFile>], listed: &ListedTable, options: &TableOptions) -> Result<Self> {
        opened.iter().try_for_each(|file| refuse_duplicates(file))?;
        let mut fields = unite::fields(opened, options.union_by_name)?;
        fields.retain(|field| !listed.hides(field.name()));
        let file_columns = fields.len();
        let row_number = options.row_number.as_ref().map(|name| {
            fields.push(Arc::new(Field::new(name, DataType::Int64, false)));
            fields.len() - 1
        });
        fields.extend(listed.fields.iter().cloned());
        let schema = Arc::new(Schema::new(fields));
        listed.refuse_taken_names(&schema, file_columns)?;
        Ok(Self { schema, file_columns, row_number, from: opened.to_vec() })
    }

    /// Returns the columns for a table with more files, any of which may have nulls.
    pub fn nullable(self) -> Self {
        let fields = self.schema.fields().iter().enumerate().map(|(at, field)| {
            let is_nullable = field.is_nullable() || at < self.file_columns;
            Field::clone(field).with_nullable(is_nullable)
        });
        Self { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())), ..self }
    }

    /// Returns the same columns if they hold the values of other files, too.
    ///
    /// # Errors
    /// A file lacks a column, or has values of another type.
    fn checked(
        &self,
        opened: &[Arc<ParquetFile>],
        listed: &ListedTable,
        options: &TableOptions,
    ) -> Result<Self> {
        let all = [&self.from[..], opened].concat();
        let united = Self::of(&all, listed, options)?;
        let pairs = self.schema.fields().iter().zip(united.schema.fields());
        for (known, united) in pairs.take(self.file_columns) {
            if !known.data_type().equals_datatype(united.data_type()) {
                let (name, first, place) = (known.name(), known.data_type(), &listed.location);
                let wider = united.data_type();
                return Err(Error::Table(format!(
                    "{place}: column {name} is {first} in the first file and {wider} with others; \
                     read_parquet('{place}', union_by_name := true) unites them"
                )));
            }
        }
        Ok(self.clone())
    }
}

impl TableFiles {
    /// Opens listed files. `known` is the table's columns if they are known already.
    ///
    /// # Errors
    /// One can't be read, or their columns don't fit together.
    pub(super) async fn open(
        listed: ListedTable,
        options: &TableOptions,
        known: Option<&TableColumns>,
        cache: &FooterCache,
    ) -> Result<Self> {
        let Opened { files: opened, footers, mut traffic } =
            cache.open(listed.locations.clone(), &options.footers).await?;
        traffic.add(listed.traffic);
        let columns = match known {
            Some(known) => known.checked(&opened, &listed, options)?,
            None => TableColumns::of(&opened, &listed, options)?,
        };
        Ok(Self::of(opened, listed, columns, (footers, traffic)))
    }

    /// Returns the table of opened files, given the work of opening them.
    fn of(
        opened: Vec<Arc<ParquetFile>>,
        listed: ListedTable,
        columns: TableColumns,
        opening: (FooterTotals, Traffic),
    ) -> Self {
        let TableColumns { schema, file_columns, row_number, .. } = columns;
        let mut files = Vec::with_capacity(opened.len());
        for (file, constants) in opened.into_iter().zip(listed.constants) {
            let of_files = schema.fields().iter().take(file_columns);
            let columns = of_files.map(|field| file.schema().index_of(field.name()).ok()).collect();
            let number = row_number.map(|_| ScalarValue::Int64(None));
            let partitions = number.into_iter().chain(constants).collect();
            files.push(TableFile { file, columns, partitions, logged: Vec::new(), kept: None });
        }
        let (location, listed) = (listed.location, files.len());
        let opening = Mutex::new(Some(opening));
        Self { location, schema, file_columns, row_number, files, listed, log: None, opening }
    }

    /// Returns the files that a table's log names.
    ///
    /// # Errors
    /// A column of a file has no values of the table's type, or a deleted row is not there.
    pub(super) fn of_log(
        location: String,
        schema: SchemaRef,
        logged: Vec<LoggedFile>,
        is_renamed: bool,
        opening: (FooterTotals, Traffic),
    ) -> Result<Self> {
        let mut files = Vec::with_capacity(logged.len());
        for LoggedFile { file, columns, constants, deleted } in logged {
            refuse_duplicates(&file)?;
            for (field, column) in schema.fields().iter().zip(&columns) {
                let Some(own) = column.map(|column| file.schema().field(column).data_type()) else {
                    continue;
                };
                let is_same = own.equals_datatype(field.data_type());
                if !is_same && (own.is_nested() || !can_cast_types(own, field.data_type())) {
                    let what =
                        format!("column {} is {own}, and {} in the table", field.name(), field.data_type());
                    return Err(file.error(Cause::NotParquet(what)).into());
                }
            }
            let kept = if deleted.is_empty() { None } else { Some(kept(&file, &deleted)?) };
            files.push(TableFile { file, columns, partitions: Vec::new(), logged: constants, kept });
        }
        let (file_columns, listed) = (schema.fields().len(), files.len());
        let (log, opening) = (Some(Log { is_renamed }), Mutex::new(Some(opening)));
        Ok(Self { location, schema, file_columns, row_number: None, files, listed, log, opening })
    }

    /// Returns whether statistics of the files are under the names of the table's columns.
    pub(crate) fn has_names_of_files(&self) -> bool {
        self.log.is_none_or(|log| !log.is_renamed)
    }

    /// Returns the files as those that are left of more by their paths, with the work before that.
    pub(super) fn pruned(mut self, listed: usize, before: (FooterTotals, Traffic)) -> Self {
        if let Some((footers, traffic)) = self.opening.get_mut() {
            footers.read += before.0.read;
            footers.cached += before.0.cached;
            footers.pruned = (listed - self.files.len()) as u64;
            traffic.add(before.1);
        }
        self.listed = listed;
        self
    }

    /// Adds the work of opening the files to the counters of the first scan that asks.
    pub(super) fn count_opening(&self, counters: &ScanCounters) {
        if let Some((footers, traffic)) = self.opening.lock().take() {
            counters.footers(footers);
            counters.traffic(traffic);
        }
    }

    /// Returns the value that a column has in all rows of a file; `None` if the rows differ.
    pub(crate) fn constant(&self, file: &TableFile, column: usize) -> Option<ScalarValue> {
        if column >= self.file_columns {
            return Some(file.partitions[column - self.file_columns].clone());
        }
        if let Some((_, value)) = file.logged.iter().find(|(logged, _)| *logged == column) {
            return Some(value.clone());
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
        self.log.is_none()
            && self.row_number.is_none()
            && files.all(|file| (0..self.file_columns).all(|column| is_read(file, column)))
    }

    /// Returns the table of one or more files in memory.
    ///
    /// # Errors
    /// Their columns differ.
    pub(crate) fn in_memory(name: &str, files: impl IntoIterator<Item = Arc<ParquetFile>>) -> Result<Self> {
        let files: Vec<_> = files.into_iter().collect();
        let listed = ListedTable::of(name, files.iter().map(|file| file.location().clone()));
        let columns = TableColumns::of(&files, &listed, &TableOptions::default())?;
        Ok(Self::of(files, listed, columns, Default::default()))
    }
}

/// Returns the rows of each row group that are not deleted.
fn kept(file: &ParquetFile, deleted: &[u64]) -> Result<Vec<RowRanges>> {
    let mut rest = deleted.iter().map(|row| *row as usize).peekable();
    let mut first = 0;
    let mut groups = Vec::new();
    for group in file.metadata().row_groups() {
        let rows = group.num_rows() as usize;
        let (mut ranges, mut start) = (RowRanges::new(), 0);
        while let Some(row) = rest.next_if(|row| *row < first + rows) {
            let row = row - first;
            if row > start {
                ranges.push(start..row);
            }
            start = row + 1;
        }
        if start < rows {
            ranges.push(start..rows);
        }
        groups.push(ranges);
        first += rows;
    }
    match rest.next() {
        None => Ok(groups),
        Some(row) => {
            let what = format!("row {row} is deleted by the table's log, and the file has {first} rows");
            Err(file.error(Cause::NotParquet(what)).into())
        }
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
