//! Makes a case smaller while it still differs.

mod query;
mod tables;

use std::io;
use std::time::{Duration, Instant};

use crate::case::{Case, Kind, Verdict, class};
use crate::engines::Engines;
use crate::generate::Generated;
use crate::tables::Table;

/// Shrinks a difference of a kind for some time: clauses, subexpressions, columns, rows, then what files have of options.
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
    /// Takes a smaller case if it differs in the same way.
    fn take(&mut self, tables: &[Table], generated: &Generated) -> io::Result<bool> {
        if Instant::now() > self.end {
            return Ok(false);
        }
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
                let generated = query::generated(smaller);
                let tables = self.case.tables.clone();
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
        if tables == self.case.tables { Ok(false) } else { self.take(&tables, &generated) }
    }

    /// Shrinks the tables until nothing more can be left out.
    fn tables(&mut self, smaller: impl Fn(&[Table]) -> Vec<Vec<Table>>) -> io::Result<bool> {
        let mut any = false;
        'again: loop {
            for smaller in smaller(&self.case.tables) {
                let generated = self.generated.clone();
                if self.take(&smaller, &generated)? {
                    any = true;
                    continue 'again;
                }
            }
            return Ok(any);
        }
    }
}
