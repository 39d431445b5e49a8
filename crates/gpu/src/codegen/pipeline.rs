//! Kernel of one pipeline.

use std::fmt::Write;
use std::rc::Rc;

use super::comparison;
use super::dictionary_filter::{self, dictionary_filters};
use super::emitter::{Emitter, Origin, Row, Value};
use super::expression::condition;
use super::groups::{self, Around};
use super::layout::{aggregates, comment, tables};
use super::probe::Probe;
use crate::ir::{Field, Into, Kind, Pipeline, Query, Scalar, Source, Step};

/// Returns the kernel `pipeline_N` and its parameters.
pub(super) fn pipeline(query: &Query, number: usize, pipeline: &Pipeline) -> String {
    let mut out = Emitter::default();
    let mut scopes = Vec::new();
    let mut row = begin(&mut out, query, &pipeline.source, &mut scopes);
    let filters = dictionary_filters(query, pipeline);
    for (index, step) in pipeline.steps.iter().enumerate() {
        row = match (step, filters.iter().find(|filter| filter.step == index)) {
            (Step::Filter(expr), Some(filter)) => {
                let holds = dictionary_filter::look_up(&mut out, *filter, expr, &row);
                scopes.push(out.open(format!("if ({holds}) {{")));
                row
            }
            _ => self::step(&mut out, query, step, &row, &mut scopes),
        };
    }
    let around = end(&mut out, query, pipeline, &row);
    for scope in scopes.into_iter().rev() {
        out.close(scope, "}");
    }
    let mut text = String::new();
    for filter in filters {
        text.push_str(&dictionary_filter::kernel(query, number, pipeline, filter));
    }
    text + &finish(query, number, pipeline, out, &around)
}

/// Emits the loop over the source's rows.
fn begin(out: &mut Emitter, query: &Query, source: &Source, scopes: &mut Vec<usize>) -> Row {
    let strided =
        "u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < p.rows; i += (u64)gridDim.x * blockDim.x";
    match source {
        Source::Scan(scan) => {
            scopes.push(out.open("for (u64 t = blockIdx.x; t < p.tile_count; t += gridDim.x) {"));
            out.line("const Tile tile = p.tiles[t];");
            out.line("if (threadIdx.x >= tile.rows) continue;");
            out.line("const u64 row = tile.first_row + threadIdx.x;");
            let fields = query.scans[*scan].fields.clone();
            let slots =
                fields.iter().enumerate().map(|(column, field)| out.slot(field, Origin::Cursor(column)));
            Rc::new(slots.collect())
        }
        Source::Table { table, marked, order, .. } => {
            let of = format!("p.t{table}");
            out.tables.insert(*table);
            scopes.push(out.open(format!("for ({strided}) {{")));
            match order {
                Some(_) => out.line("const u64 row = p.order[p.skip + i];"),
                None => out.line("const u64 row = p.skip + i;"),
            }
            match marked {
                Some(true) => scopes.push(out.open(format!("if (table_marked({of}.t, row)) {{"))),
                Some(false) => scopes.push(out.open(format!("if (!table_marked({of}.t, row)) {{"))),
                None => {}
            }
            Rc::new(out.cells(&of, &query.tables[*table].fields, "row", false))
        }
        Source::Groups(groups) => {
            scopes.push(out.open(format!("for ({strided}) {{")));
            out.line("const u64 row = p.skip + i;");
            let fields: Vec<Field> = query.aggregates[*groups].fields().cloned().collect();
            Rc::new(out.cells(&format!("p.a{groups}"), &fields, "row", false))
        }
    }
}

