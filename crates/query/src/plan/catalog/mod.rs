//! Catalog of a session: its tables, views and prepared statements.
//!
//! A statement sees one version of all names, from its first look-up to its last. Views are planned
//! when they are read, so that they see the tables of that time.

mod columns;
mod prepared;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::SessionState;
use datafusion::logical_expr::TableType;
use datafusion::prelude::SessionContext;
use futures::FutureExt;
use parking_lot::{Mutex, RwLock};

use super::file_tables::FileTables;
use crate::error::{Error, Result, wrap};
use crate::scan::ScanContext;
pub(in crate::plan) use columns::{numbered, refuse_equal_names};
pub use prepared::Prepared;
pub(in crate::plan) use view::View;

/// Depth limit of views that read views. Planning recurses once for each.
const MAX_VIEW_DEPTH: usize = 32;

/// A table or a view.
#[derive(Clone, Debug)]
pub(in crate::plan) enum Entry {
    Table(Arc<dyn TableProvider>),
    View(Arc<View>),
}

impl Entry {
    /// Returns the word for the entry's kind in statements.
    pub fn kind(&self) -> &'static str {
        match self {
            Entry::Table(_) => "TABLE",
            Entry::View(_) => "VIEW",
        }
    }
}

/// The action of CREATE for a name that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Existing {
    /// It is an error.
    Refuse,
    /// IF NOT EXISTS: the entry stays.
    Keep,
    /// OR REPLACE: the entry is replaced by one of the same kind.
    Replace,
}

type Entries = BTreeMap<String, Entry>;

/// Tables, views and prepared statements by name, and files by their places.
pub(in crate::plan) struct Catalog {
    files: FileTables,
    entries: RwLock<Arc<Entries>>,
    prepared: RwLock<BTreeMap<String, Arc<Prepared>>>,
    /// The session's state, which plans views.
    state: OnceLock<Weak<RwLock<SessionState>>>,
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog").field("entries", &self.entries).finish_non_exhaustive()
    }
}

tokio::task_local! {
    /// The names that the statement sees.
    static SNAPSHOT: Snapshot;
}

/// The names at one time.
#[derive(Clone)]
struct Snapshot {
    entries: Arc<Entries>,
    /// Views that were planned before, by name.
    planned: Arc<Mutex<HashMap<String, Arc<dyn TableProvider>>>>,
    /// The session's state when the first view was planned. Copies of it take longer than a view.
    state: Arc<Mutex<Option<Arc<SessionState>>>>,
    /// Views that are being planned, the outermost first.
    open: Vec<String>,
}

impl Catalog {
    /// Returns a catalog without names. Tables of files are read with these settings.
    pub fn new(scan: ScanContext) -> Self {
        Self {
            files: FileTables { context: scan },
            entries: RwLock::default(),
            prepared: RwLock::default(),
            state: OnceLock::new(),
        }
    }

    /// Makes this the catalog of a session's tables.
    ///
    /// # Errors
    /// The session has no catalog: a fault of Pelton's.
    pub fn install(self: &Arc<Self>, context: &SessionContext) -> Result<()> {
        let state = context.state();
        let names = &state.config().options().catalog;
        let catalog = state.catalog_list().catalog(&names.default_catalog);
        let catalog = catalog.ok_or_else(|| Error::Internal("the session has no catalog".to_owned()))?;
        catalog.register_schema(&names.default_schema, self.clone())?;
        // it is set once, since each session has a catalog of its own
        _ = self.state.set(context.state_weak_ref());
        Ok(())
    }

    /// Returns a catalog with the same names, for another session.
    pub fn branch(&self, scan: ScanContext) -> Self {
        Self {
            files: FileTables { context: scan },
            entries: RwLock::new(self.entries.read().clone()),
            prepared: RwLock::new(self.prepared.read().clone()),
            state: OnceLock::new(),
        }
    }

    /// Plans a statement that sees the names of now until it is planned.
    pub async fn at_one_time<F: Future>(&self, planning: F) -> F::Output {
        SNAPSHOT.scope(self.snapshot(), planning).await
    }

