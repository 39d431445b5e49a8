//! Coercion of times of day in different units, and of bytes in different layouts, in functions
//! with arguments of one type.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};

/// Functions for which DataFusion refuses such values in planning, before any rule runs.
const FUNCTIONS: [&str; 10] = [
    "coalesce",
    "nullif",
    "greatest",
    "least",
    "array_has",
    "array_position",
    "array_positions",
    "array_append",
    "array_prepend",
    "array_remove",
];

/// Replaces DataFusion's functions by ones that accept values of different units and layouts.
///
/// DataFusion's own `nvl` and `ifnull` turn everything except numbers, text and booleans into text.
pub(super) fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for name in FUNCTIONS {
        let alike =
            Alike { inner: registry.udf(name)?, signature: Signature::user_defined(Volatility::Immutable) };
        let alike = ScalarUDF::from(alike);
        registry.register_udf(Arc::new(match name {
            "coalesce" => alike.with_aliases(["nvl", "ifnull"]),
            _ => alike,
        }))?;
    }
    Ok(())
}

/// Returns the finest of some types of times of day, if they differ.
pub(crate) fn common_time<'a>(types: impl Iterator<Item = &'a DataType> + Clone) -> Option<DataType> {
    let mut times = types.filter_map(|found| time_unit(found).map(|unit| (unit, found)));
    let finest = times.clone().max_by_key(|(unit, _)| *unit)?.1;
    times.any(|(_, found)| found != finest).then(|| finest.clone())
}

/// Returns how many parts a second has in the unit of a time of day; `None` for another type.
pub(crate) fn time_unit(found: &DataType) -> Option<i64> {
    match found {
        DataType::Time32(unit) | DataType::Time64(unit) => Some(match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        }),
        _ => None,
    }
}

/// Returns the element type of a list, or any other type itself.
fn element(found: &DataType) -> &DataType {
    match found {
        DataType::List(field) | DataType::LargeList(field) => field.data_type(),
        other => other,
    }
}

/// Returns the layout that views of bytes have, if some of the types are bytes of different ones.
pub(crate) fn common_bytes<'a>(types: impl Iterator<Item = &'a DataType>) -> Option<DataType> {
    let mut bytes = types.filter(|found| is_bytes(found));
    let first = bytes.next()?;
    bytes.any(|found| found != first).then_some(DataType::BinaryView)
}

/// Returns whether a type is one of bytes.
pub(crate) fn is_bytes(found: &DataType) -> bool {
    matches!(
        found,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
    )
}

/// Returns a type with its times or bytes replaced by the unit or layout of another type.
fn with_common(found: &DataType, common: &DataType) -> DataType {
    let is_alike = |found: &DataType| match time_unit(common) {
        Some(_) => time_unit(found).is_some(),
        None => is_bytes(found),
    };
    let of = |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(common.clone()));
    match found {
        DataType::List(field) if is_alike(field.data_type()) => DataType::List(of(field)),
        DataType::LargeList(field) if is_alike(field.data_type()) => DataType::LargeList(of(field)),
        other if is_alike(other) => common.clone(),
        other => other.clone(),
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Alike {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

impl ScalarUDFImpl for Alike {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let elements = types.iter().map(element);
        let common = common_time(elements.clone()).or_else(|| common_bytes(elements));
        let fields = types.iter().map(|found| {
            let found = common.as_ref().map_or_else(|| found.clone(), |common| with_common(found, common));
            Arc::new(Field::new("value", found, true))
        });
        let fields = fields_with_udf(&fields.collect::<Vec<_>>(), self.inner.as_ref())?;
        Ok(fields.iter().map(|field| field.data_type().clone()).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.inner.inner().is_strict()
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    fn short_circuits(&self) -> bool {
        self.inner.short_circuits()
    }

    fn conditional_arguments<'a>(&self, args: &'a [Expr]) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        self.inner.conditional_arguments(args)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.inner.invoke_with_args(args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}
