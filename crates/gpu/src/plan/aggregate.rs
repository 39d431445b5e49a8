//! GROUP BY and DISTINCT.

use arrow::datatypes::DataType;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Aggregate as LogicalAggregate, Expr as Logical, LogicalPlan, Operator};

use super::expression::{combine, compare, constant};
use super::lower::{Lowering, column, identity, named};
use super::rows::{Rows, Scope, expected_groups};
use super::types::{self, Result};
use crate::ir::{
    Aggregate, Comparison, Expr, Field, Fill, Into, Kind, Literal, Operation, Pipeline, Reduction, Scalar,
    Source, State, Step,
};

/// Type of a count of rows as a decimal; 64 bits have up to twenty digits.
const COUNT_AS_DECIMAL: DataType = DataType::Decimal128(20, 0);

/// Digits of values that can be added up within 38 digits, for up to ten billion rows.
const SUMMED_DIGITS: u8 = 28;

/// Computation of an output column from the groups' columns.
enum Output {
    State(usize),
    /// A total of integers, which has to fit their type.
    Whole(usize),
    /// Sum and count.
    Average(usize, usize),
}

impl Lowering {
    /// Returns the rows of a GROUP BY.
    pub(super) fn aggregate(&mut self, plan: &LogicalPlan, aggregate: &LogicalAggregate) -> Rows {
        let rows = self.rows(&aggregate.input);
        let scope = Scope { schema: aggregate.input.schema(), fields: &rows.fields.clone() };
        let schema = self.fields(plan, plan.schema());
        let keys = aggregate.group_expr.iter().zip(&schema).map(|(expr, field)| {
            if let Logical::GroupingSet(_) = expr {
                self.note_unsupported(plan, "GROUPING SETS, ROLLUP and CUBE are not supported".to_owned());
            }
            let key = self.of(plan, expr, scope);
            (Field { nullable: key.nullable, ..field.clone() }, key)
        });
        let keys: Vec<(Field, Expr)> = keys.collect();
        let mut states = Vec::new();
        let mut outputs = Vec::with_capacity(aggregate.aggr_expr.len());
        for (expr, field) in aggregate.aggr_expr.iter().zip(schema.iter().skip(keys.len())) {
            let made = call(expr).and_then(|call| self.state(call, field, scope, &keys, &mut states));
            match made {
                Ok(output) => outputs.push(output),
                Err(why) => {
                    self.note_unsupported(plan, why);
                    outputs.push(Output::State(0));
                }
            }
        }
        let width = keys.len();
        let groups = self.group(rows, keys, states);
        let fields: Vec<Field> = self.query.aggregates[groups].fields().cloned().collect();
        if !self.reasons.is_empty() {
            // an unsupported node may have left out columns that the nodes above name
            return Rows { branches: Vec::new(), fields: schema, expected: 1.0, base: 1.0, ordered: false };
        }
        let mut columns = identity(&fields[..width]);
        for (output, field) in outputs.iter().zip(schema.iter().skip(width)) {
            let value = match output {
                Output::State(state) => column(width + state, &fields[width + state]),
                Output::Whole(state) => {
                    let total = column(width + state, &fields[width + state]);
                    types::cast(total, &field.data_type).unwrap_or_else(|why| {
                        self.note_unsupported(plan, why);
                        Expr { kind: Kind::Null, ..column(0, field) }
                    })
                }
                Output::Average(sum, count) => {
                    let value = average(&fields, width + sum, width + count, &field.data_type);
                    value.unwrap_or_else(|why| {
                        self.note_unsupported(plan, why);
                        Expr { kind: Kind::Null, ..column(0, field) }
                    })
                }
            };
            columns.push((Field { nullable: value.nullable, ..field.clone() }, value));
        }
        let expected = self.query.aggregates[groups].groups;
        let fields = columns.iter().map(|(field, _)| field.clone()).collect();
        let branches = vec![(Source::Groups(groups), vec![Step::Project(columns)])];
        Rows { branches, fields, expected, base: expected, ordered: false }
    }

    /// Returns the rows without duplicates.
    pub(super) fn distinct(&mut self, _plan: &LogicalPlan, input: &LogicalPlan) -> Rows {
        let rows = self.rows(input);
        let fields = rows.fields.clone();
        let groups = self.group(rows, identity(&fields), Vec::new());
        let expected = self.query.aggregates[groups].groups;
        let branches = vec![(Source::Groups(groups), Vec::new())];
        Rows { branches, fields, expected, base: expected, ordered: false }
    }

    /// Returns the aggregate of the distinct values in groups by `keys`.
    fn set(&mut self, keys: &[(Field, Expr)], value: &Expr) -> usize {
        let mut keys = keys.to_vec();
        keys.push((named("value", value), value.clone()));
        self.query.aggregates.push(Aggregate { keys, states: Vec::new(), groups: 1.0 });
        self.query.aggregates.len() - 1
    }

    /// Ends pipelines in groups.
    fn group(&mut self, rows: Rows, keys: Vec<(Field, Expr)>, states: Vec<State>) -> usize {
        let number = self.query.aggregates.len();
        let groups = expected_groups(rows.expected, keys.len());
        for set in states.iter().filter_map(|state| state.distinct) {
            self.query.aggregates[set].groups = expected_groups(rows.expected, keys.len() + 1);
        }
        self.query.aggregates.push(Aggregate { keys, states, groups });
        let pipelines = rows.branches.into_iter();
        let pipelines =
            pipelines.map(|(source, steps)| Pipeline { source, steps, into: Into::Groups(number) });
        self.query
            .operations
            .push(Operation::Fill(Fill { pipelines: pipelines.collect(), rows: rows.expected }));
        number
    }

