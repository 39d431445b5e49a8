//! Conditions that DuckDB offers to a table function, as far as they are understood.

use std::collections::HashMap;

use libduckdb_sys::v2::*;

use super::call::given;
use super::same::value;
use super::types::Logical;
use crate::sys::function::{Condition, Wanted};
use crate::sys::value::Value;

use DUCKDB_V2_EXPRESSION_TYPE as Is;

/// The conditions that are offered.
///
/// # Errors
/// DuckDB does not say.
///
/// # Safety
/// `raw` is what DuckDB gave to a callback that is still running.
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

/// An expression of a filter. Lives as long as the callback runs.
#[derive(Clone, Copy)]
struct Expression {
    raw: duckdb_v2_expression_handle,
    offer: duckdb_v2_table_function_filter_pushdown_info_handle,
}

impl Expression {
    fn is(self) -> Result<Is, String> {
        // SAFETY: the expression lives.
        given(Is::DUCKDB_V2_EXPRESSION_TYPE_INVALID, |is, error| unsafe {
            duckdb_v2_expression_get_type(self.raw, is, error)
        })
    }

    fn children(self) -> Result<Vec<Self>, String> {
        // SAFETY: the expression lives.
        let count =
            given(0, |count, error| unsafe { duckdb_v2_expression_get_child_count(self.raw, count, error) })?;
        let child = |index| {
            let raw = given(std::ptr::null_mut(), |child, error| {
                // SAFETY: the index is below the count, and children live as long as their parents.
                unsafe { duckdb_v2_expression_get_child(self.raw, index, child, error) }
            })?;
            Ok(Self { raw, ..self })
        };
        (0..count).map(child).collect()
    }

    fn of(self) -> Result<Logical, String> {
        let of = given(std::ptr::null_mut(), |of, error| {
            // SAFETY: the expression lives.
            unsafe { duckdb_v2_expression_get_return_type(self.raw, of, error) }
        })?;
        // SAFETY: the type that came is ours.
        Ok(unsafe { Logical::take(of) })
    }

    /// The column that it is, if it is one.
    fn column(self) -> Result<Option<usize>, String> {
        if self.is()? != Is::DUCKDB_V2_EXPRESSION_TYPE_BOUND_COLUMN_REF {
            return Ok(None);
        }
        // SAFETY: the expression lives and is a column.
        let index = given(0, |index, error| unsafe {
            duckdb_v2_expression_column_ref_get_index(self.raw, index, error)
        })?;
        // SAFETY: what is offered lives, and the call says no to what it has not.
        let column = given(0, |column, error| unsafe {
            duckdb_v2_table_function_filter_pushdown_get_column_index(self.offer, index, column, error)
        })?;
        Ok(Some(column as usize))
    }

    /// The value that it is, if it is one, of another expression's type, and not NULL.
    fn constant(self, beside: Self) -> Result<Option<Value>, String> {
        if self.is()? != Is::DUCKDB_V2_EXPRESSION_TYPE_VALUE_CONSTANT {
            return Ok(None);
        }
        let (own, other) = (self.of()?, beside.of()?);
        let is_same = given(false, |is_same, error| {
            // SAFETY: both types live.
            unsafe { duckdb_v2_logical_type_is_equal(own.raw(), other.raw(), is_same, error) }
        })?;
        let found = given(std::ptr::null_mut(), |found, error| {
            // SAFETY: the expression lives and is a constant.
            unsafe { duckdb_v2_expression_constant_get_value(self.raw, found, error) }
        })?;
        // SAFETY: the value that came is ours.
        let found = unsafe { Value::take(value(found)) };
        Ok(found.filter(|found| is_same && !found.is_null()))
    }
}

/// Adds what follows of an expression that has to be true.
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
        // 5 < a is a > 5
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

/// Adds what follows of expressions of which one has to be true: that a column has one of the values that they have for it, if each
/// has some. DuckDB writes short `IN`s so.
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

/// The comparison whose sides are exchanged; what is none is not understood.
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
