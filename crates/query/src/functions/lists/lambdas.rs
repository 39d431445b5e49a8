//! Lambda functions over lists, with the number of the element as a second parameter:
//! `list_transform`, `list_filter` and `list_reduce`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{cast, filter, interleave, take};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{
    ColumnarValue, HigherOrderFunctionArgs, HigherOrderReturnFieldArgs, HigherOrderSignature, HigherOrderUDF,
    HigherOrderUDFImpl, LambdaArgument, LambdaParametersProgress, ValueOrLambda, Volatility,
};

use crate::error::{Error, wrap};

/// Registers the functions in place of DataFusion's, whose lambdas have one parameter.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    let names = |own: &str, others: &[&str]| {
        std::iter::once(own).chain(others.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let functions = [
        (
            Kind::Transform,
            names("array_transform", &["list_transform", "list_apply", "array_apply", "apply"]),
        ),
        (Kind::Filter, names("array_filter", &["list_filter", "filter"])),
        (Kind::Reduce, names("list_reduce", &["array_reduce", "reduce"])),
    ];
    for (kind, names) in functions {
        let signature = HigherOrderSignature::user_defined(Volatility::Immutable);
        registry.register_higher_order_function(Arc::new(HigherOrderUDF::from(OverList {
            kind,
            names,
            signature,
        })))?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Transform,
    Filter,
    Reduce,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OverList {
    kind: Kind,
    /// The function's own name, and its aliases.
    names: Vec<String>,
    signature: HigherOrderSignature,
}

impl OverList {
    fn refused(&self, found: &str) -> datafusion::error::DataFusionError {
        let (name, form) = match self.kind {
            Kind::Transform => ("list_transform", "list_transform([1, 2], lambda x: x + 1)"),
            Kind::Filter => ("list_filter", "list_filter([1, 2], lambda x: x > 1)"),
            Kind::Reduce => ("list_reduce", "list_reduce([1, 2], lambda a, b: a + b)"),
        };
        wrap(Error::Query(format!(
            "{name} takes a list and a lambda function, and got {found}: write {form}"
        )))
    }

    /// Returns the field of a list's elements.
    fn element<L>(&self, arguments: &[ValueOrLambda<FieldRef, L>]) -> Result<FieldRef> {
        match arguments {
            [ValueOrLambda::Value(list), ValueOrLambda::Lambda(_), ..] => match list.data_type() {
                DataType::List(field) => Ok(field.clone()),
                other => Err(self.refused(&other.to_string())),
            },
            _ => Err(self.refused("other arguments")),
        }
    }
}

impl HigherOrderUDFImpl for OverList {
    fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    fn aliases(&self) -> &[String] {
        self.names.get(1..).unwrap_or_default()
    }

    fn signature(&self) -> &HigherOrderSignature {
        &self.signature
    }

    fn coerce_value_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let mut types = types.to_vec();
        let list = types.first_mut().ok_or_else(|| self.refused("no list"))?;
        *list = match &*list {
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::ListView(field)
            | DataType::LargeListView(field) => DataType::List(field.clone()),
            DataType::Null => DataType::new_list(DataType::Null, true),
            other => return Err(self.refused(&crate::plan::type_in_sql(other))),
        };
        Ok(types)
    }

    fn lambda_parameters(
        &self,
        _: usize,
        fields: &[ValueOrLambda<FieldRef, Option<FieldRef>>],
    ) -> Result<LambdaParametersProgress> {
        let element = self.element(fields)?;
        let number: FieldRef = Arc::new(Field::new("number", DataType::Int64, false));
        let mut parameters = Vec::new();
        if self.kind == Kind::Reduce {
            let start = match fields.get(2) {
                Some(ValueOrLambda::Value(start)) => start.data_type().clone(),
                _ => element.data_type().clone(),
            };
            parameters.push(Arc::new(Field::new("accumulator", start, true)));
        }
        parameters.extend([element, number]);
        Ok(LambdaParametersProgress::Complete(vec![parameters]))
    }

    fn return_field_from_args(&self, args: HigherOrderReturnFieldArgs<'_>) -> Result<FieldRef> {
        let element = self.element(args.arg_fields)?;
        let found = match (self.kind, args.arg_fields) {
            (Kind::Transform, [_, ValueOrLambda::Lambda(result), ..]) => {
                DataType::new_list(result.data_type().clone(), true)
            }
            (Kind::Reduce, [_, _, ValueOrLambda::Value(start)]) => start.data_type().clone(),
            (Kind::Reduce, _) => element.data_type().clone(),
            _ => DataType::List(element),
        };
        Ok(Arc::new(Field::new("", found, true)))
    }

    fn invoke_with_args(&self, args: HigherOrderFunctionArgs) -> Result<ColumnarValue> {
        let [ValueOrLambda::Value(list), ValueOrLambda::Lambda(lambda), rest @ ..] = args.args.as_slice()
        else {
            return Err(self.refused("other arguments"));
        };
        let list = list.to_array(args.number_rows)?;
        let elements = Elements::of(list.as_list::<i32>())?;
        let gives = args.return_field.data_type();
        Ok(ColumnarValue::Array(match self.kind {
            Kind::Transform => elements.transformed(lambda, gives)?,
            Kind::Filter => elements.filtered(lambda, gives)?,
            Kind::Reduce => {
                let start = match rest {
                    [ValueOrLambda::Value(start), ..] => Some(start.to_array(args.number_rows)?),
                    _ => None,
                };
                elements.reduced(lambda, start, gives)?
            }
        }))
    }
}

/// The elements of lists, without those behind NULL.
struct Elements<'a> {
    lists: &'a ListArray,
    values: ArrayRef,
    lengths: Vec<usize>,
    /// The list of each element.
    rows: UInt32Array,
    /// The number of each element in its list, from 1.
    numbers: ArrayRef,
}

