//! Partial results of the groups.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, Int64Array, PrimitiveArray, RecordBatch, UInt64Array,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use datafusion::error::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_plan::aggregates::AggregateExec;
use pelton_dense::{Summand, Totals, add_counts};

use crate::functions::{Visitor, is_exact, visit};

/// Partial results of all aggregates. Arguments are computed once, and aggregates of the same
/// argument share its total.
pub(in crate::plan::rules::aggregates) struct Results {
    arguments: Vec<Argument>,
    aggregates: Vec<Aggregate>,
    /// Rows of each group.
    rows: Vec<u64>,
    /// Numbers of the rows' groups, as DataFusion's accumulators need them.
    indices: Vec<usize>,
}

/// An argument of aggregates, with what is known of its values in each group.
struct Argument {
    expression: Arc<dyn PhysicalExpr>,
    /// Total of the values of each group; `None` if no aggregate needs it.
    totals: Option<Totals>,
    /// Nulls of each group.
    nulls: Vec<u64>,
    /// Values of each group that are in no total: those of batches with wider ones.
    elsewhere: Vec<u64>,
    /// Numbers of the groups of values that are not null.
    valid: Vec<u32>,
}

struct Aggregate {
    function: Arc<AggregateFunctionExpr>,
    form: Form,
    filter: Option<Arc<dyn PhysicalExpr>>,
    /// Indexes of the arguments.
    arguments: Vec<usize>,
    /// DataFusion's accumulator: of all rows, or of those in no total.
    accumulator: Option<Box<dyn GroupsAccumulator>>,
}

/// Sources of an aggregate's partial result.
enum Form {
    /// Rows of a group.
    Rows,
    /// Rows of a group without nulls.
    Count,
    Sum(DataType),
    /// A count and a total.
    Mean(DataType),
    Accumulator,
}

impl Results {
    /// Returns the results of an aggregate without rows.
    ///
    /// # Errors
    /// An aggregate has no partial results.
    pub fn new(aggregate: &AggregateExec) -> Result<Self> {
        let schema = aggregate.input_schema();
        let mut results =
            Self { arguments: Vec::new(), aggregates: Vec::new(), rows: Vec::new(), indices: Vec::new() };
        for (function, filter) in aggregate.aggr_expr().iter().zip(aggregate.filter_expr()) {
            let expressions = function.expressions();
            let states = function.state_fields()?;
            let states: Vec<_> = states.iter().map(|state| state.data_type()).collect();
            let form = match (function.fun().name(), &expressions[..], &states[..]) {
                _ if filter.is_some() => Form::Accumulator,
                ("count", [one], [DataType::Int64]) if is_literal(one) => Form::Rows,
                ("count", [_], [DataType::Int64]) => Form::Count,
                ("sum", [one], [state @ DataType::Decimal128(..)]) if is_exact(&one.data_type(&schema)?) => {
                    Form::Sum((*state).clone())
                }
                ("avg", [one], [DataType::UInt64, state @ DataType::Decimal128(..)])
                    if is_exact(&one.data_type(&schema)?) =>
                {
                    Form::Mean((*state).clone())
                }
                _ => Form::Accumulator,
            };
            let has_total = matches!(form, Form::Sum(_) | Form::Mean(_));
            let arguments = match form {
                Form::Rows => Vec::new(),
                _ => expressions.into_iter().map(|one| results.argument(one, has_total)).collect(),
            };
            let accumulator = match form {
                Form::Accumulator => Some(function.create_groups_accumulator()?),
                _ => None,
            };
            let (function, filter) = (function.clone(), filter.clone());
            results.aggregates.push(Aggregate { function, form, filter, arguments, accumulator });
        }
        Ok(results)
    }