    fn snapshot(&self) -> Snapshot {
        let entries = self.entries.read().clone();
        SNAPSHOT.try_with(Clone::clone).unwrap_or(Snapshot {
            entries,
            planned: Arc::default(),
            state: Arc::default(),
            open: Vec::new(),
        })
    }

    /// Returns a table or view as the statement that is being planned sees it.
    pub fn get(&self, name: &str) -> Option<Entry> {
        self.snapshot().entries.get(name).cloned()
    }

    /// Returns a table or view of now.
    pub fn current(&self, name: &str) -> Option<Entry> {
        self.entries.read().get(name).cloned()
    }

    /// Returns the names of now, in order.
    pub fn names(&self) -> Vec<String> {
        self.entries.read().keys().cloned().collect()
    }

    /// Puts a table or view in place of one with its name. Returns the replaced one.
    pub fn put(&self, name: &str, entry: Entry) -> Option<Entry> {
        Arc::make_mut(&mut self.entries.write()).insert(name.to_owned(), entry)
    }

    /// Removes a table or view.
    pub fn remove(&self, name: &str) -> Option<Entry> {
        Arc::make_mut(&mut self.entries.write()).remove(name)
    }

    /// Returns whether CREATE has anything to do for a name.
    ///
    /// # Errors
    /// The name exists, and may not be replaced.
    pub fn takes(&self, name: &str, kind: &str, existing: Existing) -> Result<bool> {
        match self.current(name) {
            Some(entry) => takes(name, kind, &entry, existing),
            None => Ok(true),
        }
    }

    /// Creates a table or view.
    ///
    /// # Errors
    /// As [`Catalog::takes`].
    pub fn create(&self, name: &str, entry: Entry, existing: Existing) -> Result<()> {
        let mut entries = self.entries.write();
        let is_new = match entries.get(name) {
            Some(old) => takes(name, entry.kind(), old, existing)?,
            None => true,
        };
        if is_new {
            Arc::make_mut(&mut entries).insert(name.to_owned(), entry);
        }
        Ok(())
    }

    /// Replaces a table or view by one that is made of it.
    ///
    /// # Errors
    /// It is missing, or `change` fails; the old one stays then.
    pub fn change(&self, name: &str, change: impl FnOnce(&Entry) -> Result<Entry>) -> Result<()> {
        let mut entries = self.entries.write();
        let old = entries.get(name).ok_or_else(|| missing(name))?;
        let new = change(old)?;
        Arc::make_mut(&mut entries).insert(name.to_owned(), new);
        Ok(())
    }

    /// Gives a table or view another name.
    ///
    /// # Errors
    /// It is missing, or the name is taken.
    pub fn rename(&self, old: &str, new: &str) -> Result<()> {
        let mut entries = self.entries.write();
        let entry = entries.get(old).cloned().ok_or_else(|| missing(old))?;
        if entries.contains_key(new) {
            return Err(Error::Query(format!("{new} exists: choose another name, or drop it first")));
        }
        let entries = Arc::make_mut(&mut entries);
        entries.remove(old);
        entries.insert(new.to_owned(), entry);
        Ok(())
    }

