//! Aggregates of the elements of a list: `list_sum`, `list_avg` and the like.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    AggregateUDF, ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::Column;

use crate::error::{Error, wrap};

/// Names behind `list_`, and the aggregates of those names where they differ.
const FUNCTIONS: [(&str, &str); 26] = [
    ("sum", "sum"),
    ("avg", "avg"),
    ("min", "min"),
    ("max", "max"),
    ("count", "count"),
    ("product", "product"),
    ("median", "median"),
    ("mode", "mode"),
    ("entropy", "entropy"),
    ("histogram", "histogram"),
    ("mad", "mad"),
    ("skewness", "skewness"),
    ("kurtosis", "kurtosis"),
    ("kurtosis_pop", "kurtosis_pop"),
    ("stddev_pop", "stddev_pop"),
    ("stddev_samp", "stddev_samp"),
    ("stddev", "stddev_samp"),
    ("var_pop", "var_pop"),
    ("var_samp", "var_samp"),
    ("variance", "var_samp"),
    ("bool_and", "bool_and"),
    ("bool_or", "bool_or"),
    ("bit_and", "bit_and"),
    ("bit_or", "bit_or"),
    ("bit_xor", "bit_xor"),
    ("approx_count_distinct", "approx_distinct"),
];

/// Registers the functions.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for (name, aggregate) in FUNCTIONS {
        let aggregate = registry.udaf(aggregate)?;
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = OfElements { name: format!("list_{name}"), aggregate, signature };
        registry.register_udf(Arc::new(ScalarUDF::from(function)))?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct OfElements {
    name: String,
    aggregate: Arc<AggregateUDF>,
    signature: Signature,
}

impl Hash for OfElements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl OfElements {
    /// Returns the type of the elements that the aggregate takes.
    fn element(&self, list: &DataType) -> Result<DataType> {
        let element = match list {
            DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
                field.data_type().clone()
            }
            DataType::Null => DataType::Null,
            other => {
                let found = crate::plan::type_in_sql(other);
                return Err(wrap(Error::Query(format!("{} takes a list, and got {found}", self.name))));
            }
        };
        // an aggregate of nothing but NULL has the type of one of numbers
        let element = if element.is_null() { DataType::Int64 } else { element };
        let field: FieldRef = Arc::new(Field::new("element", element, true));
        let fields = fields_with_udf(&[field], self.aggregate.as_ref())?;
        Ok(fields.first().map_or(DataType::Null, |field| field.data_type().clone()))
    }
}

impl ScalarUDFImpl for OfElements {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [list] => Ok(vec![DataType::new_list(self.element(list)?, true)]),
            _ => Err(wrap(Error::Query(format!("{} takes one list", self.name)))),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let element = self.element(types.first().unwrap_or(&DataType::Null))?;
        self.aggregate.return_type(&[element])
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let gives = args.return_type().clone();
        let Some(list) = args.args.into_iter().next() else {
            return Err(wrap(Error::Internal(format!("{} of nothing", self.name))));
        };
        let is_constant = matches!(list, ColumnarValue::Scalar(_));
        let lists = list.to_array(if is_constant { 1 } else { args.number_rows })?;
        let element = self.element(lists.data_type())?;
        let lists = cast(&lists, &DataType::new_list(element.clone(), true))?;
        let lists = lists.as_list::<i32>();
        let schema = Arc::new(Schema::new(vec![Field::new("element", element, true)]));
        let argument = Arc::new(Column::new("element", 0));
        let aggregate = AggregateExprBuilder::new(self.aggregate.clone(), vec![argument])
            .schema(schema)
            .alias(&self.name)
            .build()?;
        let mut results = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            results.push(match lists.is_null(row) {
                true => ScalarValue::try_from(&gives)?,
                false => {
                    let mut accumulator = aggregate.create_accumulator()?;
                    accumulator.update_batch(&[lists.value(row)])?;
                    accumulator.evaluate()?
                }
            });
        }
        let results: ArrayRef = match results.is_empty() {
            true => arrow::array::new_empty_array(&gives),
            false => ScalarValue::iter_to_array(results)?,
        };
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&results, 0)?),
            false => ColumnarValue::Array(results),
        })
    }
}
