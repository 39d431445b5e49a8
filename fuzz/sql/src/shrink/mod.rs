//! Makes a case smaller while it still differs.

mod query;
mod tables;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::case::{Case, Kind, Verdict, class};
use crate::engines::Engines;
use crate::generate::Generated;
use crate::tables::Table;

/// Shrinks a difference of a kind for some time: clauses, subexpressions, columns, rows, then the
/// options of files.
///
/// # Errors
/// As [`Case::ask`].
pub fn shrink(
    engines: &mut Engines,
    case: &Case,
    generated: &Generated,
    kind: Kind,
    time: Duration,
) -> io::Result<(Case, Generated)> {
    let mut shrinker = Shrinker {
        engines,
        case: case.clone(),
        generated: generated.clone(),
        kind,
        end: Instant::now() + time,
    };
    loop {
        // with few rows and columns each further question is quick
        let coarse = shrinker.tables(tables::coarsely_smaller)? | shrinker.named_columns()?;
        let queries = shrinker.queries()?;
        let fine = shrinker.named_columns()? | shrinker.tables(tables::smaller)?;
        if !coarse && !queries && !fine {
            return Ok((shrinker.case, shrinker.generated));
        }
    }
}

struct Shrinker<'a> {
    engines: &'a mut Engines,
    case: Case,
    generated: Generated,
    kind: Kind,
    end: Instant,
}

impl Shrinker<'_> {
    /// Returns whether the time to shrink is over.
    fn is_late(&self) -> bool {
        Instant::now() > self.end
    }

    /// Takes a smaller case if it differs in the same way.
    fn take(&mut self, tables: &Arc<Vec<Table>>, generated: &Generated) -> io::Result<bool> {
        let mut case = Case::new(tables, generated, &self.case.configuration, &self.case.reference);
        match case.ask(self.engines)? {
            // other rows stay other rows; an error stays the same error
            Verdict::Different(kind, what)
                if kind == self.kind
                    && (kind == Kind::Rows || class(&what) == class(&self.case.difference)) =>
            {
                case.difference = what;
                self.case = case;
                self.generated = generated.clone();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Shrinks the query until nothing more can be left out.
    fn queries(&mut self) -> io::Result<bool> {
        let mut any = false;
        'again: loop {
            for smaller in query::smaller(&self.generated.query) {
                if self.is_late() {
                    return Ok(any);
                }
                let generated = query::generated(smaller);
                let tables = Arc::clone(&self.case.tables);
                if self.take(&tables, &generated)? {
                    any = true;
                    continue 'again;
                }
            }
            return Ok(any);
        }
    }

    /// Leaves out the columns that the query does not name.
    fn named_columns(&mut self) -> io::Result<bool> {
        let (tables, generated) =
            (tables::named(&self.case.tables, &self.case.pelton), self.generated.clone());
        let columns = |tables: &[Table]| -> usize { tables.iter().map(|table| table.columns.len()).sum() };
        // tables with NaN in them are never equal
        let same = columns(&tables) == columns(&self.case.tables);
        if same || self.is_late() { Ok(false) } else { self.take(&Arc::new(tables), &generated) }
    }

    /// Shrinks the tables until nothing more can be left out.
    fn tables(&mut self, smaller: impl Fn(&[Table]) -> tables::Smaller<'_>) -> io::Result<bool> {
        let mut any = false;
        'again: loop {
            let tables = Arc::clone(&self.case.tables);
            for smaller in smaller(&tables) {
                if self.is_late() {
                    return Ok(any);
                }
                let generated = self.generated.clone();
                if self.take(&Arc::new(smaller), &generated)? {
                    any = true;
                    continue 'again;
                }
            }
            return Ok(any);
        }
    }
}
