//! Updates of groups: the end of a pipeline in an aggregate.

use super::comparison;
use super::emitter::{Emitter, Row, Value};
use super::expression::{condition, value};
use crate::ir::{Aggregate, Query, Reduction, Scalar, State};

/// Statements around the loop of a kernel: declarations before it, and reductions over a warp or a
/// block after it.
#[derive(Default)]
pub(super) struct Around {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// Emits the end for one row.
pub(super) fn emit(out: &mut Emitter, query: &Query, number: usize, row: &Row) -> Around {
    let aggregate = &query.aggregates[number];
    if aggregate.keys.is_empty() {
        return without_keys(out, query, number, row);
    }
    let of = format!("p.a{number}");
    let around = cached(aggregate, &of);
    into(out, query, aggregate, &of, row, around.is_some());
    around.unwrap_or_default()
}

/// Emits the update of the group of a row in `of`, by `aggregate`, which has keys. With `is_cached`
/// the block has places of its own.
pub(super) fn into(
    out: &mut Emitter,
    query: &Query,
    aggregate: &Aggregate,
    of: &str,
    row: &Row,
    is_cached: bool,
) {
    let keys: Vec<Value> = aggregate.keys.iter().map(|(_, key)| value(out, key, row)).collect();
    let group = find(out, aggregate, of, &keys, None);
    let scope = out.open(format!("if ({group} != NO_GROUP) {{"));
    if is_cached {
        out.line(format!("const u32 place = cache_place(cache, {group});"));
    }
    for (index, state) in aggregate.states.iter().enumerate() {
        let place = Place { of, column: aggregate.keys.len() + index, group: &group, is_cached };
        update(out, query, state, &place, row);
    }
    out.close(scope, "}");
}

/// Emits the search for the group of some keys; `fresh` is set where it is a new one. Returns the
/// group's variable.
fn find(out: &mut Emitter, aggregate: &Aggregate, of: &str, keys: &[Value], fresh: Option<&str>) -> String {
    let hash = comparison::hash(out, keys);
    let group = out.name("g");
    let columns: Vec<(usize, bool)> =
        aggregate.keys.iter().enumerate().map(|(column, (field, _))| (column, field.nullable)).collect();
    let scope = out.open(format!("const u64 {group} = group_find({of}.g, {hash},"));
    out.line(format!("[&](u64 g) {{ return {}; }},", comparison::equal(keys, of, &columns, "g")));
    let init = out.open("[&](u64 g) {");
    for (column, (key, (field, _))) in keys.iter().zip(&aggregate.keys).enumerate() {
        let kept = match key.scalar {
            Scalar::Str => format!("group_string({of}.g, {})", key.text),
            _ => key.text.clone(),
        };
        out.line(format!("{of}.c{column}[g] = {kept};"));
        if field.nullable {
            out.line(format!("{of}.n{column}[g] = !{};", key.is_null()));
        }
    }
    if let Some(fresh) = fresh {
        out.line(format!("{fresh} = true;"));
    }
    out.close(init, "});");
    out.close(scope, "// the row's group is known, or there is no room for it");
    group
}

/// Maximum number of states that a block keeps in shared memory. With 64 places of 16 bytes for
/// each they take two thirds of the memory that a kernel may declare.
const CACHED_STATES: usize = 32;

/// Returns the statements around the loop for sums that a block keeps by itself until its end.
fn cached(aggregate: &Aggregate, of: &str) -> Option<Around> {
    let sums = |state: &&State| matches!(state.reduction, Reduction::Sum | Reduction::Count);
    if aggregate.states.len() > CACHED_STATES || !aggregate.states.iter().any(|state| sums(&state)) {
        return None;
    }
    let mut around = Around::default();
    around.before.push("__shared__ GroupCache cache;".to_owned());
    around.before.push("cache_begin(cache);".to_owned());
    around.after.push("__syncthreads();".to_owned());
    around.after.push("for (u32 i = threadIdx.x; i < GROUP_CACHE; i += blockDim.x) {".to_owned());
    around.after.push("    if (cache.groups[i] == 0) continue;".to_owned());
    around.after.push("    const u64 g = cache.groups[i] - 1;".to_owned());
    for (index, state) in aggregate.states.iter().enumerate().filter(|(_, state)| sums(state)) {
        let column = aggregate.keys.len() + index;
        let kept = state.field.scalar.name();
        around.before.push(format!("__shared__ {kept} sums{column}[GROUP_CACHE];"));
        let clear =
            format!("for (u32 i = threadIdx.x; i < GROUP_CACHE; i += blockDim.x) sums{column}[i] = 0;");
        around.before.push(clear);
        around.after.push(format!("    add_to(&{of}.c{column}[g], sums{column}[i]);"));
    }
    around.before.push("__syncthreads();".to_owned());
    around.after.push("}".to_owned());
    Some(around)
}

/// Place of a state: the struct, its column, the group's variable.
struct Place<'a> {
    of: &'a str,
    column: usize,
    group: &'a str,
    /// The block may have a place of its own for the group.
    is_cached: bool,
}

