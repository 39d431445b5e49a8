//! Tables of a session: rows in memory, removal, and sessions that share tables.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemTable, MemoryCatalogProvider, MemoryCatalogProviderList,
    MemorySchemaProvider, SchemaProvider, TableProvider,
};
use datafusion::common::TableReference;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::session::{Session, with_files};
use crate::error::{Error, Result};
use crate::floats::canonical_batch;

impl Session {
    /// Registers rows in memory as a table, in place of an earlier one of that name. The batches
    /// are shared, not copied, except for columns with a NaN of other bits than [`f64::NAN`], and
    /// keep their order.
    ///
    /// # Errors
    /// Two columns have one name, or a batch has other columns than the schema.
    pub fn register_batches(&self, name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<()> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = schema.fields().iter().find(|field| !seen.insert(field.name())) {
            let column = twice.name();
            return Err(Error::Table(format!(
                "{name}: it has two columns named {column}; SQL can't tell them apart"
            )));
        }
        let batches = batches.iter().map(canonical_batch).collect::<Result<_, _>>();
        let batches = batches.map_err(|error| Error::Table(format!("{name}: {error}")))?;
        let table = MemTable::try_new(schema, vec![batches])
            .map_err(|error| Error::Table(format!("{name}: {}", error.strip_backtrace())))?;
        self.put(name, Arc::new(table))
    }

    /// Registers a table in place of any earlier one of that name.
    pub(super) fn put(&self, name: &str, table: Arc<dyn TableProvider>) -> Result<()> {
        self.deregister(name)?;
        self.context.register_table(TableReference::bare(name), table)?;
        Ok(())
    }

    /// Removes a table. Returns whether there was one. Running queries keep it to their end.
    ///
    /// # Errors
    /// The session has no schema for tables: a fault of Pelton's.
    pub fn deregister(&self, name: &str) -> Result<bool> {
        Ok(self.context.deregister_table(TableReference::bare(name))?.is_some())
    }

    /// Returns the names that were registered, in order.
    pub fn tables(&self) -> Vec<String> {
        let mut names = self.schema().map(|schema| schema.table_names()).unwrap_or_default();
        names.sort();
        names
    }

    /// Returns a session with the same threads, memory and settings, and this one's present tables.
    /// Later registrations in one are invisible to the other.
    ///
    /// # Errors
    /// A table can't be looked up.
    pub async fn branch(&self) -> Result<Self> {
        let state = self.context.state();
        let names = &state.config().options().catalog;
        let (catalog_name, schema_name) = (names.default_catalog.clone(), names.default_schema.clone());
        let tables = MemorySchemaProvider::new();
        if let Some(schema) = self.schema() {
            for name in schema.table_names() {
                if let Some(table) = schema.table(&name).await? {
                    tables.register_table(name, table)?;
                }
            }
        }
        let catalog = MemoryCatalogProvider::new();
        catalog.register_schema(&schema_name, Arc::new(tables))?;
        let catalogs = MemoryCatalogProviderList::new();
        catalogs.register_catalog(catalog_name, Arc::new(catalog));
        let catalogs = with_files(Arc::new(catalogs), &self.scan);
        let state = SessionStateBuilder::new_from_existing(state).with_catalog_list(catalogs).build();
        let context = SessionContext::new_with_state(state);
        Ok(Self { context, scan: self.scan.clone(), accelerator: self.accelerator.clone() })
    }

    /// Returns the schema in which [`Session::register`] puts tables.
    fn schema(&self) -> Option<Arc<dyn SchemaProvider>> {
        let state = self.context.state();
        let names = &state.config().options().catalog;
        state.catalog_list().catalog(&names.default_catalog)?.schema(&names.default_schema)
    }
}

#[cfg(test)]
mod tests;
