//! Kernels for spilled rows: a source of its own, which few queries need, so that the others don't
//! wait for its compilation.

use std::fmt::Write;

use pelton_device_cuda::MAX_PARAMS;

use super::emitter::{Emitter, Value};
use super::{comparison, groups, layout};
use crate::ir::{Aggregate, Expr, Field, Kind, Query, Reduction, Scalar, State};

/// Returns whether a table's rows can be spilled: it is only looked up by its keys.
pub(crate) fn can_spill_table(query: &Query, number: usize) -> bool {
    let table = &query.tables[number];
    table.keys.is_some() && !table.marks && fits(table.fields.iter())
}

/// Returns whether an aggregate's groups can be spilled, and merged later. Groups with `DISTINCT`
/// values can't, as two parts of a group may have counted the same value.
pub(crate) fn can_spill_groups(query: &Query, number: usize) -> bool {
    let aggregate = &query.aggregates[number];
    !aggregate.keys.is_empty() && aggregate.sets().next().is_none() && fits(aggregate.fields())
}

/// Returns whether the columns fit twice in a kernel's parameters, as source and target.
fn fits<'a>(fields: impl Iterator<Item = &'a Field>) -> bool {
    let columns: usize = fields.map(|field| 1 + usize::from(field.nullable)).sum();
    let words = OWN_WORDS + 2 * (layout::HEADER_WORDS + columns);
    words * size_of::<u64>() <= MAX_PARAMS
}

/// Parameters of `deal` in front of tables or groups.
const OWN_WORDS: usize = 3;

/// Returns the kernels for the tables and groups of a query that can be spilled.
pub(super) fn kernels(query: &Query) -> String {
    let mut out = "PELTON_KERNEL(spill_rebase, SpillRebase, p) { spill_addresses(p); }\n\n".to_owned();
    for number in (0..query.tables.len()).filter(|&number| can_spill_table(query, number)) {
        let table = &query.tables[number];
        let keys: Vec<usize> = table.keys.iter().flatten().copied().collect();
        out.push_str(&deal(&format!("table_{number}"), &format!("T{number}"), &table.fields, &keys));
    }
    for number in (0..query.aggregates.len()).filter(|&number| can_spill_groups(query, number)) {
        let aggregate = &query.aggregates[number];
        let fields: Vec<Field> = aggregate.fields().cloned().collect();
        let keys: Vec<usize> = (0..aggregate.keys.len()).collect();
        out.push_str(&deal(&format!("groups_{number}"), &format!("A{number}"), &fields, &keys));
        out.push_str(&unite(query, number, &fields));
    }
    out
}

/// Returns `count_…`, which counts the rows of each part, and `deal_…`, which moves them to their
/// parts.
fn deal(of: &str, structure: &str, fields: &[Field], keys: &[usize]) -> String {
    let mut text = format!(
        "struct D_{of} {{\n    u64 rows;\n    u64* counters;\n    u8* strings;\n    {structure} from;\n    {structure} to;\n}};\n\n"
    );
    for (kernel, moves) in [("count", false), ("deal", true)] {
        let mut out = Emitter::default();
        out.line("__shared__ SpillTile tile;");
        let tiles = out.open(
            "for (u64 first = (u64)blockIdx.x * blockDim.x; first < p.rows; first += (u64)gridDim.x * blockDim.x) {",
        );
        out.line("const u64 i = first + threadIdx.x;");
        out.line("u32 place = SPILL_PARTS;");
        out.line("u64 bytes = 0;");
        let row = out.open("if (i < p.rows) {");
        let cells = out.cells("p.from", fields, "i", false);
        let keys: Vec<Value> = keys.iter().map(|&column| out.column(cells[column])).collect();
        let hash = comparison::hash(&mut out, &keys);
        out.line(format!("place = spill_place({hash});"));
        for (column, _) in strings(fields) {
            out.line(format!("bytes += p.from.c{column}[i].length;"));
        }
        out.close(row, "}");
        match moves {
            false => out.line("spill_take(tile, place, bytes, p.counters);"),
            true => {
                out.line("SpillRow to = spill_take(tile, place, bytes, p.counters);");
                let row = out.open("if (i < p.rows) {");
                for (column, field) in fields.iter().enumerate() {
                    let value = format!("p.from.c{column}[i]");
                    let value = match field.scalar {
                        Scalar::Str => format!("spill_string(p.strings, to.byte, {value})"),
                        _ => value,
                    };
                    out.line(format!("p.to.c{column}[to.row] = {value};"));
                    if field.nullable {
                        out.line(format!("p.to.n{column}[to.row] = p.from.n{column}[i];"));
                    }
                }
                out.close(row, "}");
            }
        }
        out.close(tiles, "}");
        let _ = write!(text, "PELTON_KERNEL({kernel}_{of}, D_{of}, p) {{\n{}}}\n\n", out.into_text());
    }
    text
}

/// Returns `unite_groups_N`, which merges groups with the same keys.
fn unite(query: &Query, number: usize, fields: &[Field]) -> String {
    let united = united(&query.aggregates[number]);
    let mut out = Emitter::default();
    let rows = out.open(
        "for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < p.rows; i += (u64)gridDim.x * blockDim.x) {",
    );
    let row = std::rc::Rc::new(out.cells("p.from", fields, "i", false));
    groups::into(&mut out, query, &united, "p.to", &row, false);
    out.close(rows, "}");
    format!(
        "struct U{number} {{\n    u64 rows;\n    A{number} from;\n    A{number} to;\n}};\n\n\
         PELTON_KERNEL(unite_groups_{number}, U{number}, p) {{\n{}}}\n\n",
        out.into_text()
    )
}

/// Returns the aggregate that merges groups: keys are keys, and counts are added up.
fn united(aggregate: &Aggregate) -> Aggregate {
    let column = |index: usize, field: &Field| Expr {
        kind: Kind::Column(index),
        data_type: field.data_type.clone(),
        scalar: field.scalar,
        nullable: field.nullable,
    };
    let keys = aggregate.keys.iter().enumerate();
    let keys = keys.map(|(index, (field, _))| (field.clone(), column(index, field)));
    let states = (aggregate.keys.len()..).zip(&aggregate.states).map(|(index, state)| State {
        reduction: match state.reduction {
            Reduction::Sum | Reduction::Count => Reduction::Sum,
            best => best,
        },
        value: Some(column(index, &state.field)),
        filter: None,
        distinct: None,
        field: state.field.clone(),
    });
    Aggregate { keys: keys.collect(), states: states.collect(), groups: aggregate.groups }
}

fn strings(fields: &[Field]) -> impl Iterator<Item = (usize, &Field)> {
    fields.iter().enumerate().filter(|(_, field)| field.scalar == Scalar::Str)
}
