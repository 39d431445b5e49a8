//! `pelton_settings()`: a table of all settings with their values.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::catalog::{MemTable, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::Result as DataFusionResult;
use datafusion::prelude::SessionContext;
use pelton_settings::{Definition, SETTINGS};

use super::SessionSettings;
use crate::error::{Error, wrap};

/// Name of the table function.
const NAME: &str = "pelton_settings";

/// Registers the function for a session's settings.
pub(in crate::plan) fn register(context: &SessionContext, settings: Arc<SessionSettings>) {
    context.register_udtf(NAME, Arc::new(Listing { settings }));
}

#[derive(Debug)]
struct Listing {
    settings: Arc<SessionSettings>,
}

impl TableFunctionImpl for Listing {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> DataFusionResult<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return Err(wrap(Error::Query(format!("{NAME}() takes no arguments"))));
        }
        let values = self.settings.values();
        let column = |cell: &dyn Fn(&Definition) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(SETTINGS.iter().map(|definition| cell(definition))))
        };
        let rows = RecordBatch::try_from_iter([
            ("name", column(&|definition| definition.name.to_owned())),
            ("value", column(&|definition| values.shown(definition))),
            ("type", column(&|definition| definition.kind.name().to_owned())),
            ("default", column(&|definition| definition.default.to_owned())),
            ("description", column(&|definition| definition.description.to_owned())),
        ])?;
        Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
    }
}
