//! Function that gives the fields of structs other names, by their positions. A cast goes by names.

use arrow::array::{Array, ArrayData, make_array};
use arrow::datatypes::DataType;
use datafusion::common::utils::take_function_args;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Gives a value a type that differs in the names of fields only.
pub(super) fn with_field_names(value: Expr, to: &DataType) -> Expr {
    let signature = Signature::any(1, Volatility::Immutable);
    ScalarUDF::from(FieldNames { to: to.clone(), signature }).call(vec![value])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct FieldNames {
    to: DataType,
    signature: Signature,
}

impl ScalarUDFImpl for FieldNames {
    fn name(&self) -> &str {
        "field_names"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value] = take_function_args(self.name(), args.args)?;
        let named = |array: &dyn Array| -> Result<_> { Ok(make_array(named(array.to_data(), &self.to)?)) };
        match value {
            ColumnarValue::Array(array) => Ok(ColumnarValue::Array(named(&array)?)),
            ColumnarValue::Scalar(value) => {
                let array = named(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
        }
    }
}

fn named(data: ArrayData, to: &DataType) -> Result<ArrayData> {
    if data.data_type() == to {
        return Ok(data);
    }
    let types: Vec<&DataType> = match to {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type()],
        other => return plan_err!("{} can't get the names of {other}", data.data_type()),
    };
    let children = data.child_data().iter().cloned().zip(types);
    let children = children.map(|(child, to)| named(child, to)).collect::<Result<Vec<_>>>()?;
    Ok(data.into_builder().data_type(to.clone()).child_data(children).build()?)
}
