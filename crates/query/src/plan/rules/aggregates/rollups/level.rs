//! Groups of one grouping set, merged from the groups of a finer one.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, new_null_array};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;

use super::sets::Set;

/// Rows after which a level is judged by the groups that it made of them.
const PROBED_ROWS: usize = 100_000;

/// Share of groups among the merged rows above which merging is in vain: hashing a row costs about
/// as much here as in the final aggregate, which sees each group again.
const MOST_GROUPS: f64 = 0.5;

/// Columns of groups: all keys, with NULL for those that a set leaves out, and then the partial
/// results.
pub(in crate::plan::rules::aggregates) type Columns = Vec<ArrayRef>;

/// Groups of one set.
pub(in crate::plan::rules::aggregates) struct Level {
    schema: SchemaRef,
    omits: Vec<bool>,
    /// Values of the set's columns; `None` for the empty set, which has one group.
    keys: Option<Box<dyn GroupValues>>,
    results: Vec<Merged>,
    /// Rows that were merged.
    rows: usize,
    /// Groups of the rows of one batch.
    indices: Vec<usize>,
}

/// An aggregate's partial results, one for each group.
struct Merged {
    accumulator: Box<dyn GroupsAccumulator>,
    /// Types of the aggregate's arguments.
    arguments: Vec<DataType>,
    /// Places of the partial results among the columns.
    places: Range<usize>,
}

impl Level {
    /// Returns a level without groups. `schema` has the keys in front; aggregates have arguments
    /// over `rows`.
    ///
    /// # Errors
    /// A key has a type that can't be hashed, or an aggregate has no partial results.
    pub fn new(
        set: &Set,
        aggregates: &[Arc<AggregateFunctionExpr>],
        schema: &SchemaRef,
        rows: &Schema,
    ) -> Result<Self> {
        let fields: Vec<_> = set.columns().map(|column| schema.fields()[column].clone()).collect();
        let keys = (!fields.is_empty())
            .then(|| new_group_values(Arc::new(Schema::new(fields)), &GroupOrdering::None))
            .transpose()?;
        let mut place = set.omits.len();
        let results = aggregates.iter().map(|aggregate| {
            let places = place..place + aggregate.state_fields()?.len();
            place = places.end;
            let accumulator = aggregate.create_groups_accumulator()?;
            let arguments = aggregate.expressions();
            let arguments =
                arguments.iter().map(|argument| argument.data_type(rows)).collect::<Result<_>>()?;
            Ok(Merged { accumulator, arguments, places })
        });
        let results = results.collect::<Result<Vec<_>>>()?;
        let (schema, omits) = (schema.clone(), set.omits.clone());
        Ok(Self { schema, omits, keys, results, rows: 0, indices: Vec::new() })
    }

    /// Returns a level for the groups of an aggregate that has no grouping sets. `schema` has its
    /// keys in front of the partial results.
    ///
    /// # Errors
    /// As [`Level::new`].
    pub fn of_all_keys(aggregate: &AggregateExec, schema: &SchemaRef) -> Result<Self> {
        let keys = aggregate.group_expr().expr().len();
        let set = Set { omits: vec![false; keys], ids: vec![0], from: None };
        Self::new(&set, aggregate.aggr_expr(), schema, &aggregate.input_schema())
    }

    /// Merges groups of the finer set.
    ///
    /// # Errors
    /// A result is out of range.
    pub fn merge(&mut self, columns: &Columns, rows: usize) -> Result<()> {
        self.rows += rows;
        let groups = match &mut self.keys {
            Some(keys) => {
                let omitted = self.omits.iter().zip(columns);
                let values =
                    omitted.filter(|(is_omitted, _)| !**is_omitted).map(|(_, column)| column.clone());
                keys.intern(&values.collect::<Vec<_>>(), &mut self.indices)?;
                keys.len()
            }
            None => {
                self.indices.clear();
                self.indices.resize(rows, 0);
                1
            }
        };
        for merged in &mut self.results {
            merged.accumulator.merge_batch(&columns[merged.places.clone()], &self.indices, groups)?;
        }
        Ok(())
    }

    /// Returns whether the rows have too many groups for merging to pay.
    pub fn is_in_vain(&self) -> bool {
        let groups = self.keys.as_ref().map_or(0, |keys| keys.len());
        self.rows >= PROBED_ROWS && groups as f64 > self.rows as f64 * MOST_GROUPS
    }

    /// Takes the groups out; `None` if there are none.
    ///
    /// # Errors
    /// A result is out of range.
    pub fn take(&mut self) -> Result<Option<Columns>> {
        self.take_with(|accumulator| accumulator.state(EmitTo::All))
    }

    /// Takes the groups out with results in place of the partial ones; `None` if there are none.
    ///
    /// # Errors
    /// A result is out of range.
    pub fn take_results(&mut self) -> Result<Option<Columns>> {
        self.take_with(|accumulator| Ok(vec![accumulator.evaluate(EmitTo::All)?]))
    }

    fn take_with(
        &mut self,
        values: impl Fn(&mut dyn GroupsAccumulator) -> Result<Columns>,
    ) -> Result<Option<Columns>> {
        let mut groups = Vec::new();
        let count = match &mut self.keys {
            Some(keys) if keys.is_empty() => return Ok(None),
            Some(keys) => {
                let count = keys.len();
                groups = keys.emit(EmitTo::All)?;
                keys.clear_shrink(0);
                count
            }
            None if self.indices.is_empty() => return Ok(None),
            None => 1,
        };
        self.indices = Vec::new();
        let mut columns = self.with_omitted(groups, count);
        for merged in &mut self.results {
            columns.extend(values(merged.accumulator.as_mut())?);
        }
        Ok(Some(columns))
    }

    /// Takes the groups out when all rows were merged. The empty set has a group over no rows too.
    ///
    /// # Errors
    /// A result is out of range.
    pub fn finish(&mut self) -> Result<Option<Columns>> {
        if self.keys.is_some() || self.rows > 0 {
            return self.take();
        }
        let mut columns = self.with_omitted(Vec::new(), 1);
        for merged in &mut self.results {
            // a row that is left out makes the group, as in DataFusion's partial aggregate
            let none: Vec<_> = merged.arguments.iter().map(|argument| new_null_array(argument, 1)).collect();
            let left_out = BooleanArray::from(vec![false]);
            merged.accumulator.update_batch(&none, &[0], Some(&left_out), 1)?;
            columns.extend(merged.accumulator.state(EmitTo::All)?);
        }
        Ok(Some(columns))
    }

    /// Returns all keys of groups, with NULL for the omitted ones.
    fn with_omitted(&self, keys: Vec<ArrayRef>, count: usize) -> Columns {
        let mut keys = keys.into_iter();
        let columns = self.omits.iter().zip(self.schema.fields()).map(|(is_omitted, field)| {
            let key = if *is_omitted { None } else { keys.next() };
            key.unwrap_or_else(|| new_null_array(field.data_type(), count))
        });
        columns.collect()
    }

    /// Returns the number of groups.
    pub fn count(&self) -> usize {
        match &self.keys {
            Some(keys) => keys.len(),
            None => usize::from(!self.indices.is_empty()),
        }
    }

    /// Returns the bytes that the groups take.
    pub fn size(&self) -> usize {
        let keys = self.keys.as_ref().map_or(0, |keys| keys.size());
        let results: usize = self.results.iter().map(|merged| merged.accumulator.size()).sum();
        keys + results + self.indices.capacity() * size_of::<usize>()
    }
}
