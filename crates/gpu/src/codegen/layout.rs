//! Layout of tables and groups in a kernel's parameters: structs of 64-bit words, which the host
//! fills in the same order.

use std::fmt::Write;

use crate::ir::{Expr, Field, Into, Kind, Pipeline, Query, Source, Step};

/// Words of `Table` and of `Groups` in front of the columns.
pub(crate) const HEADER_WORDS: usize = 10;

/// Returns the structs of tables and groups in parameters.
pub(super) fn structs(query: &Query) -> String {
    let tables = (0..query.tables.len()).map(|number| table(query, number));
    let groups = (0..query.aggregates.len()).map(|number| groups(query, number));
    tables.chain(groups).collect()
}

/// Returns `T3`: a table's own words, then for each column its values and, if it can be null, its
/// valid flags.
fn table(query: &Query, number: usize) -> String {
    let fields = query.tables[number].fields.iter();
    structure(&format!("T{number}"), "Table t", fields)
}

/// Returns `A3`: the same for groups.
fn groups(query: &Query, number: usize) -> String {
    structure(&format!("A{number}"), "Groups g", query.aggregates[number].fields())
}

fn structure<'a>(name: &str, head: &str, fields: impl Iterator<Item = &'a Field>) -> String {
    let mut out = format!("struct {name} {{\n    {head};\n");
    for (column, field) in fields.enumerate() {
        let label = comment(&field.name);
        let _ = writeln!(out, "    {}* c{column};  // {label}", field.scalar.name());
        if field.nullable {
            let _ = writeln!(out, "    u8* n{column};");
        }
    }
    out.push_str("};\n\n");
    out
}

/// Returns a user's text for a line comment.
pub(super) fn comment(text: &str) -> String {
    let safe = |c: char| if c.is_control() || c == '\\' { ' ' } else { c };
    text.chars().map(safe).collect()
}

/// Returns the tables of a pipeline, ascending: the order of its parameters.
pub(crate) fn tables(query: &Query, pipeline: &Pipeline) -> Vec<usize> {
    let mut tables = Vec::new();
    if let Source::Table { table, .. } = pipeline.source {
        tables.push(table);
    }
    if let Into::Table(table) | Into::TableInOrder(table) = pipeline.into {
        tables.push(table);
    }
    let mut of_expr = |expr: &Expr| {
        expr.visit(&mut |e| {
            if let Kind::Subquery { table, .. } = e.kind {
                tables.push(table);
            }
        });
    };
    if let Into::Groups(groups) = pipeline.into {
        let aggregate = &query.aggregates[groups];
        aggregate.keys.iter().for_each(|(_, key)| of_expr(key));
        aggregate
            .states
            .iter()
            .flat_map(|state| state.value.iter().chain(&state.filter))
            .for_each(&mut of_expr);
    }
    let mut probed = Vec::new();
    for step in &pipeline.steps {
        match step {
            Step::Filter(expr) => of_expr(expr),
            Step::Project(columns) => columns.iter().for_each(|(_, expr)| of_expr(expr)),
            Step::Probe { table, keys, residual, .. } => {
                probed.push(*table);
                keys.iter().chain(residual).for_each(&mut of_expr);
            }
        }
    }
    tables.extend(probed);
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// Returns the aggregates of a pipeline, in the order of its parameters.
pub(crate) fn aggregates(query: &Query, pipeline: &Pipeline) -> Vec<usize> {
    let source = if let Source::Groups(groups) = pipeline.source { Some(groups) } else { None };
    let into = if let Into::Groups(groups) = pipeline.into { Some(groups) } else { None };
    let sets = into.into_iter().flat_map(|groups| query.aggregates[groups].sets());
    source.into_iter().chain(into).chain(sets).collect()
}
