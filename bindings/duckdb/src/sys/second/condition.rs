//! Conditions that DuckDB offers to a table function; unknown expressions are ignored.

use std::collections::HashMap;

use libduckdb_sys::v2::*;

use super::call::given;
use super::expression::{Expression, Is};
use crate::sys::function::{Condition, Wanted};
use crate::sys::value::Value;

/// Returns the conditions that are offered.
///
/// # Errors
/// DuckDB returns an error.
///
/// # Safety
/// DuckDB gave `raw` to a callback that is still running.
pub unsafe fn offered(
    raw: duckdb_v2_table_function_filter_pushdown_info_handle,
) -> Result<Vec<Condition>, String> {
    // SAFETY: the caller's.
    let count = given(0, |count, error| unsafe {
        duckdb_v2_table_function_filter_pushdown_get_filter_count(raw, count, error)
    })?;
    let mut conditions = Vec::new();
    for index in 0..count {
        let filter = given(std::ptr::null_mut(), |filter, error| {
            // SAFETY: the index is below the count.
            unsafe { duckdb_v2_table_function_filter_pushdown_get_filter(raw, index, filter, error) }
        })?;
        understand(Expression { raw: filter, offer: raw }, &mut conditions)?;
    }
    Ok(conditions)
}

/// Adds the conditions that follow from an expression that has to be true.
fn understand(expression: Expression, conditions: &mut Vec<Condition>) -> Result<(), String> {
    let is = expression.is()?;
    let children = expression.children()?;
    if is == Is::DUCKDB_V2_EXPRESSION_TYPE_CONJUNCTION_AND {
        return children.into_iter().try_for_each(|child| understand(child, conditions));
    }
    if is == Is::DUCKDB_V2_EXPRESSION_TYPE_CONJUNCTION_OR {
        return any(children, conditions);
    }
    let (of, others, is) = match children[..] {
        // `5 < a` is `a > 5`.
        [constant, of] if of.column()?.is_some() => (of, vec![constant], turned(is)),
        [of, ref others @ ..] => (of, others.to_vec(), is),
        [] => return Ok(()),
    };
    let Some(column) = of.column()? else { return Ok(()) };
    let values: Option<Vec<_>> =
        others.into_iter().map(|other| other.constant(of)).collect::<Result<_, _>>()?;
    let Some(mut values) = values else { return Ok(()) };
    let mut add = |wanted| conditions.push(Condition { column, wanted });
    match (is, values.len()) {
        (Is::DUCKDB_V2_EXPRESSION_TYPE_OPERATOR_IS_NOT_NULL, 0) => add(Wanted::NotNull),
        (Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_EQUAL, 1)
        | (Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_IN, 1..) => add(Wanted::OneOf(values)),
        (
            Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHAN
            | Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO,
            1,
        ) => add(Wanted::AtMost(values.remove(0))),
        (
            Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHAN
            | Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO,
            1,
        ) => add(Wanted::AtLeast(values.remove(0))),
        (Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_BETWEEN, 2) => {
            add(Wanted::AtLeast(values.remove(0)));
            add(Wanted::AtMost(values.remove(0)));
        }
        _ => {}
    }
    Ok(())
}

/// Adds the conditions that follow from an OR: a column has one of the values that the alternatives
/// name for it, if each names some. DuckDB writes short `IN`s in this form.
fn any(alternatives: Vec<Expression>, conditions: &mut Vec<Condition>) -> Result<(), String> {
    let mut common: Option<Vec<(usize, Vec<Value>)>> = None;
    for alternative in alternatives {
        let mut own = Vec::new();
        understand(alternative, &mut own)?;
        let mut own: HashMap<usize, Vec<Value>> = own
            .into_iter()
            .filter_map(|condition| match condition.wanted {
                Wanted::OneOf(values) => Some((condition.column, values)),
                _ => None,
            })
            .collect();
        common = Some(match common {
            None => own.into_iter().collect(),
            Some(before) => before
                .into_iter()
                .filter_map(|(column, mut values)| {
                    values.extend(own.remove(&column)?);
                    Some((column, values))
                })
                .collect(),
        });
    }
    let common = common.unwrap_or_default().into_iter();
    conditions.extend(common.map(|(column, values)| Condition { column, wanted: Wanted::OneOf(values) }));
    Ok(())
}

/// Returns the comparison with its sides exchanged, or one that is ignored if the expression is no
/// comparison.
fn turned(is: Is) -> Is {
    match is {
        Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_EQUAL => is,
        Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHAN
        | Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO => {
            Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO
        }
        Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHAN
        | Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO => {
            Is::DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO
        }
        _ => Is::DUCKDB_V2_EXPRESSION_TYPE_INVALID,
    }
}