fn step(out: &mut Emitter, query: &Query, step: &Step, row: &Row, scopes: &mut Vec<usize>) -> Row {
    match step {
        Step::Filter(expr) => {
            let holds = condition(out, expr, row);
            scopes.push(out.open(format!("if ({holds}) {{")));
            row.clone()
        }
        Step::Project(columns) => {
            let slots = columns.iter().map(|(field, expr)| match expr.kind {
                Kind::Column(index) => row[index],
                _ => out.slot(field, Origin::Computed(Rc::new(expr.clone()), row.clone())),
            });
            Rc::new(slots.collect())
        }
        Step::Probe { table, keys, join, residual, marks } => {
            let residual = residual.as_ref();
            let probe = Probe { query, table: *table, keys, join: *join, residual, marks: *marks };
            probe.emit(out, row, scopes)
        }
    }
}

fn end(out: &mut Emitter, query: &Query, pipeline: &Pipeline, row: &Row) -> Around {
    match pipeline.into {
        Into::Groups(groups) => return groups::emit(out, query, groups, row),
        Into::Nowhere => {}
        Into::Table(table) | Into::TableInOrder(table) => {
            let of = format!("p.t{table}");
            out.tables.insert(table);
            let fields = &query.tables[table].fields;
            let pass = query.tables[table].keys.as_ref().map(|keys| {
                let keys: Vec<Value> = keys.iter().map(|&column| out.column(row[column])).collect();
                let hash = comparison::hash(out, &keys);
                out.open(format!("if (in_part({hash}, {of}.t.parts, {of}.t.part)) {{"))
            });
            let mut stores = Vec::new();
            for (column, field) in fields.iter().enumerate() {
                let value = out.column(row[column]);
                let text = match field.scalar {
                    // strings are counted before there is a row, so that the heap is large enough
                    // the next time
                    Scalar::Str => out.define(Scalar::Str, &format!("table_string({of}.t, {})", value.text)),
                    _ => value.text.clone(),
                };
                stores.push(format!("{of}.c{column}[o] = {text};"));
                if field.nullable {
                    stores.push(format!("{of}.n{column}[o] = !{};", value.is_null()));
                }
            }
            match pipeline.into {
                Into::TableInOrder(_) => {
                    out.line(format!("atomicAdd(&{of}.t.counters[0], 1ull);"));
                    out.line(format!("const u64 o = i < {of}.t.capacity ? i : NO_ROW;"));
                }
                _ => out.line(format!("const u64 o = table_append({of}.t);")),
            }
            let scope = out.open("if (o != NO_ROW) {");
            for store in stores {
                out.line(store);
            }
            out.close(scope, "}");
            if let Some(pass) = pass {
                out.close(pass, "}");
            }
        }
    }
    Around::default()
}

/// Returns the parameters' struct, the plan as comments, and the kernel.
fn finish(query: &Query, number: usize, pipeline: &Pipeline, out: Emitter, around: &Around) -> String {
    let mut text = format!("// pipeline {number}\n");
    for line in query.describe(pipeline) {
        let _ = writeln!(text, "//   {}", comment(&line));
    }
    let _ = writeln!(text, "struct P{number} {{\n    Status* status;");
    match &pipeline.source {
        Source::Scan(_) => {
            text.push_str("    const Tile* tiles;\n    u64 tile_count;\n    const Column* columns;\n")
        }
        Source::Table { order, .. } => {
            text.push_str("    u64 rows;\n    u64 skip;\n");
            if order.is_some() {
                text.push_str("    const u32* order;\n");
            }
        }
        Source::Groups(_) => text.push_str("    u64 rows;\n    u64 skip;\n"),
    }
    for filter in dictionary_filters(query, pipeline) {
        let _ = writeln!(text, "    const u32* verdicts{};", filter.step);
    }
    for table in tables(query, pipeline) {
        let _ = writeln!(text, "    T{table} t{table};");
    }
    for groups in aggregates(query, pipeline) {
        let _ = writeln!(text, "    A{groups} a{groups};");
    }
    let _ = writeln!(text, "}};\n\nPELTON_KERNEL(pipeline_{number}, P{number}, p) {{");
    for column in &out.cursors {
        let _ = writeln!(text, "    Cursor c{column}(p.columns + {column});");
    }
    for line in &around.before {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str(&out.into_text());
    for line in &around.after {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str("}\n\n");
    text
}