    /// Returns a prepared statement.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        let prepared = self.prepared.read().get(name).cloned();
        prepared.ok_or_else(|| {
            Error::Query(format!("there is no prepared statement {name}: write PREPARE {name} AS ..."))
        })
    }

    /// Keeps a prepared statement, in place of an earlier one of its name.
    pub fn prepare(&self, name: &str, prepared: Arc<Prepared>) {
        self.prepared.write().insert(name.to_owned(), prepared);
    }

    /// Forgets a prepared statement, or all of them.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn deallocate(&self, name: Option<&str>) -> Result<()> {
        let mut prepared = self.prepared.write();
        let Some(name) = name else {
            prepared.clear();
            return Ok(());
        };
        let removed = prepared.remove(name);
        removed.map(drop).ok_or_else(|| Error::Query(format!("there is no prepared statement {name}")))
    }

    /// Returns the table of a view, planned once for each statement.
    ///
    /// # Errors
    /// The view can't be planned, or reads itself.
    pub async fn expand(&self, name: &str, view: &View) -> DataFusionResult<Arc<dyn TableProvider>> {
        let mut snapshot = self.snapshot();
        if snapshot.open.len() >= MAX_VIEW_DEPTH {
            return Err(wrap(Error::Query(format!(
                "view {name} is read through {MAX_VIEW_DEPTH} other views, which is the limit: write CREATE TABLE \
                 ... AS for one of them"
            ))));
        }
        let state = self.state_of(&snapshot)?;
        snapshot.open.push(name.to_owned());
        let planned = snapshot.planned.clone();
        let table = SNAPSHOT.scope(snapshot, with_stack(view.table(&state, name))).await?;
        planned.lock().insert(name.to_owned(), table.clone());
        Ok(table)
    }

    /// Returns the session's state for the views of a statement.
    fn state_of(&self, snapshot: &Snapshot) -> DataFusionResult<Arc<SessionState>> {
        let mut shared = snapshot.state.lock();
        if let Some(state) = &*shared {
            return Ok(state.clone());
        }
        let state = self.state.get().and_then(Weak::upgrade);
        let state = state.ok_or_else(|| DataFusionError::Internal("a view without a session".to_owned()))?;
        let state = Arc::new(state.read().clone());
        Ok(shared.insert(state).clone())
    }
}

/// Stack that is left when a view gets another one, and its bytes. Planning takes less than the
/// first for each view.
const RED_ZONE: usize = 256 << 10;
const STACK: usize = 2 << 20;

/// Runs a future that runs others inside of it, for each of which the stack would grow.
async fn with_stack<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    poll_fn(move |context| stacker::maybe_grow(RED_ZONE, STACK, || future.as_mut().poll(context))).await
}

fn takes(name: &str, kind: &str, entry: &Entry, existing: Existing) -> Result<bool> {
    match existing {
        Existing::Keep => Ok(false),
        Existing::Replace if entry.kind() == kind => Ok(true),
        Existing::Replace => {
            let other = entry.kind();
            Err(Error::Query(format!(
                "{name} is a {}, and can't be replaced by a {}: write DROP {other} {name} first",
                other.to_lowercase(),
                kind.to_lowercase()
            )))
        }
        Existing::Refuse => Err(Error::Query(format!(
            "{name} exists: write CREATE OR REPLACE {kind} to replace it, or IF NOT EXISTS to keep it"
        ))),
    }
}

/// Returns the error for a name that is neither a table nor a view.
pub(in crate::plan) fn missing(name: &str) -> Error {
    Error::Query(format!("there is no table or view {name}: SHOW TABLES lists those that exist"))
}

#[async_trait]
impl SchemaProvider for Catalog {
    fn table_names(&self) -> Vec<String> {
        self.snapshot().entries.keys().cloned().collect()
    }

    async fn table(&self, name: &str) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        let snapshot = self.snapshot();
        if snapshot.open.iter().any(|open| open == name) {
            return Err(wrap(Error::Query(format!(
                "the view {name} reads itself: name another table in it"
            ))));
        }
        match snapshot.entries.get(name) {
            // on the heap, so that the look-up of views takes less stack
            None => self.files.table(name).boxed().await,
            Some(Entry::Table(table)) => Ok(Some(table.clone())),
            Some(Entry::View(view)) => {
                let planned = snapshot.planned.lock().get(name).cloned();
                match planned {
                    Some(table) => Ok(Some(table)),
                    None => self.expand(name, view).await.map(Some),
                }
            }
        }
    }

    async fn table_type(&self, name: &str) -> DataFusionResult<Option<TableType>> {
        Ok(self.get(name).map(|entry| match entry {
            Entry::Table(table) => table.table_type(),
            Entry::View(_) => TableType::View,
        }))
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        self.create(&name, Entry::Table(table), Existing::Refuse).map_err(wrap)?;
        Ok(None)
    }

    fn deregister_table(&self, name: &str) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        Ok(match self.remove(name) {
            Some(Entry::Table(table)) => Some(table),
            Some(Entry::View(_)) | None => None,
        })
    }

    fn table_exist(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}
