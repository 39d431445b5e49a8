//! Dictionary filters: conditions on strings that are evaluated once for each dictionary entry, and
//! tested by index for each row.
//!
//! A pattern is matched some hundred times for a dictionary, in place of once for each of its rows.
//! A number is compared as fast as its index is tested, so numbers are excluded.

use std::fmt::Write;
use std::rc::Rc;

use super::emitter::{Emitter, Origin, Row, Value};
use super::expression::condition;
use super::layout::comment;
use crate::ir::{Expr, Kind, Pipeline, Query, Scalar, Source, Step};

/// A condition of a pipeline over one column of its scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DictionaryFilter {
    /// Number of the step.
    pub step: usize,
    /// Number of the scan's column.
    pub column: usize,
}

/// Returns the dictionary filters of a pipeline: conditions in front of any other kind of step.
pub(crate) fn dictionary_filters(query: &Query, pipeline: &Pipeline) -> Vec<DictionaryFilter> {
    let Source::Scan(scan) = pipeline.source else { return Vec::new() };
    let fields = &query.scans[scan].fields;
    let filters = pipeline.steps.iter().map_while(|step| match step {
        Step::Filter(condition) => Some(condition),
        _ => None,
    });
    let of = |(step, condition): (usize, &Expr)| {
        let columns = condition.columns();
        let [column] = columns.as_slice() else { return None };
        let mut reads_table = false;
        condition.visit(&mut |e| reads_table |= matches!(e.kind, Kind::Subquery { .. }));
        (fields[*column].scalar == Scalar::Str && !reads_table)
            .then_some(DictionaryFilter { step, column: *column })
    };
    filters.enumerate().filter_map(of).collect()
}

/// Returns the kernel `pipeline_N_decide_S`, which sets the bit of each dictionary entry that
/// passes the condition.
pub(super) fn kernel(query: &Query, number: usize, pipeline: &Pipeline, filter: DictionaryFilter) -> String {
    let DictionaryFilter { step, column } = filter;
    let (Source::Scan(scan), Step::Filter(expr)) = (&pipeline.source, &pipeline.steps[step]) else {
        return String::new();
    };
    let field = &query.scans[*scan].fields[column];
    let mut out = Emitter::default();
    out.line(format!("const Dictionary values(p.columns + {column});"));
    let scope = out.open(
        "for (u32 code = blockIdx.x * blockDim.x + threadIdx.x; code < values.size(); code += gridDim.x * blockDim.x) {",
    );
    let text = out.define(Scalar::Str, "values.str_at(code)");
    let value = Value { text, null: None, scalar: Scalar::Str };
    let slot = out.slot(field, Origin::Ready(value));
    let row: Row = Rc::new(vec![slot; column + 1]);
    let holds = condition(&mut out, expr, &row);
    out.line(format!("if ({holds}) atomicOr(&p.verdicts[code >> 5], 1u << (code & 31));"));
    out.close(scope, "}");
    let mut text =
        format!("// pipeline {number}, step {step}: which values of {} pass\n", comment(&field.name));
    let _ = write!(
        text,
        "struct D{number}_{step} {{\n    Status* status;\n    const Column* columns;\n    u32* verdicts;\n}};\n\n\
         PELTON_KERNEL(pipeline_{number}_decide_{step}, D{number}_{step}, p) {{\n{}}}\n\n",
        out.into_text()
    );
    text
}

/// Emits the test of a row's index, or the condition itself where the page has no indices.
pub(super) fn look_up(out: &mut Emitter, filter: DictionaryFilter, expr: &Expr, row: &Row) -> String {
    let DictionaryFilter { step, column } = filter;
    out.cursors.insert(column);
    let verdict = out.name("v");
    out.line(format!("bool {verdict} = false;"));
    let coded = format!("p.verdicts{step} != nullptr && c{column}.valid(row) && c{column}.coded(row)");
    let scope = out.open(format!("if ({coded}) {{"));
    out.line(format!("const u32 code = c{column}.code(row);"));
    out.line(format!("{verdict} = (p.verdicts{step}[code >> 5] >> (code & 31)) & 1;"));
    out.close(scope, "} else {");
    let scope = out.reopen();
    let holds = condition(out, expr, row);
    out.line(format!("{verdict} = {holds};"));
    out.close(scope, "}");
    verdict
}
