//! Window functions over sorted batches.

mod min_max;
mod ranks;
mod sums;
mod texts;

use std::fmt;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Schema};
use datafusion::error::Result;
use datafusion::logical_expr::{WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::window::{PlainAggregateWindowExpr, StandardWindowExpr, WindowExpr};

use super::groups::{Scope, Starts};
use crate::functions::{Limit, Quotient, is_exact, unfiltered};
use crate::plan::rules::aggregates::window_top_k::{Ranking, ranking};

/// A function that goes over the rows of all partitions, batch by batch.
pub(super) trait Running: Send {
    /// Adds the rows of a batch. Returns a value for each row or, in a wider scope, for each group
    /// that ends before a border of the batch.
    ///
    /// # Errors
    /// A value is out of the range of its type.
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef>;
}

/// Makes a function that has seen no rows.
type Make = Arc<dyn Fn() -> Box<dyn Running> + Send + Sync>;

/// A function of a window operator.
#[derive(Clone)]
pub(super) struct Function {
    pub window: Arc<dyn WindowExpr>,
    pub scope: Scope,
    /// The order keys decide its values.
    pub has_peers: bool,
    pub make: Make,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for each {:?}", self.window.name(), self.scope)
    }
}

impl Function {
    /// Returns a function of a window over rows of a schema; `None` if only DataFusion's operator
    /// can compute it.
    ///
    /// # Errors
    /// The function has no type.
    pub fn new(window: &Arc<dyn WindowExpr>, input: &Schema) -> Result<Option<Self>> {
        let any = window.as_any();
        if any.is::<StandardWindowExpr>() {
            let ranking = ranking(window)
                .filter(|_| window.field().is_ok_and(|field| *field.data_type() == DataType::UInt64));
            return Ok(ranking.map(|ranking| Self {
                window: window.clone(),
                scope: Scope::Row,
                has_peers: ranking != Ranking::RowNumber,
                make: Arc::new(move || Box::new(ranks::Ranks::new(ranking))),
            }));
        }
        let Some(aggregate) = any.downcast_ref::<PlainAggregateWindowExpr>() else { return Ok(None) };
        let Some(scope) = scope(window) else { return Ok(None) };
        let make = aggregated(aggregate.get_aggregate_expr(), input)?;
        let has_peers = scope == Scope::Peers;
        Ok(make.map(|make| Self { window: window.clone(), scope, has_peers, make }))
    }
}

/// Returns the rows that have one value of an aggregate; `None` if its frame is not over all rows
/// up to a row, its last peer, or the end of the partition.
fn scope(window: &Arc<dyn WindowExpr>) -> Option<Scope> {
    let frame = window.get_window_frame();
    let is_first = matches!(&frame.start_bound, WindowFrameBound::Preceding(distance) if distance.is_null());
    if !is_first {
        return None;
    }
    match &frame.end_bound {
        WindowFrameBound::Following(distance) if distance.is_null() => Some(Scope::Partition),
        WindowFrameBound::CurrentRow => Some(match frame.units {
            WindowFrameUnits::Rows => Scope::Row,
            WindowFrameUnits::Range | WindowFrameUnits::Groups if window.order_by().is_empty() => {
                Scope::Partition
            }
            WindowFrameUnits::Range | WindowFrameUnits::Groups => Scope::Peers,
        }),
        _ => None,
    }
}

fn aggregated(aggregate: &AggregateFunctionExpr, input: &Schema) -> Result<Option<Make>> {
    let arguments = aggregate.expressions();
    let [argument] = arguments.as_slice() else { return Ok(None) };
    if !unfiltered(aggregate.fun()) || aggregate.is_distinct() || !aggregate.order_bys().is_empty() {
        return Ok(None);
    }
    let (argument, result) = (argument.data_type(input)?, aggregate.field().data_type().clone());
    let is_double = argument == DataType::Float64 && result == DataType::Float64;
    let call = aggregate.name().to_owned();
    Ok(match aggregate.fun().name() {
        "count" if result == DataType::Int64 => Some(Arc::new(|| Box::new(sums::Count::default()))),
        "sum" if is_exact(&argument) && is_exact(&result) => {
            Some(Arc::new(move || Box::new(sums::Sum::new(Limit::new(result.clone(), call.clone())))))
        }
        "sum" if is_double => Some(Arc::new(|| Box::new(sums::Doubles::sum()))),
        "avg" if is_double => Some(Arc::new(|| Box::new(sums::Doubles::average()))),
        "avg" if argument.is_decimal() && is_exact(&argument) => {
            let state = aggregate.state_fields()?;
            let total = state.get(1).map(|field| field.data_type().clone());
            let total = total.filter(|total| matches!(total, DataType::Decimal128(..)));
            let quotient = Quotient::new(&result, &call).map(Arc::new);
            total.zip(quotient).map(|(total, quotient)| -> Make {
                Arc::new(move || Box::new(sums::Average::new(quotient.clone(), total.clone())))
            })
        }
        "min" if argument == result => extreme(&result, false),
        "max" if argument == result => extreme(&result, true),
        _ => None,
    })
}

fn extreme(data_type: &DataType, is_greatest: bool) -> Option<Make> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Some(Arc::new(move || Box::new(texts::Extreme::new(is_greatest))))
        }
        other => min_max::extreme(other, is_greatest),
    }
}

/// One pass of a function over a batch.
trait Step {
    /// Forgets the rows of the partition before.
    fn reset(&mut self);

    /// Adds a row.
    fn add(&mut self, row: usize);

    /// Emits the value over the added rows.
    fn emit(&mut self);
}

/// Takes a step for each row and each value of a batch.
fn walk(step: &mut impl Step, starts: &Starts, scope: Scope) {
    let mut from = 0;
    if scope == Scope::Row {
        for end in starts.partitions.iter().copied().chain([starts.rows]) {
            for row in from..end {
                step.add(row);
                step.emit();
            }
            if end < starts.rows {
                step.reset();
            }
            from = end;
        }
        return;
    }
    let (mut partitions, mut has_group) = (starts.partitions.iter().peekable(), starts.follows);
    for border in starts.groups(scope) {
        (from..*border).for_each(|row| step.add(row));
        if has_group {
            step.emit();
        }
        has_group = true;
        if partitions.next_if_eq(&border).is_some() {
            step.reset();
        }
        from = *border;
    }
    (from..starts.rows).for_each(|row| step.add(row));
}
