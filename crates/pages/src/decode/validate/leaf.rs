//! Levels and type of a leaf column, by which its pages are validated.

use arrow::datatypes::{DataType, TimeUnit};
use parquet::basic::{Repetition, Type};
use parquet::schema::types::Type as SchemaType;

use crate::decode::validate::agreement::Shared;
use crate::decode::validate::moments;
use crate::file::ParquetFile;

/// Levels and type of a leaf column.
#[derive(Debug)]
pub(crate) struct Leaf {
    /// Maximum definition level, which is that of a value.
    pub max_definition: u32,
    /// Maximum repetition level: the number of lists around a value.
    pub max_repetition: u32,
    /// Definition level from which a list has an element, for each list around the value, from the
    /// outermost.
    pub elements: Vec<u32>,
    /// Levels shared with the left and the right leaf, if these belong to the same column.
    pub shared: Vec<Shared>,
    /// Physical type of the values.
    pub physical: Type,
    /// Bytes of a value of fixed length.
    pub width: usize,
    /// Unit of the timestamps to which INT96 is decoded.
    pub(crate) unit: Option<TimeUnit>,
}

impl Leaf {
    /// Returns levels and type of the leaf column `leaf` of a file.
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

    /// Returns a leaf with these levels. Values of fixed length have eight bytes.
    #[cfg(test)]
    pub fn of_levels(physical: Type, max_definition: u32, elements: Vec<u32>) -> Self {
        let max_repetition = elements.len() as u32;
        let shared = Vec::new();
        Self { max_definition, max_repetition, elements, shared, physical, width: 8, unit: None }
    }

    /// Returns whether the column is neither nested nor in a struct.
    pub fn is_flat(&self) -> bool {
        self.max_repetition == 0 && self.max_definition <= 1
    }

    /// Checks that plain INT96 timestamps fit the unit to which they are decoded.
    ///
    /// # Errors
    /// Describes the first timestamp that does not fit.
    pub fn check_moments(&self, values: &[u8], count: usize) -> Result<(), String> {
        self.unit.map_or(Ok(()), |unit| moments::check(values, count, unit))
    }
}

/// A field on the path from a column to a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// Index among the fields of its parent.
    index: usize,
    is_repeated: bool,
    /// Maximum levels of the field.
    definition: u32,
    repetition: u32,
}

/// Returns the path from a column to its leaf `number`.
fn path(column: &SchemaType, mut number: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    descend(column, 0, &mut number, &mut nodes);
    nodes
}

/// Appends the path to leaf `number` of a field. Returns whether the leaf was found; otherwise
/// `number` is reduced by the leaves of the field.
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

/// Returns the levels that two neighbours with these paths share; `None` if their common group has
/// none.
fn common(left: usize, one: &[Node], other: &[Node]) -> Option<Shared> {
    let (group, _) = one.iter().zip(other).take_while(|(a, b)| a == b).last()?;
    let Node { definition, repetition, .. } = *group;
    (definition > 0).then_some(Shared { left, definition, repetition })
}

/// Returns the type of leaf `number` of an Arrow type.
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