    /// Returns the index of an argument.
    fn argument(&mut self, expression: Arc<dyn PhysicalExpr>, has_total: bool) -> usize {
        let is_same = |argument: &Argument| argument.expression.as_ref() == expression.as_ref();
        let known = self.arguments.iter().position(is_same).filter(|_| !is_volatile(&expression));
        let at = known.unwrap_or_else(|| {
            self.arguments.push(Argument {
                expression,
                totals: None,
                nulls: Vec::new(),
                elsewhere: Vec::new(),
                valid: Vec::new(),
            });
            self.arguments.len() - 1
        });
        if has_total {
            self.arguments[at].totals.get_or_insert_default();
        }
        at
    }

    /// Adds rows to the groups of these numbers. There are `groups` in all.
    ///
    /// # Errors
    /// An argument can't be computed, or a result overflows.
    pub fn add(&mut self, batch: &RecordBatch, numbers: &[u32], groups: usize) -> Result<()> {
        add_counts(&mut self.rows, numbers, groups);
        let (mut values, mut are_added) = (Vec::new(), Vec::new());
        for argument in &mut self.arguments {
            let array = argument.expression.evaluate(batch)?.into_array(batch.num_rows())?;
            are_added.push(argument.add(&array, numbers, groups)?);
            values.push(array);
        }
        self.indices.clear();
        for aggregate in &mut self.aggregates {
            let is_added = match aggregate.form {
                Form::Rows | Form::Count => true,
                Form::Sum(_) | Form::Mean(_) => are_added[aggregate.arguments[0]],
                Form::Accumulator => false,
            };
            if is_added {
                continue;
            }
            if self.indices.is_empty() {
                self.indices.extend(numbers.iter().map(|&number| number as usize));
            }
            let arguments: Vec<ArrayRef> = aggregate.arguments.iter().map(|&at| values[at].clone()).collect();
            let filter = aggregate.filter.as_ref();
            let filter =
                filter.map(|filter| filter.evaluate(batch)?.into_array(batch.num_rows())).transpose()?;
            let accumulator = match &mut aggregate.accumulator {
                Some(accumulator) => accumulator,
                none => none.insert(aggregate.function.create_groups_accumulator()?),
            };
            let filter = filter.as_ref().map(|filter| filter.as_boolean());
            accumulator.update_batch(&arguments, &self.indices, filter, groups)?;
        }
        Ok(())
    }

    /// Takes the partial results of all groups out.
    ///
    /// # Errors
    /// A result overflows.
    pub fn take(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let rows = std::mem::take(&mut self.rows);
        let arguments: Vec<Taken> = self.arguments.iter_mut().map(|one| one.take(&rows, groups)).collect();
        let everyone: Vec<usize> = (0..groups).collect();
        let mut columns = Vec::new();
        for aggregate in &mut self.aggregates {
            let argument = aggregate.arguments.first().map(|&at| &arguments[at]);
            let states: Vec<ArrayRef> = match (&aggregate.form, argument) {
                (Form::Rows, _) | (Form::Accumulator, _) | (_, None) => {
                    vec![Arc::new(Int64Array::from_iter_values(rows.iter().map(|&rows| rows as i64)))]
                }
                (Form::Count, Some(argument)) => {
                    let counts = argument.not_null.iter().map(|&count| count as i64);
                    vec![Arc::new(Int64Array::from_iter_values(counts))]
                }
                (Form::Sum(state), Some(argument)) => vec![argument.total(state)?],
                (Form::Mean(state), Some(argument)) => {
                    let counts = UInt64Array::new(argument.added.clone().into(), argument.nulls());
                    vec![Arc::new(counts), argument.total(state)?]
                }
            };
            match (&aggregate.form, aggregate.accumulator.take()) {
                (Form::Accumulator, Some(mut accumulator)) => {
                    columns.extend(accumulator.state(EmitTo::All)?);
                }
                (_, Some(mut accumulator)) => {
                    accumulator.merge_batch(&states, &everyone, groups)?;
                    columns.extend(accumulator.state(EmitTo::All)?);
                }
                (_, None) => columns.extend(states),
            }
        }
        Ok(columns)
    }