/// Emits the update of a group's state with a row's value.
fn update(out: &mut Emitter, query: &Query, state: &State, place: &Place<'_>, row: &Row) {
    let Place { of, column, group, is_cached } = *place;
    let mut scopes = Vec::new();
    let taken = taken(out, query, state, row, &mut scopes);
    let (to, flag) = (format!("{of}.c{column}[{group}]"), format!("{of}.n{column}[{group}]"));
    let kept = state.field.scalar.name();
    let sum = match is_cached {
        true => format!("(place < GROUP_CACHE ? &sums{column}[place] : &{to})"),
        false => format!("&{to}"),
    };
    match (state.reduction, &taken) {
        (Reduction::Count, _) | (_, None) => out.line(format!("add_to({sum}, (i64)1);")),
        (Reduction::Sum, Some(value)) => {
            out.line(format!("add_to({sum}, ({kept}){});", value.text));
            if state.field.nullable {
                out.line(format!("if (!{flag}) {flag} = 1;"));
            }
        }
        (Reduction::Minimum | Reduction::Maximum, Some(value)) => {
            out.line(best(state, of, group, &to, &format!("&{flag}"), &value.text));
        }
    }
    for scope in scopes.into_iter().rev() {
        out.close(scope, "}");
    }
}

/// Emits the value of a row that counts, in a block that only such rows enter.
fn taken(
    out: &mut Emitter,
    query: &Query,
    state: &State,
    row: &Row,
    scopes: &mut Vec<usize>,
) -> Option<Value> {
    if let Some(filter) = &state.filter {
        let holds = condition(out, filter, row);
        scopes.push(out.open(format!("if ({holds}) {{")));
    }
    let value = state.value.as_ref().map(|e| value(out, e, row))?;
    if let Some(null) = &value.null {
        scopes.push(out.open(format!("if (!{null}) {{")));
    }
    if let Some(set) = state.distinct {
        let aggregate = &query.aggregates[set];
        let keys: Vec<Value> = aggregate.keys.iter().map(|(_, key)| self::value(out, key, row)).collect();
        let fresh = out.name("fresh");
        out.line(format!("bool {fresh} = false;"));
        find(out, aggregate, &format!("p.a{set}"), &keys, Some(&fresh));
        scopes.push(out.open(format!("if ({fresh}) {{")));
    }
    Some(value)
}

fn best(state: &State, of: &str, group: &str, to: &str, flag: &str, value: &str) -> String {
    let sign = if state.reduction == Reduction::Minimum { 1 } else { -1 };
    let kept = state.field.scalar.name();
    let keep = match state.field.scalar {
        Scalar::Str => format!("[&](const Str& x) {{ return group_string({of}.g, x); }}"),
        _ => format!("[](const {kept}& x) {{ return x; }}"),
    };
    format!("take_best<{sign}>(&{of}.g.locks[{group}], &{to}, {flag}, ({kept}){value}, {keep});")
}

/// Emits the end of a pipeline without keys for one row.
fn without_keys(out: &mut Emitter, query: &Query, number: usize, row: &Row) -> Around {
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
