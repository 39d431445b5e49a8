//! Rows that are all one group: each thread reduces its own, a warp's are added up at the end of
//! the kernel.

use super::emitter::{Emitter, Row};
use super::groups::{Around, best, taken};
use crate::ir::{Query, Reduction, Scalar};

/// Emits the end of a pipeline without keys for one row.
pub(super) fn emit(out: &mut Emitter, query: &Query, number: usize, row: &Row) -> Around {
    let aggregate = &query.aggregates[number];
    let of = format!("p.a{number}");
    let mut around = Around::default();
    for (column, state) in aggregate.states.iter().enumerate() {
        let (sum, seen) = (format!("sum{column}"), format!("seen{column}"));
        let kept = state.field.scalar.name();
        around.before.push(format!("{kept} {sum} = {kept}();"));
        around.before.push(format!("bool {seen} = false;"));
        let mut scopes = Vec::new();
        let taken = taken(out, query, state, row, &mut scopes);
        let lead = |line: String| format!("if (lane_id() == 0) {line}");
        match (state.reduction, &taken) {
            (Reduction::Count, _) | (_, None) => {
                out.line(format!("{sum} += 1;"));
                around.after.push(format!("{sum} = warp_sum({sum});"));
                around.after.push(lead(format!("add_to(&{of}.c{column}[0], {sum});")));
            }
            (Reduction::Sum, Some(value)) => {
                let add = match state.field.scalar {
                    Scalar::I64 => format!("{sum} = (i64)((u64){sum} + (u64){});", value.text),
                    Scalar::I128 => format!("{sum} = (i128)((u128){sum} + (u128)(i128){});", value.text),
                    _ => format!("{sum} += {};", value.text),
                };
                out.line(add);
                out.line(format!("{seen} = true;"));
                around.after.push(format!("{sum} = warp_sum({sum});"));
                around.after.push(lead(format!("add_to(&{of}.c{column}[0], {sum});")));
                around.after.push(format!("{seen} = __any_sync(FULL_WARP, {seen});"));
                around.after.push(lead(format!("if ({seen}) {of}.n{column}[0] = 1;")));
            }
            (Reduction::Minimum | Reduction::Maximum, Some(value)) => {
                let order = if state.reduction == Reduction::Minimum { "<" } else { ">" };
                let text = format!("({kept}){}", value.text);
                out.line(format!("if (!{seen} || order_of({text}, {sum}) {order} 0) {sum} = {text};"));
                out.line(format!("{seen} = true;"));
                let (to, flag) = (format!("{of}.c{column}[0]"), format!("&{of}.n{column}[0]"));
                around.after.push(format!("if ({seen}) {}", best(state, &of, "0", &to, &flag, &sum)));
            }
        }
        for scope in scopes.into_iter().rev() {
            out.close(scope, "}");
        }
    }
    around
}
