//! A query's pipelines as CUDA C++: one source, a kernel a pipeline, the plan in comments.
//!
//! Code is nested as rows pass: a filter opens an `if`, a probe a loop. A value is computed where
//! it is first needed, so that a column is decoded only for rows that have come that far (Neumann:
//! Efficiently compiling efficient query plans for modern hardware, 2011).

mod comparison;
mod dictionary_filter;
mod emitter;
mod expression;
mod groups;
mod kernels;
mod layout;
mod literal;
mod pipeline;
mod probe;
mod spill;

pub(crate) use dictionary_filter::dictionary_filters;
pub(crate) use layout::{HEADER_WORDS, aggregates, tables};
pub(crate) use spill::{can_spill_groups, can_spill_table};

use crate::ir::{Operation, Query};

/// Headers that the source includes, by name.
pub const HEADERS: &[(&str, &str)] = &[
    ("query/codes.cuh", include_str!("../../kernels/query/codes.cuh")),
    ("query/dates.cuh", include_str!("../../kernels/query/dates.cuh")),
    ("query/groups.cuh", include_str!("../../kernels/query/groups.cuh")),
    ("query/hash.cuh", include_str!("../../kernels/query/hash.cuh")),
    ("query/numbers.cuh", include_str!("../../kernels/query/numbers.cuh")),
    ("query/sort.cuh", include_str!("../../kernels/query/sort.cuh")),
    ("query/spill.cuh", include_str!("../../kernels/query/spill.cuh")),
    ("query/strings.cuh", include_str!("../../kernels/query/strings.cuh")),
    ("query/table.cuh", include_str!("../../kernels/query/table.cuh")),
];

/// Returns the source of a query. Kernels are named `pipeline_N` (in the order of its operations),
/// `index_table_N`, `sort_N_tiles` and `sort_N_merge`.
fn generate(query: &Query) -> String {
    part(query, &kernels_of(query).concat())
}

/// Returns the source in up to `most` parts of about one length. Each can be compiled by itself.
pub(crate) fn generate_parts(query: &Query, most: usize) -> Vec<String> {
    let mut kernels: Vec<(usize, String)> = kernels_of(query).into_iter().enumerate().collect();
    kernels.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.len()));
    let mut parts: Vec<Vec<(usize, String)>> = vec![Vec::new(); most.clamp(1, kernels.len().max(1))];
    for kernel in kernels {
        // the longest remaining kernel goes to the shortest part
        let shortest =
            parts.iter_mut().min_by_key(|part| part.iter().map(|(_, text)| text.len()).sum::<usize>());
        shortest.into_iter().for_each(|part| part.push(kernel.clone()));
    }
    let ordered = parts.into_iter().map(|mut kernels| {
        kernels.sort_by_key(|(number, _)| *number);
        part(query, &kernels.into_iter().map(|(_, text)| text).collect::<String>())
    });
    ordered.collect()
}

/// Returns kernels behind the headers and structs that they need.
fn part(query: &Query, kernels: &str) -> String {
    let headers = "#include \"pelton/prelude.cuh\"\n#include \"pages/cursor.cuh\"\n#include \"query/dates.cuh\"\n\
                   #include \"query/groups.cuh\"\n#include \"query/sort.cuh\"\n\n";
    format!("{headers}{}{kernels}", layout::structs(query))
}

/// Returns the kernels of each operation.
fn kernels_of(query: &Query) -> Vec<String> {
    let mut all = Vec::new();
    let mut number = 0;
    for operation in &query.operations {
        match operation {
            Operation::Fill(fill) => {
                for pipeline in &fill.pipelines {
                    all.push(pipeline::pipeline(query, number, pipeline));
                    number += 1;
                }
            }
            Operation::Index(table) => all.push(kernels::index(query, *table)),
            Operation::Sort(order) => all.push(kernels::sort(query, *order)),
        }
    }
    all
}

/// Returns the source for a query's spilled rows, which is compiled only when it is needed, so that
/// other queries need not wait for it. Kernels are named `count_table_N`,
/// `deal_table_N`, `count_groups_N`, `deal_groups_N`, `unite_groups_N` and `spill_rebase`.
pub(crate) fn generate_spill(query: &Query) -> String {
    format!(
        "#include \"pelton/prelude.cuh\"\n{SPILL_HEADERS}\n{}{}",
        layout::structs(query),
        spill::kernels(query)
    )
}

/// Returns both sources in one, for display.
pub(crate) fn generate_all(query: &Query) -> String {
    format!("{}\n// When memory is short:\n{SPILL_HEADERS}\n{}", generate(query), spill::kernels(query))
}

const SPILL_HEADERS: &str = "#include \"query/groups.cuh\"\n#include \"query/spill.cuh\"\n";
