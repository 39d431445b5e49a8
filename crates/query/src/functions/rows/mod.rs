//! Scalar functions that are computed row by row, each defined by a line of a table.

mod calendar;
mod encodings;
mod formats;
mod numbers;
mod parse_times;
mod patterns;
mod similarity;
mod text;
mod times;
mod values;

use std::sync::Arc;

use arrow::compute::cast;
use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};
use values::{Cells, Column, Output};

/// A value of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Int(i64),
    Double(f64),
    Bool(bool),
    Bytes(&'a [u8]),
    /// Microseconds since 1970.
    Time(i64),
    /// The months, days and nanoseconds of an interval.
    Interval(i32, i32, i64),
    /// The elements of a list of texts.
    Texts(&'a [Option<String>]),
    Null,
}

/// A value of a result.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Int(i64),
    Double(f64),
    Bool(bool),
    Bytes(Vec<u8>),
    Time(i64),
    Interval(i32, i32, i64),
    Texts(Vec<Option<String>>),
    Null,
}

/// Types of arguments and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Text,
    Int,
    Double,
    Bool,
    Bytes,
    /// A date or a timestamp.
    Time,
    Interval,
    Texts,
    /// Any value, as its text.
    Any,
}

/// The outcome of a row; an error is the message for the user.
pub(super) type Outcome = std::result::Result<Value, String>;

/// One form of a function.
#[derive(Debug)]
pub(super) struct Form {
    takes: &'static [Kind],
    /// The kind of all further arguments, of any number.
    rest: Option<Kind>,
    gives: Kind,
    /// Returns NULL for a NULL argument without a call.
    is_strict: bool,
    compute: fn(&[Cell<'_>]) -> Outcome,
}

/// Returns a form that is NULL for NULL.
pub(super) const fn form(takes: &'static [Kind], gives: Kind, compute: fn(&[Cell<'_>]) -> Outcome) -> Form {
    Form { takes, rest: None, gives, is_strict: true, compute }
}

/// Names of a function, the first being its own, and its forms.
pub(super) type Entry = (&'static [&'static str], &'static [Form]);

/// Registers the functions of all tables.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    let tables = [
        text::TABLE,
        patterns::TABLE,
        similarity::TABLE,
        encodings::TABLE,
        numbers::TABLE,
        formats::TABLE,
        times::TABLE,
        parse_times::TABLE,
    ];
    for (names, forms) in tables.into_iter().flatten().copied() {
        let [name, aliases @ ..] = names else { continue };
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = ScalarUDF::from(RowFunction { name, forms, signature });
        registry.register_udf(Arc::new(function.with_aliases(aliases.iter().copied())))?;
    }
    Ok(())
}

#[derive(Debug)]
struct RowFunction {
    name: &'static str,
    forms: &'static [Form],
    signature: Signature,
}

// a name has one definition
impl PartialEq for RowFunction {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RowFunction {}

impl std::hash::Hash for RowFunction {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Kind {
    /// Returns the type of the values of a kind.
    fn data_type(self) -> DataType {
        match self {
            Kind::Text | Kind::Any => DataType::Utf8,
            Kind::Int => DataType::Int64,
            Kind::Double => DataType::Float64,
            Kind::Bool => DataType::Boolean,
            Kind::Bytes => DataType::Binary,
            Kind::Time => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Interval => DataType::Interval(IntervalUnit::MonthDayNano),
            Kind::Texts => DataType::new_list(DataType::Utf8, true),
        }
    }

    /// Returns SQL's name of a kind.
    fn shown(self) -> String {
        match self {
            Kind::Any => "any value".to_owned(),
            kind => crate::plan::type_in_sql(&kind.data_type()),
        }
    }

    /// Returns the type to which an argument is cast; `None` if it is not of the kind.
    fn coerced(self, found: &DataType) -> Option<DataType> {
        let is_text = matches!(found, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let fits = match self {
            _ if found.is_null() => true,
            Kind::Text => is_text,
            Kind::Int => found.is_integer(),
            Kind::Double => found.is_numeric(),
            Kind::Bool => *found == DataType::Boolean,
            Kind::Bytes => super::is_bytes(found),
            Kind::Time => match found {
                // the zone stays, so that the text of a time is the one that its clocks show
                DataType::Timestamp(_, Some(zone)) => {
                    return Some(DataType::Timestamp(TimeUnit::Microsecond, Some(zone.clone())));
                }
                other => matches!(other, DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None)),
            },
            Kind::Interval => matches!(found, DataType::Interval(_)),
            Kind::Texts => match found {
                DataType::List(field) | DataType::LargeList(field) => {
                    field.data_type().is_string() || field.data_type().is_null()
                }
                _ => false,
            },
            Kind::Any => !found.is_nested(),
        };
        fits.then(|| self.data_type())
    }
}

impl Form {
    fn kind(&self, at: usize) -> Option<Kind> {
        self.takes.get(at).copied().or(self.rest)
    }

    /// Returns the types to which the arguments are cast; `None` if they do not fit.
    fn coerced(&self, types: &[DataType]) -> Option<Vec<DataType>> {
        if types.len() < self.takes.len() || (self.rest.is_none() && types.len() > self.takes.len()) {
            return None;
        }
        let types = types.iter().enumerate();
        types.map(|(at, found)| self.kind(at).and_then(|kind| kind.coerced(found))).collect()
    }
}

impl RowFunction {
    fn form(&self, types: &[DataType]) -> Result<(&Form, Vec<DataType>)> {
        let mut forms = self.forms.iter();
        let found = forms.find_map(|form| form.coerced(types).map(|types| (form, types)));
        found.ok_or_else(|| {
            let kinds = |form: &Form| {
                let kinds = form.takes.iter().copied().map(Kind::shown);
                let rest = form.rest.map(|kind| format!("{} ...", kind.shown()));
                format!("({})", kinds.chain(rest).collect::<Vec<_>>().join(", "))
            };
            let forms = self.forms.iter().map(kinds).collect::<Vec<_>>().join(" or ");
            let types: Vec<String> = types.iter().map(crate::plan::type_in_sql).collect();
            wrap(Error::Query(format!(
                "{} does not take ({}): it takes {forms}; cast the arguments",
                self.name,
                types.join(", ")
            )))
        })
    }
}

impl ScalarUDFImpl for RowFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.form(types).map(|(_, types)| types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.form(types).map(|(form, _)| form.gives.data_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let types: Vec<DataType> = args.args.iter().map(ColumnarValue::data_type).collect();
        let (form, types) = self.form(&types)?;
        let is_constant = args.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let mut columns = Vec::with_capacity(args.args.len());
        for ((at, value), to) in args.args.into_iter().enumerate().zip(&types) {
            let (array, is_one) = match value {
                ColumnarValue::Array(array) => (array, false),
                ColumnarValue::Scalar(value) => (value.to_array()?, true),
            };
            let array = if array.data_type() == to { array } else { cast(&array, to)? };
            columns.push(Column::new(form.kind(at).unwrap_or(Kind::Any), array, is_one)?);
        }
        let mut output = Output::new(form.gives, rows);
        let mut cells = Cells::default();
        for row in 0..rows {
            let cells = cells.of(&columns, row);
            let is_null = form.is_strict && cells.iter().any(|cell| matches!(cell, Cell::Null));
            output.push(match is_null {
                true => Value::Null,
                false => (form.compute)(cells)
                    .map_err(|message| wrap(Error::Execution(format!("{}: {message}", self.name))))?,
            });
        }
        let array = output.finish()?;
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?),
            false => ColumnarValue::Array(array),
        })
    }
}