    /// Returns the bytes of the results.
    pub fn size(&self) -> usize {
        let counts = |counts: &Vec<u64>| counts.capacity() * size_of::<u64>();
        let arguments = self.arguments.iter().map(|argument| {
            let totals = argument.totals.as_ref().map_or(0, Totals::size);
            let valid = argument.valid.capacity() * size_of::<u32>();
            totals + counts(&argument.nulls) + counts(&argument.elsewhere) + valid
        });
        let accumulators = self.aggregates.iter().filter_map(|aggregate| aggregate.accumulator.as_ref());
        let accumulators = accumulators.map(|accumulator| accumulator.size());
        let indices = self.indices.capacity() * size_of::<usize>();
        arguments.sum::<usize>() + accumulators.sum::<usize>() + counts(&self.rows) + indices
    }
}

/// Returns whether an expression is a constant that is not null, as in `count(*)`.
fn is_literal(expression: &Arc<dyn PhysicalExpr>) -> bool {
    expression.downcast_ref::<Literal>().is_some_and(|literal| !literal.value().is_null())
}

impl Argument {
    /// Adds the values of rows. Returns false if they need an accumulator: one has more than 64
    /// bits.
    fn add(&mut self, array: &ArrayRef, numbers: &[u32], groups: usize) -> Result<bool> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let mut numbers = numbers;
        if let Some(nulls) = nulls {
            self.nulls.resize(groups.max(self.nulls.len()), 0);
            self.valid.clear();
            for (row, &number) in numbers.iter().enumerate() {
                match nulls.is_null(row) {
                    true => self.nulls[number as usize] += 1,
                    false => self.valid.push(number),
                }
            }
            numbers = &self.valid;
        }
        let Some(totals) = &mut self.totals else { return Ok(true) };
        let is_added = visit(array, AddToTotals { totals, numbers, groups })?;
        if !is_added {
            add_counts(&mut self.elsewhere, numbers, groups);
        }
        Ok(is_added)
    }

    fn take(&mut self, rows: &[u64], groups: usize) -> Taken {
        let without = |counts: &[u64], other: &mut Vec<u64>| {
            other.resize(groups, 0);
            counts.iter().zip(std::mem::take(other)).map(|(count, other)| count - other).collect::<Vec<u64>>()
        };
        let not_null = without(rows, &mut self.nulls);
        let added = without(&not_null, &mut self.elsewhere);
        let totals = self.totals.as_mut().map(|totals| totals.take(groups)).unwrap_or_default();
        Taken { not_null, added, totals }
    }
}

/// Adds an array's values that are not null to the totals of their groups.
struct AddToTotals<'a> {
    totals: &'a mut Totals,
    /// Groups of the values that are not null.
    numbers: &'a [u32],
    groups: usize,
}

impl Visitor for AddToTotals<'_> {
    type Output = bool;

    fn visit<T>(self, array: &PrimitiveArray<T>) -> bool
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => self.totals.add(array.values(), self.numbers, self.groups),
            Some(nulls) => {
                let values: Vec<T::Native> = nulls.valid_indices().map(|row| array.value(row)).collect();
                self.totals.add(&values, self.numbers, self.groups)
            }
        }
    }
}

/// Totals and counts of an argument's values.
struct Taken {
    /// Values that are not null, by groups.
    not_null: Vec<u64>,
    /// Values in the totals.
    added: Vec<u64>,
    totals: Vec<i128>,
}

impl Taken {
    /// Returns the groups that have values in their total; `None` if all have.
    fn nulls(&self) -> Option<NullBuffer> {
        let nulls: NullBuffer = self.added.iter().map(|&count| count > 0).collect();
        (nulls.null_count() > 0).then_some(nulls)
    }

    fn total(&self, state: &DataType) -> Result<ArrayRef> {
        let totals = Decimal128Array::try_new(self.totals.clone().into(), self.nulls())?;
        Ok(Arc::new(totals.with_data_type(state.clone())))
    }
}
