//! Arrow types of SQL's type names.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, Result as DataFusionResult, TableReference, plan_err};
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::logical_expr::{
    AggregateUDF, ExprSchemable, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::sql::planner::{ContextProvider, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast::{CastKind, Expr, Value};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;

use crate::error::{Error, Result};
use crate::plan::sql::TimeTypes;

/// Returns the type that a name such as `INTEGER`, `DECIMAL(9, 2)` or `VARCHAR[]` has in a CAST.
///
/// # Errors
/// There is no such type.
pub(super) fn arrow_type(name: &str) -> Result<DataType> {
    let unknown =
        || Error::Query(format!("{name} is no type: write one as in a CAST, such as BIGINT or VARCHAR"));
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(name).map_err(|_| unknown())?;
    let parsed = parser.parse_data_type().map_err(|_| unknown())?;
    if parser.peek_token().token != Token::EOF {
        return Err(unknown());
    }
    let types = Types::default();
    let (no_columns, mut context) = (DFSchema::empty(), PlannerContext::new());
    let null = Box::new(Expr::value(Value::Null));
    let kind = CastKind::Cast;
    let cast = Expr::Cast { kind, expr: null, data_type: parsed, array: false, format: None };
    let planned = SqlToRel::new(&types).sql_to_expr(cast, &no_columns, &mut context);
    planned.and_then(|cast| cast.get_type(&no_columns)).map_err(|_| unknown())
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
