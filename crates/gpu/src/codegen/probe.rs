//! Look-ups of rows in a table, for joins.

use std::rc::Rc;

use super::comparison;
use super::emitter::{Emitter, Origin, Row, Value};
use super::expression::{condition, value};
use crate::ir::{Expr, Field, Join, Query, Scalar};

/// A look-up of a row in a table.
pub(super) struct Probe<'a> {
    pub query: &'a Query,
    pub table: usize,
    pub keys: &'a [Expr],
    pub join: Join,
    pub residual: Option<&'a Expr>,
    pub marks: bool,
}

/// The rows of a chain, or all rows: the first, and the one after a row. Rows are counted from one;
/// zero ends.
struct Walk {
    first: String,
    next: Box<dyn Fn(&str) -> String>,
}

impl Probe<'_> {
    /// Emits the beginning of the next step; the blocks that it opens go to `scopes`. Returns the
    /// row from there on.
    pub(super) fn emit(&self, out: &mut Emitter, row: &Row, scopes: &mut Vec<usize>) -> Row {
        out.tables.insert(self.table);
        let of = format!("p.t{}", self.table);
        let keys: Vec<Value> = self.keys.iter().map(|key| value(out, key, row)).collect();
        let walk = self.walk(out, &of, &keys, scopes);
        let (cursor, matched) = (out.name("r"), out.name("m"));
        match self.join {
            Join::Inner => {
                let (first, next) = (&walk.first, (walk.next)(&cursor));
                scopes.push(
                    out.open(format!("for (u64 {cursor} = {first}; {cursor} != 0; {cursor} = {next}) {{")),
                );
                let cells = self.matches(out, row, &of, &keys, &cursor, &matched);
                if self.marks {
                    out.line(format!("table_mark({of}.t, {matched});"));
                }
                joined(row, &cells)
            }
            Join::Outer => {
                let again = out.name("again");
                let any = out.name("any");
                out.line(format!("u64 {cursor} = {};", walk.first));
                out.line(format!("bool {any} = false;"));
                scopes.push(out.open(format!("for (bool {again} = true; {again};) {{")));
                out.line(format!("u64 {matched} = NO_ROW;"));
                let search = out.open(format!("while ({cursor} != 0) {{"));
                let candidate = out.name("r");
                out.line(format!("const u64 {candidate} = {cursor};"));
                out.line(format!("{cursor} = {};", (walk.next)(&candidate)));
                let tried = out.name("m");
                self.matches(out, row, &of, &keys, &candidate, &tried);
                if self.marks {
                    out.line(format!("table_mark({of}.t, {tried});"));
                }
                out.line(format!("{matched} = {tried};"));
                out.line("break;");
                out.close(search, "}");
                let none = out.open(format!("if ({matched} == NO_ROW) {{"));
                out.line(format!("if ({any}) break;"));
                out.line(format!("{again} = false;"));
                out.close(none, "}");
                out.line(format!("{any} = true;"));
                let cells = out.cells(&of, &self.query.tables[self.table].fields, &matched, true);
                joined(row, &cells)
            }
            Join::Semi | Join::Anti | Join::Mark | Join::MarkTable => {
                let found = out.name("found");
                out.line(format!("bool {found} = false;"));
                let (first, next) = (&walk.first, (walk.next)(&cursor));
                let search =
                    out.open(format!("for (u64 {cursor} = {first}; {cursor} != 0; {cursor} = {next}) {{"));
                self.matches(out, row, &of, &keys, &cursor, &matched);
                out.line(format!("{found} = true;"));
                if self.marks {
                    out.line(format!("table_mark({of}.t, {matched});"));
                } else {
                    out.line("break;");
                }
                out.close(search, "}");
                match self.join {
                    Join::Mark => {
                        let value = Value { text: found, null: None, scalar: Scalar::Bool };
                        let field = Field {
                            name: "mark".to_owned(),
                            data_type: arrow::datatypes::DataType::Boolean,
                            scalar: Scalar::Bool,
                            nullable: false,
                        };
                        let mark = out.slot(&field, Origin::Ready(value));
                        joined(row, &[mark])
                    }
                    Join::Anti => {
                        scopes.push(out.open(format!("if (!{found}) {{")));
                        row.clone()
                    }
                    _ => {
                        scopes.push(out.open(format!("if ({found}) {{")));
                        row.clone()
                    }
                }
            }
        }
    }

    /// Returns the candidates. Without keys these are all rows of the table. With keys they are the
    /// rows of the hash's chain, or none if a key is null and nulls match nothing.
    fn walk(&self, out: &mut Emitter, of: &str, keys: &[Value], scopes: &mut Vec<usize>) -> Walk {
        if keys.is_empty() {
            let (rows, of) = (format!("table_rows({of}.t)"), of.to_owned());
            return Walk {
                first: format!("({rows} ? 1 : 0)"),
                next: Box::new(move |r| format!("({r} < table_rows({of}.t) ? {r} + 1 : 0)")),
            };
        }
        let hash = comparison::hash(out, keys);
        // rows of another pass match nothing in this one; their pass comes
        scopes.push(out.open(format!("if (in_part({hash}, {of}.t.parts, {of}.t.part)) {{")));
        let first = format!("table_first({of}.t, {hash})");
        let nulls: Vec<&str> = keys.iter().filter_map(|key| key.null.as_deref()).collect();
        let first = match self.query.tables[self.table].nulls_match || nulls.is_empty() {
            true => first,
            false => format!("({} ? 0 : {first})", nulls.join(" || ")),
        };
        let of = of.to_owned();
        Walk { first, next: Box::new(move |r| format!("{of}.t.next[{r} - 1]")) }
    }

    /// Emits the match with a candidate, which goes on to the next one on failure. Defines
    /// `matched`, its row, and returns the table's columns there.
    fn matches(
        &self,
        out: &mut Emitter,
        row: &Row,
        of: &str,
        keys: &[Value],
        cursor: &str,
        matched: &str,
    ) -> Vec<usize> {
        let table = &self.query.tables[self.table];
        out.line(format!("const u64 {matched} = {cursor} - 1;"));
        let columns: Vec<(usize, bool)> =
            table.keys.iter().flatten().map(|&column| (column, table.fields[column].nullable)).collect();
        if !keys.is_empty() {
            out.line(format!("if (!({})) continue;", comparison::equal(keys, of, &columns, matched)));
        }
        let cells = out.cells(of, &table.fields, matched, false);
        if let Some(residual) = self.residual {
            let holds = condition(out, residual, &joined(row, &cells));
            out.line(format!("if (!{holds}) continue;"));
        }
        cells
    }
}

fn joined(row: &Row, more: &[usize]) -> Row {
    Rc::new(row.iter().chain(more).copied().collect())
}
