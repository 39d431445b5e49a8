//! Small tables about Pelton itself: `pelton_devices()`, `pelton_stats()`, `pelton_codecs(file)`
//! and `pelton_interface()`.

mod codecs;
mod status;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::sys::{Bind, Chunk, Connection, Init, Parameter, TableFunction, Type, VECTOR_ROWS, register};
use crate::vector;

/// Value of one column in a row.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Text(String),
    Count(u64),
    Number(f64),
    Flag(bool),
    Null,
}

/// A table that is computed completely when it is bound.
trait StatusTable: 'static {
    const NAME: &'static str;
    const COLUMNS: &'static [(&'static str, Type)];

    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Returns all rows, with a cell for each column.
    fn rows(bind: &dyn Bind) -> Result<Vec<Vec<Cell>>, String>;
}

/// A listing as a table function.
struct StatusFunction<L>(std::marker::PhantomData<L>);

/// Progress of handing the rows out.
struct Running {
    columns: Vec<Option<usize>>,
    given: AtomicUsize,
}

impl<L: StatusTable> TableFunction for StatusFunction<L> {
    const NAME: &'static str = L::NAME;
    type Bound = Vec<Vec<Cell>>;
    type Running = Running;
    type Local = ();

    fn parameters() -> Vec<Parameter> {
        L::parameters()
    }

    fn bind(bind: &dyn Bind) -> Result<Self::Bound, String> {
        let rows = L::rows(bind)?;
        L::COLUMNS.iter().try_for_each(|(name, of)| bind.add_column(name, of))?;
        bind.set_rows(rows.len() as u64, true);
        Ok(rows)
    }

    fn start(_: &Self::Bound, init: &dyn Init) -> Result<Running, String> {
        let columns = init.columns().into_iter().map(|index| (index < L::COLUMNS.len()).then_some(index));
        Ok(Running { columns: columns.collect(), given: AtomicUsize::new(0) })
    }

    fn fill(bound: &Self::Bound, running: &Running, (): &mut (), chunk: &mut Chunk) -> Result<(), String> {
        let from = running.given.fetch_add(VECTOR_ROWS, Relaxed).min(bound.len());
        let rows = &bound[from..bound.len().min(from + VECTOR_ROWS)];
        for (to, column) in running.columns.iter().enumerate() {
            let Some(column) = *column else { continue };
            let mut vector = chunk.column(to, &L::COLUMNS[column].1);
            for (row, cells) in rows.iter().enumerate() {
                match &cells[column] {
                    Cell::Text(text) => vector::put(&mut vector, row, text.as_bytes()),
                    Cell::Count(count) => vector.values::<u64>(row + 1)[row] = *count,
                    Cell::Number(number) => vector.values::<f64>(row + 1)[row] = *number,
                    Cell::Flag(flag) => vector.values::<u8>(row + 1)[row] = u8::from(*flag),
                    Cell::Null => vector.validity(row + 1)[row / 64] &= !(1 << (row % 64)),
                }
            }
        }
        chunk.set_rows(rows.len());
        Ok(())
    }
}

/// Adds the tables to DuckDB.
///
/// # Errors
/// DuckDB rejects one of them.
pub fn register_all(connection: &Connection) -> Result<(), String> {
    register::<StatusFunction<status::Devices>>(connection)?;
    register::<StatusFunction<status::Stats>>(connection)?;
    register::<StatusFunction<status::InterfaceTable>>(connection)?;
    register::<StatusFunction<codecs::Codecs>>(connection)
}
