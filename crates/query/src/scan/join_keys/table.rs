//! Table of the different keys of a join's build side: whole numbers or dates.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{
    Array, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray, downcast_integer_array,
};
use arrow::datatypes::{DataType, Date32Type, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::common::hash_utils::RandomState;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, Operator};
use datafusion::physical_expr::expressions::{BinaryExpr, in_list, lit};
use datafusion::physical_expr::utils::conjunction;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::bitmap::{KeyBitmap, number};

/// Number in place of that of a value which is no key.
pub(crate) const NO_KEY: u32 = u32::MAX;

/// Values of the range of the keys, for each row, up to which the table is an array.
const MOST_VALUES_EACH: usize = 4;

/// Values that any range may have for the same.
const ANY_VALUES: usize = 1 << 16;

/// Keys that are listed in a filter, so that statistics and bloom filters can be tested for each.
const MOST_LISTED: usize = 150;

/// Keys, which are numbered in the order of their first rows.
#[derive(Debug)]
pub(crate) struct KeyTable {
    places: Places,
    /// Row of each key's first occurrence.
    first_rows: Vec<u32>,
    /// Type of the keys, with the least and the greatest.
    data_type: DataType,
    bounds: Option<(i64, i64)>,
}

/// Numbers of the keys.
#[derive(Debug)]
enum Places {
    /// By the distance from the least key.
    Array(Vec<u32>),
    Map(HashMap<i64, u32, RandomState>),
}

impl KeyTable {
    /// Returns whether keys of a type can be in a table.
    pub fn takes(data_type: &DataType) -> bool {
        KeyBitmap::takes(data_type)
    }

    /// Returns the table of a column of such a type, with fewer than [`NO_KEY`] rows, and the
    /// number of each row's key: [`NO_KEY`] for null.
    ///
    /// # Errors
    /// The column has another type.
    pub fn new(keys: &dyn Array) -> Result<(Self, Vec<u32>)> {
        downcast_integer_array!(
            keys => Ok(Self::of(keys)),
            DataType::Date32 => Ok(Self::of(keys.as_primitive::<Date32Type>())),
            other => Err(no_keys(other)),
        )
    }

    fn of<T: ArrowPrimitiveType>(keys: &PrimitiveArray<T>) -> (Self, Vec<u32>) {
        let values = || keys.iter().flatten().map(number);
        let bounds = values().min().zip(values().max());
        let range = bounds.and_then(|(low, high)| usize::try_from(high.checked_sub(low)?).ok());
        let most = keys.len().saturating_mul(MOST_VALUES_EACH).max(ANY_VALUES);
        let places = match range.filter(|range| *range < most) {
            Some(range) => Places::Array(vec![NO_KEY; range + 1]),
            None => Places::Map(HashMap::default()),
        };
        let data_type = keys.data_type().clone();
        let mut table = Self { places, first_rows: Vec::new(), data_type, bounds };
        let rows = keys.iter().enumerate();
        let numbers = rows.map(|(row, key)| key.map_or(NO_KEY, |key| table.insert(number(key), row as u32)));
        let numbers = numbers.collect();
        (table, numbers)
    }

    fn insert(&mut self, key: i64, row: u32) -> u32 {
        let place = match &mut self.places {
            Places::Array(places) => {
                &mut places[key.wrapping_sub(self.bounds.map_or(0, |bounds| bounds.0)) as usize]
            }
            Places::Map(places) => places.entry(key).or_insert(NO_KEY),
        };
        if *place == NO_KEY {
            *place = self.first_rows.len() as u32;
            self.first_rows.push(row);
        }
        *place
    }

    /// Returns the row of each key's first occurrence.
    pub fn first_rows(&self) -> &[u32] {
        &self.first_rows
    }

    /// Returns the bytes of the table.
    pub fn bytes(&self) -> usize {
        let places = match &self.places {
            Places::Array(places) => places.capacity() * size_of::<u32>(),
            Places::Map(places) => places.capacity() * size_of::<(i64, u32)>(),
        };
        places + self.first_rows.capacity() * size_of::<u32>()
    }

    /// Returns the bytes that a table and the numbers of so many rows can take.
    pub fn most_bytes(rows: usize) -> usize {
        let array = rows.saturating_mul(MOST_VALUES_EACH).max(ANY_VALUES).saturating_mul(size_of::<u32>());
        array.saturating_add(rows.saturating_mul(2 * size_of::<u32>()))
    }

    /// Writes the number of each value's key: [`NO_KEY`] for other values and null.
    ///
    /// # Errors
    /// The column has another type than the keys may have.
    pub fn find(&self, values: &dyn Array, found: &mut Vec<u32>) -> Result<()> {
        downcast_integer_array!(
            values => self.find_all(values, found),
            DataType::Date32 => self.find_all(values.as_primitive::<Date32Type>(), found),
            other => return Err(no_keys(other)),
        );
        Ok(())
    }

