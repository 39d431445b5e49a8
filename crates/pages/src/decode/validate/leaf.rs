//! A leaf column as its pages are validated: its levels and its type.

use arrow::datatypes::{DataType, TimeUnit};
use bytes::Bytes;
use parquet::basic::{Repetition, Type};
use parquet::schema::types::Type as SchemaType;

use crate::decode::validate::agreement::Shared;
use crate::decode::validate::bit_packed;
use crate::decode::validate::moments;
use crate::file::ParquetFile;
use crate::header::PageHeader;

/// Levels and type of a leaf column.
#[derive(Debug)]
pub(crate) struct Leaf {
    /// The greatest definition level: that of a value.
    pub max_definition: u32,
    /// The greatest repetition level: how many lists are around a value.
    pub max_repetition: u32,
    /// For each of these lists, from the outermost, the least definition level of a row that has an
    /// element of it.
    pub elements: Vec<u32>,
    /// What it shares with the leaf on its left and the one on its right, if these are of the same
    /// column.
    pub shared: Vec<Shared>,
    /// What values are stored as.
    pub physical: Type,
    /// Bytes of a value of fixed length.
    pub width: usize,
    /// The unit that INT96 becomes.
    pub(crate) unit: Option<TimeUnit>,
}

impl Leaf {
    /// The leaf column `leaf` of a file.
    pub fn new(file: &ParquetFile, leaf: usize) -> Self {
        let schema = file.parquet_schema();
        let descriptor = schema.column(leaf);
        let root = schema.get_column_root_idx(leaf);
        let is_beside = |other: &usize| schema.get_column_root_idx(*other) == root;
        let first = (0..leaf).rev().take_while(is_beside).count();
        let (mut elements, mut shared) = (Vec::new(), Vec::new());
        if !schema.get_column_root(leaf).is_primitive() || descriptor.max_rep_level() > 0 {
            let path = |number| path(schema.get_column_root(leaf), number);
            let own = path(first);
            elements.extend(own.iter().filter(|node| node.is_repeated).map(|node| node.definition));
            if first > 0 {
                shared.extend(common(leaf - 1, &path(first - 1), &own));
            }
            if leaf + 1 < schema.num_columns() && is_beside(&(leaf + 1)) {
                shared.extend(common(leaf, &own, &path(first + 1)));
            }
        }
        let physical = descriptor.physical_type();
        let width = match physical {
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => moments::WIDTH,
            Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(descriptor.type_length()).unwrap_or(0),
            Type::BOOLEAN | Type::BYTE_ARRAY => 0,
        };
        let unit = || {
            let mut number = first;
            match leaf_type(file.schema().field(root).data_type(), &mut number) {
                Some(DataType::Timestamp(unit, _)) => *unit,
                _ => TimeUnit::Nanosecond,
            }
        };
        Self {
            max_definition: u32::try_from(descriptor.max_def_level()).unwrap_or(0),
            max_repetition: u32::try_from(descriptor.max_rep_level()).unwrap_or(0),
            elements,
            shared,
            physical,
            width,
            unit: (physical == Type::INT96).then(unit),
        }
    }

    /// A leaf of these levels, with values of eight bytes if their length is fixed.
    #[cfg(test)]
    pub fn of_levels(physical: Type, max_definition: u32, elements: Vec<u32>) -> Self {
        let max_repetition = elements.len() as u32;
        let shared = Vec::new();
        Self { max_definition, max_repetition, elements, shared, physical, width: 8, unit: None }
    }

    /// Whether a row has one value or a null, and nothing is around the value.
    pub fn is_flat(&self) -> bool {
        self.max_repetition == 0 && self.max_definition <= 1
    }

    /// A page's bytes with its levels in hybrids, whatever its writer packed them in.
    ///
    /// # Errors
    /// The page is too short for its levels.
    pub fn with_hybrid_levels(&self, header: &PageHeader, bytes: Bytes) -> Result<Bytes, String> {
        bit_packed::rewrite(self, header, bytes)
    }

    /// Checks that timestamps among plain values are within the range of what they are read as.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_moments(&self, values: &[u8], count: usize) -> Result<(), String> {
        self.unit.map_or(Ok(()), |unit| moments::check(values, count, unit))
    }
}

/// A field on the way from a column to a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// Its place among the fields of the one before.
    index: usize,
    is_repeated: bool,
    /// Its greatest levels.
    definition: u32,
    repetition: u32,
}

/// The fields from a column to its leaf `number`.
fn path(column: &SchemaType, mut number: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    descend(column, 0, &mut number, &mut nodes);
    nodes
}

/// Goes down to leaf `number` of a field. Returns whether it was found.
fn descend(field: &SchemaType, index: usize, number: &mut usize, nodes: &mut Vec<Node>) -> bool {
    let info = field.get_basic_info();
    let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
    let (definitions, repetitions) = nodes.last().map_or((0, 0), |node| (node.definition, node.repetition));
    let is_repeated = repetition == Repetition::REPEATED;
    nodes.push(Node {
        index,
        is_repeated,
        definition: definitions + u32::from(repetition != Repetition::REQUIRED),
        repetition: repetitions + u32::from(is_repeated),
    });
    let found = match field.is_primitive() {
        true if *number == 0 => true,
        true => {
            *number -= 1;
            false
        }
        false => {
            let mut fields = field.get_fields().iter().enumerate();
            fields.any(|(index, child)| descend(child, index, number, nodes))
        }
    };
    if !found {
        nodes.pop();
    }
    found
}

/// What two neighbours share, by the ways to them, if there are levels of it.
fn common(left: usize, one: &[Node], other: &[Node]) -> Option<Shared> {
    let (group, _) = one.iter().zip(other).take_while(|(a, b)| a == b).last()?;
    let Node { definition, repetition, .. } = *group;
    (definition > 0).then_some(Shared { left, definition, repetition })
}

/// The type of leaf `number` of an Arrow type.
fn leaf_type<'a>(of: &'a DataType, number: &mut usize) -> Option<&'a DataType> {
    match of {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            leaf_type(item.data_type(), number)
        }
        DataType::Map(entries, _) => leaf_type(entries.data_type(), number),
        DataType::Struct(fields) => fields.iter().find_map(|field| leaf_type(field.data_type(), number)),
        leaf => {
            let is_it = *number == 0;
            *number = number.saturating_sub(1);
            is_it.then_some(leaf)
        }
    }
}
