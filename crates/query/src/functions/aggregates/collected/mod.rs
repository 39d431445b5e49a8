//! Aggregates of all values of a group at once: frequencies, moments and quantiles.

mod frequencies;
mod moments;
mod quantiles;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, filter, is_not_null};
use arrow::datatypes::{DataType, Field, FieldRef};
use arrow::row::{RowConverter, SortField};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};

use crate::error::{Error, wrap};

/// The values of a group, none of them NULL.
pub(super) struct Group<'a> {
    pub values: &'a ArrayRef,
    /// The second argument, which is constant.
    pub second: Option<&'a ScalarValue>,
    pub gives: &'a DataType,
}

/// The types that an aggregate takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Values of any type.
    Any,
    /// Numbers, as doubles.
    Doubles,
}

/// An aggregate: its names, what it takes, whether it has a second argument, the type of its
/// result, and the result of a group.
pub(super) struct Entry {
    pub names: &'static [&'static str],
    pub takes: Takes,
    pub has_second: bool,
    /// Returns the type of the result from those of the arguments.
    pub gives: fn(&DataType, Option<&DataType>) -> DataType,
    pub finish: fn(&Group<'_>) -> Result<ScalarValue>,
}

/// Registers the aggregates.
///
/// # Errors
/// The registry takes no functions.
pub(in crate::functions) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    let tables = [frequencies::TABLE, moments::TABLE, quantiles::TABLE];
    for entry in tables.into_iter().flatten() {
        let [name, aliases @ ..] = entry.names else { continue };
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = AggregateUDF::from(Collected { name, entry, signature });
        registry.register_udaf(Arc::new(function.with_aliases(aliases.iter().copied())))?;
    }
    Ok(())
}

struct Collected {
    name: &'static str,
    entry: &'static Entry,
    signature: Signature,
}

impl std::fmt::Debug for Collected {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(self.name)
    }
}

// a name has one definition
impl PartialEq for Collected {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Collected {}

impl Hash for Collected {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl AggregateUDFImpl for Collected {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let count = 1 + usize::from(self.entry.has_second);
        let first = match (types.first(), self.entry.takes) {
            (Some(found), Takes::Any) if types.len() == count => found.clone(),
            (Some(found), Takes::Doubles)
                if types.len() == count && (found.is_numeric() || found.is_null()) =>
            {
                DataType::Float64
            }
            _ => {
                let types: Vec<String> = types.iter().map(crate::plan::type_in_sql).collect();
                let taken = if self.entry.takes == Takes::Doubles { "a number" } else { "a value" };
                let second = if self.entry.has_second { " and a constant" } else { "" };
                return Err(wrap(Error::Query(format!(
                    "{} does not take ({}): it takes {taken}{second}",
                    self.name,
                    types.join(", ")
                ))));
            }
        };
        let second = types.get(1).map(|found| match found {
            DataType::List(_) | DataType::FixedSizeList(..) | DataType::LargeList(_) => {
                DataType::new_list(DataType::Float64, true)
            }
            _ => DataType::Float64,
        });
        Ok(std::iter::once(first).chain(second).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let first = types.first().unwrap_or(&DataType::Null);
        Ok((self.entry.gives)(first, types.get(1)))
    }

    fn state_fields(&self, of: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let values = of.input_fields.first().map_or(DataType::Null, |field| field.data_type().clone());
        let values = DataType::new_list(values, true);
        let mut fields = vec![Arc::new(Field::new(format_state_name(of.name, "values"), values, true))];
        if let Some(second) = of.input_fields.get(1) {
            let name = format_state_name(of.name, "second");
            fields.push(Arc::new(Field::new(name, second.data_type().clone(), true)));
        }
        Ok(fields)
    }

    fn accumulator(&self, of: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let values = of.expr_fields.first().map_or(DataType::Null, |field| field.data_type().clone());
        let second =
            of.expr_fields.get(1).map(|field| ScalarValue::try_from(field.data_type())).transpose()?;
        Ok(Box::new(Values {
            entry: self.entry,
            of: values,
            parts: Vec::new(),
            second,
            gives: of.return_type().clone(),
            is_distinct: of.is_distinct,
        }))
    }
}

/// The values of a group so far.
struct Values {
    entry: &'static Entry,
    of: DataType,
    parts: Vec<ArrayRef>,
    second: Option<ScalarValue>,
    gives: DataType,
    is_distinct: bool,
}

impl std::fmt::Debug for Values {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{} parts", self.parts.len())
    }
}

/// Parts from which on a group's values are put together, so that small batches do not add up to
/// many arrays.
const MAX_PARTS: usize = 64;

impl Values {
    fn add(&mut self, values: &ArrayRef) -> Result<()> {
        let values = match values.null_count() {
            0 => values.clone(),
            _ => filter(values, &is_not_null(values)?)?,
        };
        if !values.is_empty() {
            self.parts.push(values);
        }
        if self.parts.len() > MAX_PARTS {
            let whole = self.whole()?;
            self.parts = vec![whole];
        }
        Ok(())
    }

    fn whole(&self) -> Result<ArrayRef> {
        let parts: Vec<&dyn Array> = self.parts.iter().map(AsRef::as_ref).collect();
        Ok(match parts.as_slice() {
            [] => new_empty_array(&self.of),
            parts => concat(parts)?,
        })
    }
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let (Some(second), Some(given)) = (&mut self.second, values.get(1))
            && second.is_null()
            && !given.is_empty()
        {
            *second = ScalarValue::try_from_array(given, 0)?;
        }
        values.first().map_or(Ok(()), |values| self.add(values))
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(lists) = states.first().and_then(|lists| lists.as_list_opt::<i32>()) else { return Ok(()) };
        for list in lists.iter().flatten() {
            self.add(&list)?;
        }
        if let (Some(second), Some(given)) = (&mut self.second, states.get(1)) {
            for row in 0..given.len() {
                if second.is_null() {
                    *second = ScalarValue::try_from_array(given, row)?;
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut values = self.whole()?;
        if self.is_distinct {
            values = distinct(&values)?;
        }
        let group = Group { values: &values, second: self.second.as_ref(), gives: &self.gives };
        (self.entry.finish)(&group)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = self.whole()?;
        let field = Arc::new(Field::new_list_field(self.of.clone(), true));
        let offsets = OffsetBuffer::from_lengths([values.len()]);
        let list = ListArray::try_new(field, offsets, values, None)?;
        Ok(std::iter::once(ScalarValue::List(Arc::new(list))).chain(self.second.clone()).collect())
    }

    fn size(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.get_array_memory_size()).sum();
        size_of_val(self) + parts + self.second.as_ref().map_or(0, ScalarValue::size)
    }
}

/// Returns each value once, in the order of their first occurrence.
fn distinct(values: &ArrayRef) -> Result<ArrayRef> {
    let rows = frequencies::counted(values)?;
    let indices: arrow::array::UInt64Array = rows.into_iter().map(|(first, _)| first as u64).collect();
    Ok(arrow::compute::take(values, &indices, None)?)
}

/// Returns the rows of an array as bytes that are equal where the values are.
fn rows_of(values: &ArrayRef) -> Result<arrow::row::Rows> {
    let converter = RowConverter::new(vec![SortField::new(values.data_type().clone())])?;
    Ok(converter.convert_columns(std::slice::from_ref(values))?)
}
