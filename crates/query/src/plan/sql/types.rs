//! Arrow types of SQL's type names, and those of DuckDB's that DataFusion lacks.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, Result as DataFusionResult, TableReference, plan_err};
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::logical_expr::{
    AggregateUDF, ExprSchemable, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::sql::planner::{ContextProvider, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast::{CastKind, DataType as SqlType, Expr, TimezoneInfo, Value};

use super::parse::parse_type;
use crate::error::{Error, Result, wrap};

/// The zone of TIMESTAMPTZ.
pub(in crate::plan) const ZONE: &str = "UTC";

/// Plans TIMESTAMP, TIMESTAMPTZ and TIME in microseconds, the usual unit in files, and the types of
/// DuckDB's that DataFusion lacks. DataFusion's times are in nanoseconds, with a range of a few
/// centuries.
#[derive(Debug)]
pub(in crate::plan) struct TimeTypes;

impl TypePlanner for TimeTypes {
    fn plan_type_field(&self, sql_type: &SqlType) -> DataFusionResult<Option<FieldRef>> {
        let found = match sql_type {
            SqlType::Timestamp(None, zone) => DataType::Timestamp(TimeUnit::Microsecond, zone_of(*zone)),
            SqlType::Datetime(None) => DataType::Timestamp(TimeUnit::Microsecond, None),
            SqlType::Time(digits, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => match digits {
                None | Some(6) => DataType::Time64(TimeUnit::Microsecond),
                Some(9) => DataType::Time64(TimeUnit::Nanosecond),
                Some(3) => DataType::Time32(TimeUnit::Millisecond),
                Some(0) => DataType::Time32(TimeUnit::Second),
                Some(_) => return Ok(None),
            },
            other => match of_duckdb(other)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        Ok(Some(Arc::new(Field::new("", found, true))))
    }
}

fn zone_of(zone: TimezoneInfo) -> Option<Arc<str>> {
    matches!(zone, TimezoneInfo::Tz | TimezoneInfo::WithTimeZone).then(|| ZONE.into())
}

/// Returns the type that a name such as `INTEGER`, `DECIMAL(9, 2)` or `VARCHAR[]` has in a CAST.
///
/// # Errors
/// There is no such type.
pub(in crate::plan) fn arrow_type(name: &str) -> Result<DataType> {
    let unknown =
        || Error::Query(format!("{name} is no type: write one as in a CAST, such as BIGINT or VARCHAR"));
    planned(&parse_type(name).ok_or_else(unknown)?).map_err(|_| unknown())
}

/// Returns the type that a cast to a type of SQL has.
fn planned(data_type: &SqlType) -> DataFusionResult<DataType> {
    let types = Types::default();
    let (no_columns, mut context) = (DFSchema::empty(), PlannerContext::new());
    let null = Box::new(Expr::value(Value::Null));
    let (kind, data_type) = (CastKind::Cast, data_type.clone());
    let cast = Expr::Cast { kind, expr: null, data_type, array: false, format: None };
    let planned = SqlToRel::new(&types).sql_to_expr(cast, &no_columns, &mut context)?;
    planned.get_type(&no_columns)
}

/// Returns the Arrow type of one of DuckDB's types that DataFusion's planner lacks; `None` for
/// others.
///
/// # Errors
/// No column has the type; the message says which to write in its place.
fn of_duckdb(sql_type: &SqlType) -> DataFusionResult<Option<DataType>> {
    let instead = match sql_type {
        SqlType::Blob(_) | SqlType::Binary(_) | SqlType::Varbinary(_) => return Ok(Some(DataType::Binary)),
        SqlType::Signed | SqlType::SignedInteger => return Ok(Some(DataType::Int32)),
        SqlType::UTinyInt => return Ok(Some(DataType::UInt8)),
        SqlType::USmallInt => return Ok(Some(DataType::UInt16)),
        SqlType::UBigInt => return Ok(Some(DataType::UInt64)),
        SqlType::Map(key, value) => {
            let key = Field::new("key", planned(key)?, false);
            let value = Field::new("value", planned(value)?, true);
            let entries = DataType::Struct(vec![key, value].into());
            return Ok(Some(DataType::Map(Arc::new(Field::new("entries", entries, false)), false)));
        }
        SqlType::HugeInt | SqlType::UHugeInt => "DECIMAL(38, 0)",
        // uuid() gives text
        SqlType::Enum(..) | SqlType::Uuid | SqlType::JSON | SqlType::JSONB => "VARCHAR",
        SqlType::Bit(_) | SqlType::BitVarying(_) | SqlType::VarBit(_) => "VARCHAR, as bin(x) gives",
        SqlType::Union(_) => "a STRUCT with a field for each of its types",
        SqlType::Time(_, TimezoneInfo::Tz | TimezoneInfo::WithTimeZone) => "TIME",
        SqlType::Custom(name, modifiers) => {
            let name = name.to_string().to_lowercase();
            match name.as_str() {
                "bignum" | "varint" => "DECIMAL(38, 0)",
                "variant" => "VARCHAR",
                _ if modifiers.is_empty() => return Ok(named(&name)),
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    Err(wrap(Error::Query(format!("the type {sql_type} is not supported: write {instead}"))))
}

/// Returns the type that DuckDB has a name for, and the parser none.
fn named(name: &str) -> Option<DataType> {
    Some(match name {
        "utinyint" => DataType::UInt8,
        "usmallint" => DataType::UInt16,
        "uinteger" => DataType::UInt32,
        "ubigint" => DataType::UInt64,
        "int1" => DataType::Int8,
        "short" => DataType::Int16,
        "long" => DataType::Int64,
        "logical" => DataType::Boolean,
        "bpchar" => DataType::Utf8View,
        "timestamp_s" => DataType::Timestamp(TimeUnit::Second, None),
        "timestamp_ms" => DataType::Timestamp(TimeUnit::Millisecond, None),
        "timestamp_us" => DataType::Timestamp(TimeUnit::Microsecond, None),
        "timestamp_ns" => DataType::Timestamp(TimeUnit::Nanosecond, None),
        _ => return None,
    })
}

/// A context that knows types alone.
#[derive(Default)]
struct Types {
    options: ConfigOptions,
}

impl ContextProvider for Types {
    fn get_table_source(&self, name: TableReference) -> DataFusionResult<Arc<dyn TableSource>> {
        plan_err!("{name} in the name of a type")
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        Some(Arc::new(TimeTypes))
    }

    fn get_function_meta(&self, _: &str) -> Option<Arc<ScalarUDF>> {
        None
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, _: &str) -> Option<Arc<AggregateUDF>> {
        None
    }

    fn get_window_meta(&self, _: &str) -> Option<Arc<WindowUDF>> {
        None
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.options
    }

    fn udf_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udwf_names(&self) -> Vec<String> {
        Vec::new()
    }
}
