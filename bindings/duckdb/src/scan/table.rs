//! Files of one schema, opened as a table.

use std::collections::{HashMap, VecDeque};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pelton_pages::listing::hive::{HiveColumns, HiveRules, HiveType, HiveValue, partitions};
use pelton_pages::listing::list_local;
use pelton_pages::{Cause, ParquetFile};

use super::footer_cache;
use crate::error::{Error, Result};
use crate::resources::Resources;
use crate::sys::{Column, Type};
use crate::vector;

/// A file of a table.
#[derive(Debug)]
pub struct TableFile {
    /// The file with its footer.
    pub file: Arc<ParquetFile>,
    /// For each column of the table's files, its index in this one.
    pub columns: Vec<usize>,
    /// The values of the path's columns.
    pub path: Vec<HiveValue>,
}

/// Source of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The files: an index into [`TableFile::columns`].
    File(usize),
    /// Their paths: an index into [`TableFile::path`].
    Path(usize),
}

/// All files of a scan.
#[derive(Debug)]
pub struct Table {
    /// The columns, each with its source.
    pub columns: Vec<(Column, Source)>,
    /// The files, in reading order.
    pub files: Vec<TableFile>,
}

impl Table {
    /// Opens the files that the names stand for. `hive` decides whether `key=value` directories
    /// become columns; with `None` they do if all files have the same ones.
    ///
    /// # Errors
    /// There is no file, one cannot be read, or their columns differ.
    pub fn open(resources: &Resources, names: &[String], hive: Option<bool>) -> Result<Table> {
        let paths = list(names)?;
        let opened = footer_cache::open_all(resources, &paths)?;
        let first = opened.first().ok_or_else(|| Error::Argument("no file was named".to_owned()))?;
        let own = columns(first)?;
        if own.is_empty() {
            return Err(first.error(Cause::NotParquet("it has no columns".to_owned())).into());
        }
        let path = match hive {
            Some(false) => HiveColumns::default(),
            hive => path_columns(&paths, hive == Some(true))?,
        };
        let path_columns: Vec<Column> = path.columns.iter().map(path_column).collect();
        let mut table = Table { columns: Vec::new(), files: Vec::with_capacity(opened.len()) };
        for (index, column) in own.iter().enumerate() {
            // A path's value takes precedence over the file's.
            let of_path = path_columns.iter().position(|other| other.name.eq_ignore_ascii_case(&column.name));
            table.columns.push(match of_path {
                Some(index) => (path_columns[index].clone(), Source::Path(index)),
                None => (column.clone(), Source::File(index)),
            });
        }
        for (index, column) in path_columns.iter().enumerate() {
            if !table.columns.iter().any(|(_, source)| *source == Source::Path(index)) {
                table.columns.push((column.clone(), Source::Path(index)));
            }
        }
        tell_apart(&mut table.columns);
        let mut values = path.values.into_iter();
        for file in &opened {
            let columns = match_columns(&own, first, file)?;
            let path = values.next().unwrap_or_default();
            table.files.push(TableFile { file: file.clone(), columns, path });
        }
        Ok(table)
    }

    /// Returns the table of one file.
    pub fn of_file(file: Arc<ParquetFile>, columns: Vec<Column>) -> Table {
        let sources = columns.into_iter().enumerate();
        let columns: Vec<_> = sources.map(|(index, column)| (column, Source::File(index))).collect();
        let files = vec![TableFile { file, columns: (0..columns.len()).collect(), path: Vec::new() }];
        Table { columns, files }
    }

    /// Returns the number of rows of all files.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|file| file.file.metadata().file_metadata().num_rows() as u64).sum()
    }
}

/// Lists the files that some names stand for, in the order of the names.
///
/// # Errors
/// A name stands for no file.
pub fn list(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names {
        files.extend(list_local(name).map_err(|error| Error::Table(error.to_string()))?);
    }
    Ok(files)
}

/// Reads the columns of the files' paths. Paths of different columns give none.
///
/// # Errors
/// Paths have different columns, and `is_required` makes that an error.
fn path_columns(files: &[PathBuf], is_required: bool) -> Result<HiveColumns> {
    let pairs: Vec<_> = files.iter().map(|file| partitions(directories(file), HiveRules::DuckDb)).collect();
    match HiveColumns::read(&pairs, HiveRules::DuckDb) {
        Err(_) if !is_required => Ok(HiveColumns::default()),
        hive => hive.map_err(|other| {
            let (a, b) = (files[0].display(), files[other].display());
            Error::Table(format!(
                "{b}: its path has other key=value directories than {a}; set hive_partitioning := false to leave them out"
            ))
        }),
    }
}

fn directories(file: &Path) -> impl Iterator<Item = &str> {
    file.parent().map(Path::components).into_iter().flatten().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    })
}

fn path_column((name, hive_type): &(String, HiveType)) -> Column {
    let of = match hive_type {
        HiveType::Integer => Type::BigInt,
        HiveType::Date => Type::Date,
        HiveType::Text => Type::Varchar,
    };
    Column { name: name.clone(), of }
}

/// Returns the columns of a file.
pub fn columns(file: &ParquetFile) -> Result<Vec<Column>> {
    vector::columns(file).map_err(|what| file.error(Cause::NotParquet(what)).into())
}

/// Returns the columns of a file that is a table by itself.
///
/// # Errors
/// The file has no columns, or one of an unknown type.
pub fn own_columns(file: &ParquetFile) -> Result<Vec<Column>> {
    let mut own: Vec<_> = columns(file)?.into_iter().map(|column| (column, Source::File(0))).collect();
    if own.is_empty() {
        return Err(file.error(Cause::NotParquet("it has no columns".to_owned())).into());
    }
    tell_apart(&mut own);
    Ok(own.into_iter().map(|(column, _)| column).collect())
}

/// Makes names unique. SQL's names do not differ in case alone, so that later ones get a number, as
/// in DuckDB's reader.
fn tell_apart(columns: &mut [(Column, Source)]) {
    // The repetitions of each name. DuckDB's names do not differ in the case of ASCII's letters.
    let mut repeated: HashMap<String, usize> = HashMap::new();
    for (column, _) in columns {
        while let Some(count) = repeated.get_mut(&column.name.to_ascii_lowercase()) {
            *count += 1;
            column.name = format!("{}_{count}", column.name);
        }
        repeated.insert(column.name.to_ascii_lowercase(), 0);
    }
}

/// Returns the indexes in `file` of the first file's columns. A file may have a name more than
/// once; then columns of the same name match in their order.
fn match_columns(own: &[Column], first: &ParquetFile, file: &ParquetFile) -> Result<Vec<usize>> {
    let other = first.location().name();
    let found = columns(file)?;
    let mut places: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (index, column) in found.iter().enumerate() {
        places.entry(&column.name).or_default().push_back(index);
    }
    let index_of = |column: &Column| {
        let Some(index) = places.get_mut(column.name.as_str()).and_then(VecDeque::pop_front) else {
            let what = format!("column {} is missing; {other} has it", column.name);
            return Err(file.error(Cause::NotParquet(what)).into());
        };
        let (here, there) = (&found[index].of, &column.of);
        if here != there {
            let what = format!("column {} is {here:?} here, and {there:?} in {other}", column.name);
            return Err(file.error(Cause::NotParquet(what)).into());
        }
        Ok(index)
    };
    own.iter().map(index_of).collect()
}
