//! Window functions over sorted batches.

mod aggregates;
mod min_max;
mod places;
mod ranks;
mod sliding;
mod standard;
mod sums;
mod texts;

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use datafusion::error::Result;
use datafusion::logical_expr::{WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::window::{
    PlainAggregateWindowExpr, SlidingAggregateWindowExpr, StandardWindowExpr, WindowExpr,
};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::windows::WindowUDFExpr;

use super::frames::Frame;
use super::groups::{Scope, Starts};
use crate::plan::rules::aggregates::window_top_k::{Ranking, ranking};
use aggregates::Aggregate;
use places::{Place, Places};
use sliding::{Picks, Slide};

/// A function that goes over the rows of all partitions, batch by batch.
pub(super) trait Running: Send {
    /// Adds the rows of a batch. Returns a value for each row or, in a wider scope, for each group
    /// that ends before a border of the batch. In a frame, the values are those of the following
    /// rows with known frames.
    ///
    /// # Errors
    /// A value is out of the range of its type.
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef>;

    /// Returns the bytes of rows that are held for later values.
    fn size(&self) -> usize {
        0
    }
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
    /// The order key that borders of frames are computed from.
    pub key: Option<Arc<dyn PhysicalExpr>>,
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
        if let Some(function) = Self::ranked(window) {
            return Ok(Some(function));
        }
        if let Some(standard) = window.as_any().downcast_ref::<StandardWindowExpr>() {
            let call = standard.get_standard_func_expr().as_any().downcast_ref::<WindowUDFExpr>();
            return call.map_or(Ok(None), |call| Self::standard(window, call, input));
        }
        let Some(aggregate) = aggregate(window) else { return Ok(None) };
        if let Some(scope) = scope(window) {
            let make = Aggregate::new(aggregate, input)?.and_then(Aggregate::running);
            let (window, has_peers) = (window.clone(), scope == Scope::Peers);
            return Ok(make.map(|make| Self { window, scope, has_peers, key: None, make }));
        }
        let Some(frame) = Frame::new(window, input)? else { return Ok(None) };
        let make = Aggregate::new(aggregate, input)?.and_then(|kind| kind.sliding(&frame));
        Ok(make.map(|make| Self::in_frames(window, &frame, make)))
    }

    /// Returns a function of the row's place in its partition.
    fn ranked(window: &Arc<dyn WindowExpr>) -> Option<Self> {
        let ranking = ranking(window)?;
        let is_numbered = window.field().is_ok_and(|field| *field.data_type() == DataType::UInt64);
        is_numbered.then(|| Self {
            window: window.clone(),
            scope: Scope::Row,
            has_peers: ranking != Ranking::RowNumber,
            key: None,
            make: Arc::new(move || Box::new(ranks::Ranks::new(ranking))),
        })
    }

    fn standard(window: &Arc<dyn WindowExpr>, call: &WindowUDFExpr, input: &Schema) -> Result<Option<Self>> {
        if let Some(place) = standard::place(call) {
            let make: Make = Arc::new(move || Box::new(Places::new(place)));
            let has_peers = !matches!(place, Place::Tile(_));
            return Ok(Some(Self {
                window: window.clone(),
                scope: Scope::Frame,
                has_peers,
                key: None,
                make,
            }));
        }
        let Some((frame, pick, default)) = standard::pick(window, call, input)? else { return Ok(None) };
        let slid = frame.clone();
        let make: Make =
            Arc::new(move || Box::new(Slide::new(slid.clone(), Picks::new(pick, default.clone()))));
        Ok(Some(Self::in_frames(window, &frame, make)))
    }

    /// Returns the values of the arguments, and of the key if there is one.
    ///
    /// # Errors
    /// They can't be computed.
    pub fn arguments(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let mut arguments = self.window.evaluate_args(batch)?;
        if let Some(key) = &self.key {
            arguments.push(key.evaluate(batch)?.into_array(batch.num_rows())?);
        }
        Ok(arguments)
    }

    fn in_frames(window: &Arc<dyn WindowExpr>, frame: &Frame, make: Make) -> Self {
        let (has_peers, key) = (frame.has_peers(), frame.key().cloned());
        Self { window: window.clone(), scope: Scope::Frame, has_peers, key, make }
    }
}

/// Returns the call of an aggregate in a window.
fn aggregate(window: &Arc<dyn WindowExpr>) -> Option<&AggregateFunctionExpr> {
    let plain = window.as_any().downcast_ref::<PlainAggregateWindowExpr>();
    let sliding = window.as_any().downcast_ref::<SlidingAggregateWindowExpr>();
    let plain = plain.map(PlainAggregateWindowExpr::get_aggregate_expr);
    plain.or_else(|| sliding.map(SlidingAggregateWindowExpr::get_aggregate_expr))
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
