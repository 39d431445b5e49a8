//! Functions that take a list or a text: `length`, `concat`, `contains`.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A function's name and aliases, and the functions of lists and of texts behind it.
const FUNCTIONS: [(&str, &[&str], &str, &str); 4] = [
    ("character_length", &["length", "char_length", "len"], "array_length", "character_length"),
    ("concat", &[], "array_concat", "concat"),
    ("contains", &[], "array_has", "contains"),
    ("reverse", &[], "array_reverse", "reverse"),
];

/// Registers the functions.
///
/// # Errors
/// The registry takes no functions.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for (name, aliases, list, text) in FUNCTIONS {
        let (Ok(list), Ok(text)) = (registry.udf(list), registry.udf(text)) else { continue };
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = ScalarUDF::from(Either { name, list, text, signature });
        registry.register_udf(Arc::new(function.with_aliases(aliases.iter().copied())))?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Either {
    name: &'static str,
    list: Arc<ScalarUDF>,
    text: Arc<ScalarUDF>,
    signature: Signature,
}

impl Hash for Either {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Either {
    /// Returns the function for arguments of some types.
    fn chosen<'a>(&self, mut types: impl Iterator<Item = &'a DataType>) -> &Arc<ScalarUDF> {
        let is_list = |found: &DataType| {
            matches!(found, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
        };
        if types.any(is_list) { &self.list } else { &self.text }
    }
}

impl ScalarUDFImpl for Either {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let fields: Vec<FieldRef> = types
            .iter()
            .map(|found| Arc::new(Field::new("value", found.clone(), true)) as FieldRef)
            .collect();
        let fields = fields_with_udf(&fields, self.chosen(types.iter()).as_ref())?;
        Ok(fields.iter().map(|field| field.data_type().clone()).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.chosen(types.iter()).return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.chosen(args.arg_fields.iter().map(|field| field.data_type())).return_field_from_args(args)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let types: Vec<DataType> = args.args.iter().map(ColumnarValue::data_type).collect();
        self.chosen(types.iter()).invoke_with_args(args)
    }
}
