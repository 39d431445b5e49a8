//! `range` and `generate_series` in FROM.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::catalog::{TableFunction, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::prelude::SessionContext;

use crate::error::{Error, wrap};

/// Registers functions for timestamps of every unit in place of DataFusion's, which accept
/// nanoseconds.
pub fn register(context: &SessionContext) {
    for name in ["range", "generate_series"] {
        let inner = context.state().table_functions().get(name).cloned();
        if let Some(inner) = inner {
            context.register_udtf(name, Arc::new(Series { inner }));
        }
    }
}

#[derive(Debug)]
struct Series {
    inner: Arc<TableFunction>,
}

impl TableFunctionImpl for Series {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let is_timestamp = |expr: &Expr| match expr {
            Expr::Literal(value, _) => matches!(value.data_type(), DataType::Timestamp(..)),
            _ => false,
        };
        let has_timestamp = args.exprs().iter().any(is_timestamp);
        let exprs = args.exprs().iter().map(|expr| match expr {
            Expr::Literal(value, metadata) if has_timestamp => {
                Ok(Expr::Literal(self.in_nanoseconds(value)?, metadata.clone()))
            }
            other => Ok(other.clone()),
        });
        let exprs = exprs.collect::<Result<Vec<Expr>>>()?;
        self.inner.create_table_provider_with_args(TableFunctionArgs::new(&exprs, args.session()))
    }
}

impl Series {
    /// Returns a timestamp or date as a timestamp of nanoseconds, and other values unchanged.
    fn in_nanoseconds(&self, value: &ScalarValue) -> Result<ScalarValue> {
        let zone = match value.data_type() {
            DataType::Timestamp(_, zone) => zone,
            DataType::Date32 => None,
            _ => return Ok(value.clone()),
        };
        let converted = value.cast_to(&DataType::Timestamp(TimeUnit::Nanosecond, zone));
        converted.map_err(|_| {
            let name = self.inner.name();
            wrap(Error::Query(format!("{name} takes timestamps of the years 1678 to 2261: {value} is none")))
        })
    }
}
