//! Aggregates of windows, up to the current row or over sliding frames.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;

use super::sliding::{self, Slide};
use super::{Make, min_max, sums, texts};
use crate::functions::{Limit, Quotient, is_exact, unfiltered};
use crate::plan::rules::aggregates::running_windows::frames::Frame;

/// An aggregate that is computed in vectors.
pub(super) enum Aggregate {
    /// Rows that are not NULL.
    Count,
    /// A sum of integers or decimals.
    Sum(Limit),
    DoubleSum,
    DoubleAverage,
    /// An average of decimals, and the type of the totals.
    Average(Arc<Quotient>, DataType),
    Least(DataType),
    Greatest(DataType),
}

impl Aggregate {
    /// Returns an aggregate over rows of a schema; `None` if only DataFusion's operators can
    /// compute it.
    ///
    /// # Errors
    /// The argument has no type.
    pub fn new(aggregate: &AggregateFunctionExpr, input: &Schema) -> Result<Option<Self>> {
        let arguments = aggregate.expressions();
        let [argument] = arguments.as_slice() else { return Ok(None) };
        if !unfiltered(aggregate.fun()) || aggregate.is_distinct() || !aggregate.order_bys().is_empty() {
            return Ok(None);
        }
        let (argument, result) = (argument.data_type(input)?, aggregate.field().data_type().clone());
        let is_double = argument == DataType::Float64 && result == DataType::Float64;
        let call = aggregate.name().to_owned();
        Ok(match aggregate.fun().name() {
            "count" if result == DataType::Int64 => Some(Self::Count),
            "sum" if is_exact(&argument) && is_exact(&result) => Some(Self::Sum(Limit::new(result, call))),
            "sum" if is_double => Some(Self::DoubleSum),
            "avg" if is_double => Some(Self::DoubleAverage),
            "avg" if argument.is_decimal() && is_exact(&argument) => {
                let state = aggregate.state_fields()?;
                let total = state.get(1).map(|field| field.data_type().clone());
                let total = total.filter(|total| matches!(total, DataType::Decimal128(..)));
                let quotient = Quotient::new(&result, &call).map(Arc::new);
                quotient.zip(total).map(|(quotient, total)| Self::Average(quotient, total))
            }
            "min" if argument == result => Some(Self::Least(result)),
            "max" if argument == result => Some(Self::Greatest(result)),
            _ => None,
        })
    }

    /// Returns the aggregate over the rows of a partition up to some row; `None` for a type without
    /// an order.
    pub fn running(self) -> Option<Make> {
        Some(match self {
            Self::Count => Arc::new(|| Box::new(sums::Count::default())),
            Self::Sum(limit) => Arc::new(move || Box::new(sums::Sum::new(limit.clone()))),
            Self::DoubleSum => Arc::new(|| Box::new(sums::Doubles::sum())),
            Self::DoubleAverage => Arc::new(|| Box::new(sums::Doubles::average())),
            Self::Average(quotient, total) => {
                Arc::new(move || Box::new(sums::Average::new(quotient.clone(), total.clone())))
            }
            Self::Least(data_type) => return running_extreme(&data_type, false),
            Self::Greatest(data_type) => return running_extreme(&data_type, true),
        })
    }

    /// Returns the aggregate over sliding frames; `None` for a type without an order.
    pub fn sliding(self, frame: &Frame) -> Option<Make> {
        let slid = frame.clone();
        Some(match self {
            Self::Count => Arc::new(move || Box::new(Slide::new(slid.clone(), sliding::Counts::default()))),
            Self::Sum(limit) => {
                Arc::new(move || Box::new(Slide::new(slid.clone(), sliding::Sums::new(limit.clone()))))
            }
            Self::DoubleSum => Arc::new(move || Box::new(Slide::new(slid.clone(), sliding::Doubles::sum()))),
            Self::DoubleAverage => {
                Arc::new(move || Box::new(Slide::new(slid.clone(), sliding::Doubles::average())))
            }
            Self::Average(quotient, total) => Arc::new(move || {
                let averages = sliding::Averages::new(quotient.clone(), total.clone());
                Box::new(Slide::new(slid.clone(), averages))
            }),
            Self::Least(data_type) => return sliding_extreme(&data_type, frame, false),
            Self::Greatest(data_type) => return sliding_extreme(&data_type, frame, true),
        })
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn running_extreme(data_type: &DataType, is_greatest: bool) -> Option<Make> {
    if is_text(data_type) {
        return Some(Arc::new(move || Box::new(texts::Extreme::new(is_greatest))));
    }
    min_max::extreme(data_type, is_greatest)
}

fn sliding_extreme(data_type: &DataType, frame: &Frame, is_greatest: bool) -> Option<Make> {
    if !is_text(data_type) {
        return sliding::extreme(data_type, frame, is_greatest);
    }
    let (data_type, frame) = (data_type.clone(), frame.clone());
    Some(Arc::new(move || {
        Box::new(Slide::new(frame.clone(), sliding::Texts::new(data_type.clone(), is_greatest)))
    }))
}
