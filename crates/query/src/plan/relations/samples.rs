//! Samples of tables: TABLESAMPLE and USING SAMPLE.

use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::DataType;
use datafusion::common::hash_utils::create_hashes_with_hasher;
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::expr::{ScalarFunction, WindowFunction};
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, cast, ident, lit,
};
use datafusion::sql::sqlparser::ast::{
    Expr as SqlExpr, TableFactor, TableSample, TableSampleKind, TableSampleMethod, TableSampleUnit, Value,
};

use crate::error::{Error, wrap};
use crate::plan::sql::sampled_tables;

/// Plans relations with a sample clause.
///
/// Each row gets a random number. A share of the rows has the numbers below it, and a reservoir the
/// rows with the least ones.
#[derive(Debug)]
pub(in crate::plan) struct SampledRelations;

impl RelationPlanner for SampledRelations {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. }) = &mut relation else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let Some(TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) =
            sample.take()
        else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        // the tables of USING SAMPLE keep their names
        if let TableFactor::Derived { subquery, alias: None, .. } = &relation
            && let Some(tables) = sampled_tables(subquery)
        {
            relation = TableFactor::NestedJoin { table_with_joins: Box::new(tables.clone()), alias: None };
        }
        let random = context.context_provider().get_function_meta("random");
        let Some(random) = random else {
            return Err(wrap(Error::Internal("there is no function random".to_owned())));
        };
        let input = context.plan(relation)?;
        let random = Expr::ScalarFunction(ScalarFunction::new_udf(random, vec![]));
        let plan = sampled(input, &sample, random)?;
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, None))))
    }
}

/// The column of random numbers that a sample adds to its input, and removes again.
const KEY: &str = "__pelton_sample_key";

/// Returns the sample of a plan's rows.
fn sampled(input: LogicalPlan, sample: &TableSample, random: Expr) -> Result<LogicalPlan> {
    let quantity = sample.quantity.as_ref().ok_or_else(|| refused("a sample needs a size"))?;
    let number = number(&quantity.value).ok_or_else(|| refused("the size of a sample is a number"))?;
    let is_percent = quantity.unit == Some(TableSampleUnit::Percent);
    if is_percent && number > 100.0 {
        return Err(refused(&format!("a sample of {number} percent is more than all rows")));
    }
    let columns: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
    let is_reservoir = sample.name == Some(TableSampleMethod::Row);
    let seed = sample.seed.as_ref().map(|seed| seed.value.value.to_string());
    let mut plan = LogicalPlanBuilder::from(input);
    let key = match seed {
        None if !is_reservoir => return plan.filter(random.lt(lit(number / 100.0)))?.build(),
        None => random,
        Some(seed) => {
            // equal rows are told apart by number, so that their order does not matter
            let copy = row_number().partition_by(columns.clone()).build()?;
            let number = column(&copy);
            plan = LogicalPlanBuilder::from(LogicalPlanBuilder::window_plan(plan.build()?, [copy])?);
            let arguments = [lit(seed), number].into_iter().chain(columns.clone());
            Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(sample_key()), arguments.collect()))
        }
    };
    plan = plan.project(columns.iter().cloned().chain([key.alias(KEY)]))?;
    plan = match (is_reservoir, is_percent) {
        (false, _) => plan.filter(ident(KEY).lt(lit(number / 100.0)))?,
        (true, false) => plan.sort(vec![ident(KEY).sort(true, false)])?.limit(0, Some(number as usize))?,
        (true, true) => {
            let rank = row_number().order_by(vec![ident(KEY).sort(true, false)]).build()?;
            let total = Expr::from(WindowFunction::new(count_udaf(), vec![lit(1)]));
            let share = cast(column(&total), DataType::Float64) * lit(number / 100.0);
            let condition = cast(column(&rank), DataType::Float64).lt_eq(share);
            LogicalPlanBuilder::from(LogicalPlanBuilder::window_plan(plan.build()?, [rank, total])?)
                .filter(condition)?
        }
    };
    plan.project(columns)?.build()
}

/// Returns the column that an operator has for one of its expressions.
fn column(of: &Expr) -> Expr {
    Expr::Column(Column::from_name(of.schema_name().to_string()))
}

fn number(expr: &SqlExpr) -> Option<f64> {
    match expr {
        SqlExpr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        // doubles are casts of their text by now
        SqlExpr::Cast { expr, .. } => match expr.as_ref() {
            SqlExpr::Value(value) => value.value.clone().into_string()?.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn refused(what: &str) -> datafusion::error::DataFusionError {
    wrap(Error::Query(format!("{what}: write TABLESAMPLE 10%, or TABLESAMPLE reservoir(100 ROWS)")))
}

/// Returns the function that gives a row its number for a seed: from 0 to 1, equal for equal rows.
fn sample_key() -> ScalarUDF {
    ScalarUDF::from(SampleKey { signature: Signature::variadic_any(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SampleKey {
    signature: Signature,
}

impl ScalarUDFImpl for SampleKey {
    fn name(&self) -> &str {
        "pelton_sample_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let rows = arrays.first().map_or(args.number_rows, |array| array.len());
        let mut hashes = vec![0; rows];
        create_hashes_with_hasher(&arrays, &BuildHasherDefault::<DefaultHasher>::default(), &mut hashes)?;
        // the 53 bits of a double's digits
        let keys = hashes.into_iter().map(|hash| (hash >> 11) as f64 / (1_u64 << 53) as f64);
        let keys: ArrayRef = Arc::new(keys.collect::<Float64Array>());
        Ok(match args.args.iter().any(|value| matches!(value, ColumnarValue::Array(_))) {
            true => ColumnarValue::Array(keys),
            false => ColumnarValue::Scalar(ScalarValue::try_from_array(&keys, 0)?),
        })
    }
}
