//! `pelton_scan`: Parquet files as a table.
//!
//! [`table::Table`] opens the files of a query; [`morsels::Scan`] is one run over them, planned
//! from a [`plan::Request`] that both of DuckDB's interfaces fill in; [`stream::Stream`] is one
//! thread's part of a run.

mod conditions;
mod file_scan;
mod footer_cache;
mod morsels;
mod plan;
mod pushdown;
mod range;
pub mod readers;
mod row_numbers;
mod stream;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::resources::{Resources, resources};
use crate::settings::Settings;
use crate::sys::{Bind, Chunk, Condition, Init, Parameter, ScanFunction, TableFunction, Type, Value};
use morsels::Scan;
use plan::Request;
use range::{Range, ranges};
use stream::Stream;
use table::Table;

pub use footer_cache::open_all;
pub use table::list;

/// `pelton_scan(files, device := ..., hive_partitioning := ..., ranges := ...)`.
pub struct PeltonScan;

/// A bound scan.
pub struct Bound {
    resources: Arc<Resources>,
    table: Arc<Table>,
    conditions: Vec<Range>,
    /// Further conditions of the query, as far as DuckDB offers them. DuckDB checks them itself.
    narrowed: Mutex<Vec<Range>>,
}

impl Bound {
    fn narrowed(&self) -> MutexGuard<'_, Vec<Range>> {
        self.narrowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TableFunction for PeltonScan {
    const NAME: &'static str = "pelton_scan";
    type Bound = Bound;
    type Running = Arc<Scan>;
    type Local = Stream;

    fn parameters() -> Vec<Parameter> {
        let named = |name, of| Parameter { name: Some(name), of };
        vec![
            // A VARCHAR, or a list of VARCHARs.
            Parameter { name: None, of: Type::Any },
            named("device", Type::Varchar),
            named("hive_partitioning", Type::Boolean),
            // A struct.
            named("ranges", Type::Any),
        ]
    }

    fn bind(bind: &dyn Bind) -> Result<Bound, String> {
        let names = names(Self::NAME, bind.argument(0))?;
        let device = bind.named("device").and_then(|device| device.as_text());
        let settings = Settings::of(bind, device)?;
        let resources = resources(&settings)?;
        let hive = bind.named("hive_partitioning").and_then(|hive| hive.as_boolean());
        let table = Table::open(&resources, &names, hive)?;
        for (column, _) in &table.columns {
            bind.add_column(&column.name, &column.of)?;
        }
        let conditions = bind.named("ranges").map(|argument| ranges(&argument, &table)).transpose()?;
        // With conditions the number is an upper bound.
        bind.set_rows(table.rows(), conditions.is_none());
        let conditions = conditions.unwrap_or_default();
        Ok(Bound { resources, table: Arc::new(table), conditions, narrowed: Mutex::default() })
    }

    fn start(bound: &Bound, init: &dyn Init) -> Result<Arc<Scan>, String> {
        let columns =
            init.columns().into_iter().map(|index| (index < bound.table.columns.len()).then_some(index));
        let conditions = [&bound.conditions[..], &bound.narrowed()].concat();
        let request = Request { columns: columns.collect(), conditions };
        let scan = Scan::new(bound.resources.clone(), bound.table.clone(), &request);
        init.set_threads(scan.threads());
        Ok(Arc::new(scan))
    }

    fn fill(_: &Bound, scan: &Arc<Scan>, stream: &mut Stream, chunk: &mut Chunk) -> Result<(), String> {
        Ok(stream.fill(scan, chunk)?)
    }
}

impl ScanFunction for PeltonScan {
    fn narrow(bound: &Bound, conditions: Vec<Condition>) {
        *bound.narrowed() = pushdown::ranges(&bound.table, &conditions);
    }

    fn progress(scan: &Arc<Scan>) -> f64 {
        scan.progress()
    }
}

/// Returns the files that an argument names: a string, or a list of strings.
pub fn names(function: &str, argument: Option<Value>) -> Result<Vec<String>, String> {
    let wanted = || format!("{function} takes a file's name, a pattern or a directory, or a list of these");
    let argument = argument.ok_or_else(wanted)?;
    let text = |value: &Value| value.is_text().then(|| value.as_text()).flatten().ok_or_else(wanted);
    let names = match argument.elements() {
        Some(elements) => elements.iter().map(text).collect::<Result<Vec<_>, _>>()?,
        None => vec![text(&argument)?],
    };
    if names.is_empty() {
        return Err(format!("{function} was given an empty list of files"));
    }
    Ok(names)
}