    fn find_all<T: ArrowPrimitiveType>(&self, values: &PrimitiveArray<T>, found: &mut Vec<u32>) {
        found.clear();
        let numbers = values.values().iter().map(|&value| number(value));
        match &self.places {
            Places::Array(places) => {
                let least = self.bounds.map_or(0, |bounds| bounds.0);
                found.extend(numbers.map(|value| {
                    let place = usize::try_from(value.wrapping_sub(least) as u64).ok();
                    place.and_then(|place| places.get(place)).copied().unwrap_or(NO_KEY)
                }));
            }
            Places::Map(places) => {
                found.extend(numbers.map(|value| places.get(&value).copied().unwrap_or(NO_KEY)));
            }
        }
        if let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) {
            for (found, is_valid) in found.iter_mut().zip(nulls.iter()) {
                *found |= if is_valid { 0 } else { NO_KEY };
            }
        }
    }

    /// Returns the condition that `key`, an expression of the same type, has a value among these.
    ///
    /// # Errors
    /// The expression has no such type.
    pub fn condition(
        self: &Arc<Self>,
        key: &Arc<dyn PhysicalExpr>,
        schema: &Schema,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let Some((least, greatest)) = self.bounds else { return Ok(lit(false)) };
        let test: Arc<dyn PhysicalExpr> = Arc::new(KeyTableExpr { key: key.clone(), table: self.clone() });
        // such numbers are not in the order of those with a sign
        if self.data_type == DataType::UInt64 {
            return Ok(test);
        }
        let value = |number: i64| match self.data_type {
            DataType::Date32 => Ok(lit(ScalarValue::Date32(i32::try_from(number).ok()))),
            _ => ScalarValue::Int64(Some(number)).cast_to(&self.data_type).map(lit),
        };
        let bound = |operator: Operator, number: i64| -> Result<Arc<dyn PhysicalExpr>> {
            Ok(Arc::new(BinaryExpr::new(key.clone(), operator, value(number)?)))
        };
        let test = match self.first_rows.len() > MOST_LISTED {
            true => test,
            false => in_list(key.clone(), self.numbers().map(value).collect::<Result<_>>()?, &false, schema)?,
        };
        Ok(conjunction([bound(Operator::GtEq, least)?, bound(Operator::LtEq, greatest)?, test]))
    }

    /// Returns the keys as numbers with a sign, in no order.
    fn numbers(&self) -> Box<dyn Iterator<Item = i64> + '_> {
        match &self.places {
            Places::Array(places) => {
                let least = self.bounds.map_or(0, |bounds| bounds.0);
                let taken = places.iter().enumerate().filter(|(_, number)| **number != NO_KEY);
                Box::new(taken.map(move |(place, _)| least.wrapping_add(place as i64)))
            }
            Places::Map(places) => Box::new(places.keys().copied()),
        }
    }
}

fn no_keys(data_type: &DataType) -> DataFusionError {
    DataFusionError::Internal(format!("{data_type} can't be keys"))
}

/// True for the keys of a table, false for other values and null.
#[derive(Debug)]
pub(super) struct KeyTableExpr {
    key: Arc<dyn PhysicalExpr>,
    table: Arc<KeyTable>,
}

impl KeyTableExpr {
    /// Returns the tested expression.
    pub fn key(&self) -> &Arc<dyn PhysicalExpr> {
        &self.key
    }
}

impl PartialEq for KeyTableExpr {
    fn eq(&self, other: &Self) -> bool {
        self.key.eq(&other.key) && Arc::ptr_eq(&self.table, &other.table)
    }
}

impl Eq for KeyTableExpr {}

impl Hash for KeyTableExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
        Arc::as_ptr(&self.table).hash(state);
    }
}

impl fmt::Display for KeyTableExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key_table({})", self.key)
    }
}

impl PhysicalExpr for KeyTableExpr {
    fn data_type(&self, _: &Schema) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn nullable(&self, _: &Schema) -> Result<bool> {
        Ok(false)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let keys = self.key.evaluate(batch)?.into_array(batch.num_rows())?;
        let mut found = Vec::with_capacity(keys.len());
        self.table.find(&keys, &mut found)?;
        let found: BooleanArray = found.iter().map(|&number| Some(number != NO_KEY)).collect();
        Ok(ColumnarValue::Array(Arc::new(found)))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.key]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let key = children.pop().unwrap_or_else(|| self.key.clone());
        Ok(Arc::new(Self { key, table: self.table.clone() }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