/// Returns values in lists of some lengths.
fn listed(lists: &ListArray, lengths: Vec<usize>, values: ArrayRef, gives: &DataType) -> Result<ArrayRef> {
    let DataType::List(field) = gives else {
        return Err(wrap(Error::Internal("a list function gives no list".to_owned())));
    };
    let values =
        if values.data_type() == field.data_type() { values } else { cast(&values, field.data_type())? };
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(field.clone(), offsets, values, lists.nulls().cloned())?))
}

impl<'a> Elements<'a> {
    fn of(lists: &'a ListArray) -> Result<Self> {
        let offsets = lists.value_offsets();
        let (mut indices, mut rows, mut numbers, mut lengths) = (vec![], vec![], vec![], vec![]);
        for (row, ends) in offsets.windows(2).enumerate() {
            let (start, end) = (ends[0], if lists.is_null(row) { ends[0] } else { ends[1] });
            lengths.push(usize::try_from(end - start).unwrap_or_default());
            for (number, index) in (start..end).enumerate() {
                indices.push(u32::try_from(index).unwrap_or_default());
                rows.push(u32::try_from(row).unwrap_or_default());
                numbers.push(number as i64 + 1);
            }
        }
        let values = take(lists.values(), &UInt32Array::from(indices), None)?;
        Ok(Self { lists, values, lengths, rows: rows.into(), numbers: Arc::new(Int64Array::from(numbers)) })
    }

    fn evaluated(&self, lambda: &LambdaArgument) -> Result<ArrayRef> {
        let (value, number) = (|| Ok(self.values.clone()), || Ok(self.numbers.clone()));
        let result = lambda.evaluate(&[&value, &number], |captured| taken(captured, &self.rows))?;
        result.into_array(self.values.len())
    }

    fn transformed(self, lambda: &LambdaArgument, gives: &DataType) -> Result<ArrayRef> {
        let values = self.evaluated(lambda)?;
        listed(self.lists, self.lengths, values, gives)
    }

