//! The files at some places, and the columns that have one value for each file.

use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::ScalarValue;
use pelton_pages::Location;
use pelton_pages::listing::hive::{self, HiveColumns, HiveRules, HiveType, HiveValue};
use pelton_pages::listing::{self, ListedFile};
use pelton_pages::traffic::{self, Traffic};

use crate::error::{Error, Result};
use crate::stores::Stores;

/// Directories whose names become partition columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HivePartitions {
    /// Those below the listed place.
    #[default]
    Below,
    /// All in a file's name.
    Whole,
    /// None.
    Off,
}

/// Files, and columns that are not in them.
#[derive(Debug, Clone)]
pub(crate) struct ListedTable {
    /// The places as they are shown, with commas between.
    pub location: String,
    /// Requests to object stores for the listing.
    pub traffic: Traffic,
    /// The files, in the order of the places and of their paths.
    pub locations: Vec<Location>,
    /// A column of names, then partition columns.
    pub fields: Vec<FieldRef>,
    /// The values of these columns, by file.
    pub constants: Vec<Vec<ScalarValue>>,
    /// Partition columns among the fields.
    partitions: usize,
}

impl ListedTable {
    /// Lists the files at some places. `filename` names a column of their names.
    ///
    /// # Errors
    /// There is no file, a place can't be listed, or the paths have different partition columns.
    pub async fn list(
        places: &[impl AsRef<str>],
        hive: HivePartitions,
        filename: Option<&str>,
        stores: &Stores,
    ) -> Result<Self> {
        let mut files = Vec::new();
        let mut traffic = Traffic::default();
        for place in places {
            let (listed, caused) = traffic::counted(listing::list(place.as_ref(), stores)).await;
            traffic.add(caused);
            files.extend(listed?);
        }
        if files.is_empty() {
            return Err(Error::Missing("a table of no files; name one or more".to_owned()));
        }
        for file in &mut files {
            match hive {
                HivePartitions::Below => {}
                HivePartitions::Whole => file.partitions = partitions_of(file.location.name()),
                HivePartitions::Off => file.partitions.clear(),
            }
        }
        let hive = partition_columns(&files)?;
        let mut fields = Vec::new();
        if let Some(name) = filename {
            fields.push(Arc::new(Field::new(name, DataType::Utf8View, false)));
        }
        fields.extend(hive.columns.iter().map(|(name, hive_type)| {
            let nullable = true;
            Arc::new(Field::new(name, arrow_type(*hive_type), nullable))
        }));
        let constants = files.iter().zip(hive.values).map(|(file, values)| {
            let name = filename.map(|_| ScalarValue::Utf8View(Some(file.location.name().to_string())));
            let values = values.into_iter().zip(&hive.columns);
            let values = values.map(|(value, (_, hive_type))| partition_value(value, *hive_type));
            name.into_iter().chain(values).collect()
        });
        let constants = constants.collect();
        let locations = files.into_iter().map(|file| file.location).collect();
        let location =
            places.iter().map(|place| listing::shown(place.as_ref())).collect::<Vec<_>>().join(", ");
        Ok(Self { location, traffic, locations, fields, constants, partitions: hive.columns.len() })
    }

    /// Returns the number of partition columns.
    pub fn partitions(&self) -> usize {
        self.partitions
    }

    /// Returns the table with some of its files. The work of listing is counted with the whole
    /// table.
    pub fn with_files(&self, is_kept: &BooleanArray) -> Self {
        let kept: Vec<usize> = (0..self.locations.len()).filter(|&index| is_kept.value(index)).collect();
        Self {
            location: self.location.clone(),
            traffic: Traffic::default(),
            locations: kept.iter().map(|&index| self.locations[index].clone()).collect(),
            fields: self.fields.clone(),
            constants: kept.iter().map(|&index| self.constants[index].clone()).collect(),
            partitions: self.partitions,
        }
    }

    /// Returns the files of a table, without further columns.
    pub fn of(name: &str, locations: impl Iterator<Item = Location>) -> Self {
        let (location, traffic) = (name.to_owned(), Traffic::default());
        let locations: Vec<Location> = locations.collect();
        let constants = vec![Vec::new(); locations.len()];
        Self { location, traffic, locations, fields: Vec::new(), constants, partitions: 0 }
    }

    /// Returns whether a partition column takes the place of a column of the files.
    pub fn hides(&self, name: &str) -> bool {
        self.fields.iter().rev().take(self.partitions).any(|field| field.name() == name)
    }

    /// Checks that no column behind those of the files has the name of another.
    ///
    /// # Errors
    /// One has.
    pub fn refuse_taken_names(&self, schema: &Schema, file_columns: usize) -> Result<()> {
        let fields = schema.fields();
        for (at, field) in fields.iter().enumerate().skip(file_columns) {
            if fields[..at].iter().any(|other| other.name() == field.name()) {
                let name = field.name();
                return Err(Error::Table(format!(
                    "the option filename or file_row_number adds the column {name}, and there is one of that name \
                     already: give another, such as filename := 'file'"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the partitions that all directories of a name give.
fn partitions_of(name: &str) -> Vec<(String, String)> {
    let directories = name.rsplit_once('/').map_or("", |(directories, _)| directories);
    hive::partitions(directories.split('/'), HiveRules::Engine)
}

/// Reads the partition columns, which have the same names in every path.
fn partition_columns(files: &[ListedFile]) -> Result<HiveColumns> {
    let pairs: Vec<_> = files.iter().map(|listed| listed.partitions.clone()).collect();
    HiveColumns::read(&pairs, HiveRules::Engine).map_err(|other| {
        let names = |listed: &ListedFile| {
            listed.partitions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (first, listed) = (&files[0], &files[other]);
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