    /// Returns the number of the state for an aggregate function. Equal states are shared.
    fn state(
        &mut self,
        call: &AggregateFunction,
        field: &Field,
        scope: Scope<'_>,
        keys: &[(Field, Expr)],
        states: &mut Vec<State>,
    ) -> Result<Output> {
        let name = call.func.name();
        let params = &call.params;
        if !params.order_by.is_empty() {
            return Err(format!("{name}(… ORDER BY …) is not supported"));
        }
        let filter = params.filter.as_ref().map(|e| self.expression(e, scope)).transpose()?;
        let mut arguments =
            params.args.iter().map(|e| self.expression(e, scope)).collect::<Result<Vec<_>>>()?;
        if arguments.len() != 1 {
            return Err(format!("{name}() of {} arguments is not supported", arguments.len()));
        }
        let value = arguments.remove(0);
        let nullable = value.nullable || filter.is_some() || keys.is_empty();
        // the least and the greatest value don't depend on duplicates
        let once = params.distinct && !matches!(name, "min" | "max");
        let distinct = if once { Some(self.set(keys, &value)) } else { None };
        let mut keep = |reduction, value: Option<Expr>, data_type: &DataType, nullable| {
            let scalar = Scalar::of(data_type)?;
            let field = Field { name: name.to_owned(), data_type: data_type.clone(), scalar, nullable };
            let state = State { reduction, value, filter: filter.clone(), distinct, field };
            let found = states.iter().position(|kept| {
                kept.distinct.is_none()
                    && state.distinct.is_none()
                    && (kept.reduction, &kept.value, &kept.filter, &kept.field.data_type)
                        == (state.reduction, &state.value, &state.filter, &state.field.data_type)
            });
            Ok::<usize, String>(found.unwrap_or_else(|| {
                states.push(state);
                states.len() - 1
            }))
        };
        // a value that is never null is counted without being read
        let counted = (value.nullable || once).then(|| value.clone());
        Ok(match name {
            "count" => Output::State(keep(Reduction::Count, counted, &DataType::Int64, false)?),
            // in 128 bits, which hold any total of integers
            "sum" if field.data_type.is_integer() => {
                let value = types::cast(value, &COUNT_AS_DECIMAL)?;
                Output::Whole(keep(Reduction::Sum, Some(value), &DataType::Decimal128(38, 0), nullable)?)
            }
            "sum" => Output::State(keep(Reduction::Sum, Some(summed(value)?), &field.data_type, nullable)?),
            "min" | "max" => {
                if value.scalar == Scalar::Bool {
                    return Err(format!("{name}() of booleans is not supported"));
                }
                let reduction = if name == "min" { Reduction::Minimum } else { Reduction::Maximum };
                // the flag of a null also means that there is no value yet, which a first row has
                // to know
                Output::State(keep(reduction, Some(value), &field.data_type, true)?)
            }
            "avg" if once => {
                return Err("avg(DISTINCT …) beside other aggregates is not supported".to_owned());
            }
            "avg" => {
                let sum_type = match &value.data_type {
                    DataType::Decimal128(_, scale) => DataType::Decimal128(38, *scale),
                    DataType::Float64 => DataType::Float64,
                    other => return Err(format!("avg() of {other} is not supported")),
                };
                let sum = keep(Reduction::Sum, Some(summed(value)?), &sum_type, nullable)?;
                Output::Average(sum, keep(Reduction::Count, counted, &DataType::Int64, false)?)
            }
            _ => return Err(format!("aggregate {name}() is not supported")),
        })
    }
}

/// Returns a value to be added up; too large decimals are left to the CPU.
fn summed(value: Expr) -> Result<Expr> {
    match value.data_type {
        DataType::Decimal128(digits, scale) if digits > SUMMED_DIGITS => {
            types::cast(value, &DataType::Decimal128(SUMMED_DIGITS, scale))
        }
        _ => Ok(value),
    }
}

/// Returns the function behind an alias.
fn call(expr: &Logical) -> Result<&AggregateFunction> {
    match expr {
        Logical::Alias(alias) => call(&alias.expr),
        Logical::AggregateFunction(function) => Ok(function),
        other => Err(format!("{other} is no aggregate function")),
    }
}

/// Returns the sum divided by the count; null where nothing was counted.
fn average(fields: &[Field], sum: usize, count: usize, data_type: &DataType) -> Result<Expr> {
    let (sum, count) = (column(sum, &fields[sum]), column(count, &fields[count]));
    let zero = constant(Some(Literal::Integer(0)), &DataType::Int64)?;
    let some = compare(Comparison::NotEqual, count.clone(), zero)?;
    let divisor = match data_type {
        DataType::Decimal128(..) => types::cast(count, &COUNT_AS_DECIMAL)?,
        other => types::cast(count, other)?,
    };
    let quotient = combine(Operator::Divide, sum, divisor, data_type.clone())?;
    let scalar = quotient.scalar;
    Ok(Expr {
        kind: Kind::Case(vec![(some, quotient)], None),
        data_type: data_type.clone(),
        scalar,
        nullable: true,
    })
}
