//! Functions that choose or order the elements of lists: `list_select`, `list_where`,
//! `list_grade_up`, `list_distinct`, `list_unique`.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, cast, sort_to_indices, take};
use arrow::datatypes::{DataType, Field, Int64Type};
use arrow::row::{RowConverter, SortField};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};

/// Registers the functions.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for (kind, names) in [
        (Kind::Select, ["list_select", "array_select"].as_slice()),
        (Kind::Where, &["list_where", "array_where"]),
        (Kind::GradeUp, &["list_grade_up", "array_grade_up", "grade_up"]),
        (Kind::ReverseSort, &["list_reverse_sort", "array_reverse_sort"]),
        (Kind::Unique, &["list_unique", "array_unique"]),
        (Kind::Last, &["list_last"]),
        (Kind::First, &["list_first"]),
    ] {
        let [name, aliases @ ..] = names else { continue };
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = ScalarUDF::from(Chosen { kind, name, signature });
        registry.register_udf(Arc::new(function.with_aliases(aliases.iter().copied())))?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The elements of the numbers in another list.
    Select,
    /// The elements where another list is true.
    Where,
    /// The numbers of the elements in their order.
    GradeUp,
    ReverseSort,
    /// The number of different elements, without NULL.
    Unique,
    First,
    Last,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Chosen {
    kind: Kind,
    name: &'static str,
    signature: Signature,
}

impl Chosen {
    fn list(&self, found: Option<&DataType>) -> Result<DataType> {
        match found {
            Some(DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _)) => {
                Ok(DataType::new_list(field.data_type().clone(), true))
            }
            Some(DataType::Null) => Ok(DataType::new_list(DataType::Null, true)),
            _ => Err(wrap(Error::Query(format!("{} takes a list as its first argument", self.name)))),
        }
    }
}

impl ScalarUDFImpl for Chosen {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let second = match self.kind {
            Kind::Select => Some(DataType::new_list(DataType::Int64, true)),
            Kind::Where => Some(DataType::new_list(DataType::Boolean, true)),
            _ => None,
        };
        let coerced: Vec<DataType> = std::iter::once(self.list(types.first())?).chain(second).collect();
        match coerced.len() == types.len() {
            true => Ok(coerced),
            false => Err(wrap(Error::Query(format!("{} takes {} arguments", self.name, coerced.len())))),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let list = self.list(types.first())?;
        Ok(match (self.kind, &list) {
            (Kind::GradeUp, _) => DataType::new_list(DataType::Int64, true),
            (Kind::Unique, _) => DataType::Int64,
            (Kind::First | Kind::Last, DataType::List(field)) => field.data_type().clone(),
            _ => list,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = args.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let mut arrays = Vec::with_capacity(args.args.len());
        for value in &args.args {
            arrays.push(value.to_array(rows)?);
        }
        let [first, rest @ ..] = arrays.as_slice() else {
            return Err(wrap(Error::Internal(format!("{} of nothing", self.name))));
        };
        let lists = cast(first, &self.list(Some(first.data_type()))?)?;
        let result = self.result(lists.as_list::<i32>(), rest.first())?;
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?),
            false => ColumnarValue::Array(result),
        })
    }
}

impl Chosen {
    fn result(&self, lists: &ListArray, second: Option<&ArrayRef>) -> Result<ArrayRef> {
        let second = second.and_then(|second| second.as_list_opt::<i32>());
        // the places of the chosen elements among all, or the numbers of the result
        let mut chosen: Vec<Option<u32>> = Vec::new();
        let mut numbers: Vec<Option<i64>> = Vec::new();
        let mut lengths = Vec::with_capacity(lists.len());
        let mut is_valid = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            let is_null = lists.is_null(row) || second.is_some_and(|second| second.is_null(row));
            is_valid.push(!is_null);
            let before = chosen.len().max(numbers.len());
            if !is_null {
                let start = u32::try_from(lists.value_offsets()[row]).unwrap_or_default();
                let values = lists.value(row);
                self.choose(
                    start,
                    &values,
                    second.map(|second| second.value(row)),
                    &mut chosen,
                    &mut numbers,
                )?;
            } else if matches!(self.kind, Kind::Unique) {
                numbers.push(None);
            } else if matches!(self.kind, Kind::First | Kind::Last) {
                chosen.push(None);
            }
            lengths.push(chosen.len().max(numbers.len()) - before);
        }
        let values: ArrayRef = match self.kind {
            Kind::GradeUp | Kind::Unique => Arc::new(Int64Array::from(numbers)),
            _ => take(lists.values(), &UInt32Array::from(chosen), None)?,
        };
        if matches!(self.kind, Kind::Unique | Kind::First | Kind::Last) {
            return Ok(values);
        }
        let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths(lengths);
        Ok(Arc::new(ListArray::try_new(field, offsets, values, Some(is_valid.into()))?))
    }

    fn choose(
        &self,
        start: u32,
        values: &ArrayRef,
        second: Option<ArrayRef>,
        chosen: &mut Vec<Option<u32>>,
        numbers: &mut Vec<Option<i64>>,
    ) -> Result<()> {
        let count = u32::try_from(values.len()).unwrap_or_default();
        match self.kind {
            Kind::Select => {
                let Some(places) = second else { return Ok(()) };
                chosen.extend(places.as_primitive::<Int64Type>().iter().map(|place| {
                    let place = place?;
                    let place = if place < 0 { i64::from(count) + place } else { place - 1 };
                    u32::try_from(place).ok().filter(|place| *place < count).map(|place| start + place)
                }));
            }
            Kind::Where => {
                let Some(conditions) = second else { return Ok(()) };
                for (place, condition) in (0..count.max(u32::try_from(conditions.len()).unwrap_or_default()))
                    .zip(conditions.as_boolean().iter())
                {
                    match condition {
                        Some(true) => chosen.push((place < count).then_some(start + place)),
                        Some(false) => {}
                        None => {
                            return Err(wrap(Error::Query(
                                "list_where takes no NULL as a condition".to_owned(),
                            )));
                        }
                    }
                }
            }
            Kind::GradeUp | Kind::ReverseSort => {
                let descending = self.kind == Kind::ReverseSort;
                let options = SortOptions { descending, nulls_first: false };
                for place in sort_to_indices(values, Some(options), None)?.values() {
                    match descending {
                        true => chosen.push(Some(start + place)),
                        false => numbers.push(Some(i64::from(*place) + 1)),
                    }
                }
            }
            Kind::Unique => {
                let converter = RowConverter::new(vec![SortField::new(values.data_type().clone())])?;
                let rows = converter.convert_columns(std::slice::from_ref(values))?;
                let present = (0..values.len()).filter(|place| values.is_valid(*place));
                let different: HashSet<_> = present.map(|place| rows.row(place)).collect();
                numbers.push(i64::try_from(different.len()).ok());
            }
            Kind::First => chosen.push((count > 0).then_some(start)),
            Kind::Last => chosen.push(count.checked_sub(1).map(|last| start + last)),
        }
        Ok(())
    }
}
