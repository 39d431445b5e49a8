//! Kernels over whole tables: chaining rows by their keys, and sorting.

use std::fmt::Write;

use super::comparison::{self, equality};
use super::emitter::{Emitter, Value};
use crate::ir::{Query, Scalar};

/// `index_table_N`: chains a table's rows by the hashes of their keys.
pub(super) fn index(query: &Query, number: usize) -> String {
    let table = &query.tables[number];
    let mut out = Emitter::default();
    let scope = out.open(
        "for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < p.rows; i += (u64)gridDim.x * blockDim.x) {",
    );
    let cells = out.cells(&format!("p.t{number}"), &table.fields, "i", false);
    let keys: Vec<Value> = table.keys.iter().flatten().map(|&column| out.column(cells[column])).collect();
    let hash = comparison::hash(&mut out, &keys);
    let nulls: Vec<&str> = keys.iter().filter_map(|key| key.null.as_deref()).collect();
    if !table.nulls_match && !nulls.is_empty() {
        // a row with a null key matches nothing, so it is in no chain
        out.line(format!("if ({}) continue;", nulls.join(" || ")));
    }
    out.line(format!("table_link(p.t{number}.t, i, {hash});"));
    out.close(scope, "}");
    let body = out.into_text();
    format!(
        "struct I{number} {{\n    u64 rows;\n    T{number} t{number};\n}};\n\n\
         PELTON_KERNEL(index_table_{number}, I{number}, p) {{\n{body}}}\n\n"
    )
}

/// `sort_N_tiles` and `sort_N_merge`: a table's rows in an order.
pub(super) fn sort(query: &Query, number: usize) -> String {
    let order = &query.orders[number];
    let table = &query.tables[order.table];
    let mut text = format!(
        "struct Less{number} {{\n    T{0} t;\n    __device__ bool operator()(u64 a, u64 b) const {{\n",
        order.table
    );
    for &(column, side) in &order.keys {
        let field = &table.fields[column];
        let (x, y) = (format!("t.c{column}[a]"), format!("t.c{column}[b]"));
        let (first, last) = if side.nulls_first { ("true", "false") } else { ("false", "true") };
        let below = match field.scalar {
            Scalar::Str => format!("str_compare({x}, {y}) < 0"),
            Scalar::F32 | Scalar::F64 => format!("float_place({x}) < float_place({y})"),
            _ => format!("{x} < {y}"),
        };
        // equal zeros still have an order, as in the CPU engine's sorts
        let same = match field.scalar {
            Scalar::F32 | Scalar::F64 => format!("float_place({x}) == float_place({y})"),
            scalar => equality(&x, &y, scalar),
        };
        let below = if side.descending { format!("!({below})") } else { below };
        if field.nullable {
            let (has_x, has_y) = (format!("t.n{column}[a]"), format!("t.n{column}[b]"));
            let _ = writeln!(text, "        if ({has_x} != {has_y}) return {has_x} ? {last} : {first};");
            let _ = writeln!(text, "        if ({has_x} && !({same})) return {below};");
        } else {
            let _ = writeln!(text, "        if (!({same})) return {below};");
        }
    }
    let _ = write!(
        text,
        "        return false;\n    }}\n}};\n\n\
         struct S{number} {{\n    u64 rows;\n    u64 run;\n    u64 fetch;\n    const u32* from;\n    u32* to;\n    T{0} t;\n}};\n\n\
         PELTON_KERNEL(sort_{number}_tiles, S{number}, p) {{ sort_tile(Less{number}{{p.t}}, p.rows, p.to); }}\n\n\
         PELTON_KERNEL(sort_{number}_merge, S{number}, p) {{\n    \
         sort_merge(Less{number}{{p.t}}, p.rows, p.run, p.fetch, p.from, p.to);\n}}\n\n",
        order.table
    );
    text
}
