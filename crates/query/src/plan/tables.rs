//! Tables of a session: rows in memory, removal, and sessions that share tables.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::{
    CatalogProviderList, MemTable, MemoryCatalogProvider, MemoryCatalogProviderList, TableProvider,
};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::catalog::Entry;
use super::session::Session;
use super::settings;
use crate::error::{Error, Result};
use crate::floats::canonical_batch;
use crate::functions;
use crate::scan::ScanContext;
use crate::stores::SecretsFunction;

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
        self.put(name, Arc::new(table));
        Ok(())
    }

    /// Registers a table in place of any earlier table or view of that name.
    pub(super) fn put(&self, name: &str, table: Arc<dyn TableProvider>) {
        self.catalog.put(name, Entry::Table(table));
    }

    /// Removes a table or view. Returns whether there was one. Running queries keep it to their
    /// end.
    ///
    /// # Errors
    /// None at present.
    pub fn deregister(&self, name: &str) -> Result<bool> {
        Ok(self.catalog.remove(name).is_some())
    }

    /// Returns the names of the tables and views, in order.
    pub fn tables(&self) -> Vec<String> {
        self.catalog.names()
    }

    /// Returns a session with the same threads and memory, and this one's present settings,
    /// secrets, tables, views and prepared statements. Later changes in one are invisible to the
    /// other.
    ///
    /// # Errors
    /// A fault of Pelton's.
    pub async fn branch(&self) -> Result<Self> {
        let catalogs: Arc<dyn CatalogProviderList> = Arc::new(MemoryCatalogProviderList::new());
        let state = self.context.state();
        let name = state.config().options().catalog.default_catalog.clone();
        catalogs.register_catalog(name, Arc::new(MemoryCatalogProvider::new()));
        let stores = Arc::new(self.scan.stores.branch());
        let settings = Arc::new(self.settings.branch(stores.clone()));
        // the catalog is there already
        let mut config = state.config().clone().with_create_default_catalog_and_schema(false);
        settings.configure(&mut config);
        let builder = SessionStateBuilder::new_from_existing(state.clone()).with_config(config);
        let built = functions::built(builder.with_catalog_list(catalogs), &state)?;
        let context = SessionContext::new_with_state(built);
        let scan = ScanContext { stores, ..self.scan.clone() };
        let catalog = Arc::new(self.catalog.branch(scan.clone()));
        catalog.install(&context)?;
        settings::register(&context, settings.clone());
        SecretsFunction::register(&context, scan.stores.clone());
        Ok(Self { context, catalog, scan, settings })
    }
}

#[cfg(test)]
mod tests;
