//! A query's pipelines as CUDA C++: one source, a kernel a pipeline, the plan in comments.
//!
//! Code is nested as rows pass: a filter opens an `if`, a probe a loop, and what a step needs is computed where it is
//! first needed, so that a column is decoded only for rows that have come that far (Neumann: Efficiently compiling efficient
//! query plans for modern hardware, 2011).

mod arithmetic;
mod casts;
mod decide;
mod emitter;
mod expression;
mod groups;
mod kernels;
mod keys;
mod layout;
mod literal;
mod logic;
mod one_group;
mod pipeline;
mod probe;
mod strings;

pub(crate) use decide::decided;
pub(crate) use pipeline::{aggregates, tables};

use crate::ir::{Operation, Query};

/// Headers that the source includes, by name.
pub const HEADERS: &[(&str, &str)] = &[
    ("query/codes.cuh", include_str!("../../kernels/query/codes.cuh")),
    ("query/dates.cuh", include_str!("../../kernels/query/dates.cuh")),
    ("query/groups.cuh", include_str!("../../kernels/query/groups.cuh")),
    ("query/hash.cuh", include_str!("../../kernels/query/hash.cuh")),
    ("query/numbers.cuh", include_str!("../../kernels/query/numbers.cuh")),
    ("query/sort.cuh", include_str!("../../kernels/query/sort.cuh")),
    ("query/strings.cuh", include_str!("../../kernels/query/strings.cuh")),
    ("query/table.cuh", include_str!("../../kernels/query/table.cuh")),
];

/// The source of a query. Kernels are named `pipeline_N` (in the order of its operations), `index_table_N`,
/// `sort_N_tiles` and `sort_N_merge`.
pub fn generate(query: &Query) -> String {
    let mut out = String::from(
        "#include \"pelton/prelude.cuh\"\n#include \"pages/cursor.cuh\"\n#include \"query/dates.cuh\"\n\
         #include \"query/groups.cuh\"\n#include \"query/sort.cuh\"\n\n",
    );
    for number in 0..query.tables.len() {
        out.push_str(&layout::table(query, number));
    }
    for number in 0..query.aggregates.len() {
        out.push_str(&layout::groups(query, number));
    }
    let mut number = 0;
    for operation in &query.operations {
        match operation {
            Operation::Fill(fill) => {
                for pipeline in &fill.pipelines {
                    out.push_str(&pipeline::pipeline(query, number, pipeline));
                    number += 1;
                }
            }
            Operation::Index(table) => out.push_str(&kernels::index(query, *table)),
            Operation::Sort(order) => out.push_str(&kernels::sort(query, *order)),
        }
    }
    out
}