    fn filtered(self, lambda: &LambdaArgument, gives: &DataType) -> Result<ArrayRef> {
        let condition = cast(&self.evaluated(lambda)?, &DataType::Boolean)?;
        let condition = condition.as_boolean();
        let chosen: BooleanArray = condition.iter().map(|chosen| Some(chosen == Some(true))).collect();
        let mut start = 0;
        let lengths = self.lengths.iter().map(|length| {
            let kept = chosen.slice(start, *length).true_count();
            start += length;
            kept
        });
        let lengths = lengths.collect();
        listed(self.lists, lengths, filter(&self.values, &chosen)?, gives)
    }

    /// Combines the elements of each list from its first to its last.
    fn reduced(self, lambda: &LambdaArgument, start: Option<ArrayRef>, gives: &DataType) -> Result<ArrayRef> {
        let mut firsts = Vec::with_capacity(self.lengths.len());
        let mut next = 0_u32;
        for length in &self.lengths {
            firsts.push(next);
            next += u32::try_from(*length).unwrap_or_default();
        }
        let done = usize::from(start.is_none());
        let mut accumulated = match start {
            Some(start) => start,
            None => {
                let lengths = self.lengths.iter().enumerate();
                let indices = lengths.map(|(row, length)| match (*length, self.lists.is_null(row)) {
                    (0, false) => Err(wrap(Error::Execution(
                        "list_reduce has no value for an empty list: give a first value behind the lambda"
                            .to_owned(),
                    ))),
                    (0, true) => Ok(None),
                    _ => Ok(firsts.get(row).copied()),
                });
                take(&self.values, &indices.collect::<Result<UInt32Array>>()?, None)?
            }
        };
        let longest = self.lengths.iter().copied().max().unwrap_or_default();
        for step in done..longest {
            let rows: Vec<u32> =
                (0..).zip(&self.lengths).filter(|(_, length)| **length > step).map(|(row, _)| row).collect();
            let places: UInt32Array =
                rows.iter().map(|row| firsts.get(*row as usize).map(|first| first + step as u32)).collect();
            let rows = UInt32Array::from(rows);
            let before = take(&accumulated, &rows, None)?;
            let value = take(&self.values, &places, None)?;
            let number: ArrayRef = take(&self.numbers, &places, None)?;
            let arguments: [&dyn Fn() -> Result<ArrayRef>; 3] =
                [&|| Ok(before.clone()), &|| Ok(value.clone()), &|| Ok(number.clone())];
            let result =
                lambda.evaluate(&arguments, |captured| taken(captured, &rows))?.into_array(rows.len())?;
            let result = if result.data_type() == gives { result } else { cast(&result, gives)? };
            let mut sources: Vec<(usize, usize)> = (0..accumulated.len()).map(|row| (0, row)).collect();
            for (at, row) in rows.values().iter().enumerate() {
                if let Some(source) = sources.get_mut(*row as usize) {
                    *source = (1, at);
                }
            }
            accumulated = interleave(&[accumulated.as_ref(), result.as_ref()], &sources)?;
        }
        // a list that is NULL has no result, whatever the first value
        match self.lists.null_count() {
            0 => Ok(accumulated),
            _ => {
                let null = ScalarValue::try_from(gives)?.to_array()?;
                let rows =
                    (0..accumulated.len()).map(|row| if self.lists.is_null(row) { (1, 0) } else { (0, row) });
                Ok(interleave(&[accumulated.as_ref(), null.as_ref()], &rows.collect::<Vec<_>>())?)
            }
        }
    }
}

/// Returns the rows of the columns that a lambda's body names.
fn taken(columns: &[ArrayRef], rows: &UInt32Array) -> Result<Vec<ArrayRef>> {
    columns.iter().map(|column| Ok(take(column, rows, None)?)).collect()
}
