//! Totals of many groups.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::compute::prep_null_mask_filter;
use arrow::datatypes::{ArrowPrimitiveType, Decimal128Type};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::NullState;
use pelton_dense::Summand;

use super::STATE;
use super::total::Limit;
use super::values::{Visitor, visit};

/// A total for each group.
pub(super) struct GroupTotals {
    limit: Limit,
    totals: Vec<i128>,
    /// Groups with at least one value.
    seen: NullState,
}

impl GroupTotals {
    pub fn new(limit: Limit) -> Self {
        Self { limit, totals: Vec::new(), seen: NullState::new() }
    }

    fn take(&mut self, emit_to: EmitTo) -> (Vec<i128>, Option<NullBuffer>) {
        (emit_to.take_needed(&mut self.totals), self.seen.build(emit_to))
    }
}

/// Adds an array's values to the totals of their groups.
struct AddToGroups<'a> {
    totals: &'a mut [i128],
    seen: &'a mut NullState,
    groups: &'a [usize],
    filter: Option<&'a BooleanArray>,
}

impl Visitor for AddToGroups<'_> {
    /// Returns whether all totals are within 128 bits.
    type Output = bool;

    fn visit<T>(self, array: &PrimitiveArray<T>) -> bool
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        let (totals, mut is_beyond) = (self.totals, false);
        let count = totals.len();
        self.seen.accumulate(self.groups, array, self.filter, count, |group, value| {
            let (total, overflowed) = totals[group].overflowing_add(value.into());
            totals[group] = total;
            is_beyond |= overflowed;
        });
        !is_beyond
    }
}

/// Widens an array's values to the type of the states.
struct Widen;

impl Visitor for Widen {
    type Output = Vec<i128>;

    fn visit<T>(self, array: &PrimitiveArray<T>) -> Vec<i128>
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        array.values().iter().map(|&value| value.into()).collect()
    }
}

impl GroupsAccumulator for GroupTotals {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.totals.resize(total_num_groups, 0);
        let adder = AddToGroups {
            totals: &mut self.totals,
            seen: &mut self.seen,
            groups: group_indices,
            filter: opt_filter,
        };
        match visit(&values[0], adder)? {
            true => Ok(()),
            false => Err(self.limit.overflow(None)),
        }
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.update_batch(values, group_indices, None, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (totals, nulls) = self.take(emit_to);
        self.limit.array(totals, nulls)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (totals, nulls) = self.take(emit_to);
        let array = PrimitiveArray::<Decimal128Type>::try_new(totals.into(), nulls)?;
        Ok(vec![Arc::new(array.with_data_type(STATE))])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let wide = visit(&values[0], Widen)?;
        let filter = opt_filter.map(|filter| match filter.null_count() {
            0 => filter.values().clone(),
            _ => prep_null_mask_filter(filter).values().clone(),
        });
        let nulls = NullBuffer::union(values[0].nulls(), filter.map(NullBuffer::new).as_ref());
        let array = PrimitiveArray::<Decimal128Type>::try_new(wide.into(), nulls)?;
        Ok(vec![Arc::new(array.with_data_type(STATE))])
    }

    fn size(&self) -> usize {
        self.totals.capacity() * size_of::<i128>() + self.seen.size()
    }
}
