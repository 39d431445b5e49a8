//! Columns of arguments as cells of rows, and results as an array.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, BooleanBuilder, Float64Builder, Int64Builder,
    IntervalMonthDayNanoBuilder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Float64Type, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType,
    TimestampMicrosecondType,
};
use datafusion::common::Result;

use super::{Cell, Kind, Value};

/// The values of one argument.
pub(super) struct Column {
    kind: Kind,
    array: ArrayRef,
    /// The one value stands for all rows.
    is_one: bool,
    /// The lists, where the argument is one of lists.
    lists: Vec<Vec<Option<String>>>,
}

impl Column {
    /// Returns the column of an array of the kind's type.
    ///
    /// # Errors
    /// A timestamp with a zone is beyond what clocks show.
    pub fn new(kind: Kind, array: ArrayRef, is_one: bool) -> Result<Self> {
        let array = match array.data_type() {
            DataType::Timestamp(unit, Some(_)) => cast(&array, &DataType::Timestamp(*unit, None))?,
            _ => array,
        };
        let lists = match (kind, array.as_list_opt::<i32>()) {
            (Kind::Texts, Some(lists)) => {
                let texts = lists.iter().map(|list| match list {
                    None => vec![],
                    Some(list) => {
                        list.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
                    }
                });
                texts.collect()
            }
            _ => vec![],
        };
        Ok(Self { kind, array, is_one, lists })
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        let row = if self.is_one { 0 } else { row };
        if self.array.is_null(row) {
            return Cell::Null;
        }
        let array = &self.array;
        match self.kind {
            Kind::Text | Kind::Any => Cell::Text(array.as_string::<i32>().value(row)),
            Kind::Int => Cell::Int(array.as_primitive::<Int64Type>().value(row)),
            Kind::Double => Cell::Double(array.as_primitive::<Float64Type>().value(row)),
            Kind::Bool => Cell::Bool(array.as_boolean().value(row)),
            Kind::Bytes => Cell::Bytes(array.as_binary::<i32>().value(row)),
            Kind::Time => Cell::Time(array.as_primitive::<TimestampMicrosecondType>().value(row)),
            Kind::Interval => {
                let interval = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                Cell::Interval(interval.months, interval.days, interval.nanoseconds)
            }
            Kind::Texts => self.lists.get(row).map_or(Cell::Null, |list| Cell::Texts(list)),
        }
    }
}

/// Buffer for the cells of a row.
#[derive(Default)]
pub(super) struct Cells<'a>(Vec<Cell<'a>>);

impl<'a> Cells<'a> {
    /// Returns the cells of a row.
    pub fn of(&mut self, columns: &'a [Column], row: usize) -> &[Cell<'a>] {
        self.0.clear();
        self.0.extend(columns.iter().map(|column| column.cell(row)));
        &self.0
    }
}

/// Builder of a result.
pub(super) enum Output {
    Text(StringBuilder),
    Int(Int64Builder),
    Double(Float64Builder),
    Bool(BooleanBuilder),
    Bytes(BinaryBuilder),
    Time(TimestampMicrosecondBuilder),
    Interval(IntervalMonthDayNanoBuilder),
    Texts(ListBuilder<StringBuilder>),
}

impl Output {
    /// Returns the builder of a result of some rows.
    pub fn new(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::Text | Kind::Any => Self::Text(StringBuilder::new()),
            Kind::Int => Self::Int(Int64Builder::with_capacity(rows)),
            Kind::Double => Self::Double(Float64Builder::with_capacity(rows)),
            Kind::Bool => Self::Bool(BooleanBuilder::with_capacity(rows)),
            Kind::Bytes => Self::Bytes(BinaryBuilder::new()),
            Kind::Time => Self::Time(TimestampMicrosecondBuilder::with_capacity(rows)),
            Kind::Interval => Self::Interval(IntervalMonthDayNanoBuilder::with_capacity(rows)),
            Kind::Texts => Self::Texts(ListBuilder::new(StringBuilder::new())),
        }
    }

    /// Appends a value; one of another kind is NULL.
    pub fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Text(to), Value::Text(text)) => to.append_value(text),
            (Self::Int(to), Value::Int(value)) => to.append_value(value),
            (Self::Double(to), Value::Double(value)) => to.append_value(value),
            (Self::Double(to), Value::Int(value)) => to.append_value(value as f64),
            (Self::Bool(to), Value::Bool(value)) => to.append_value(value),
            (Self::Bytes(to), Value::Bytes(value)) => to.append_value(value),
            (Self::Time(to), Value::Time(value)) => to.append_value(value),
            (Self::Interval(to), Value::Interval(months, days, nanoseconds)) => {
                to.append_value(IntervalMonthDayNano::new(months, days, nanoseconds));
            }
            (Self::Texts(to), Value::Texts(texts)) => to.append_value(texts),
            (to, _) => to.push_null(),
        }
    }

    fn push_null(&mut self) {
        match self {
            Self::Text(to) => to.append_null(),
            Self::Int(to) => to.append_null(),
            Self::Double(to) => to.append_null(),
            Self::Bool(to) => to.append_null(),
            Self::Bytes(to) => to.append_null(),
            Self::Time(to) => to.append_null(),
            Self::Interval(to) => to.append_null(),
            Self::Texts(to) => to.append_null(),
        }
    }

    /// Returns the array.
    ///
    /// # Errors
    /// There is none.
    pub fn finish(self) -> Result<ArrayRef> {
        Ok(match self {
            Self::Text(mut from) => Arc::new(from.finish()),
            Self::Int(mut from) => Arc::new(from.finish()),
            Self::Double(mut from) => Arc::new(from.finish()),
            Self::Bool(mut from) => Arc::new(from.finish()),
            Self::Bytes(mut from) => Arc::new(from.finish()),
            Self::Time(mut from) => Arc::new(from.finish()),
            Self::Interval(mut from) => Arc::new(from.finish()),
            Self::Texts(mut from) => Arc::new(from.finish()),
        })
    }
}
