//! Union of the dynamic filters that the partitions of a hash join send.
//!
//! Such a join sends bounds and keys for each partition, and a `CASE` over the hash of the key
//! chooses between them for each row. Hashing every row costs more than the comparisons, and
//! statistics can't rule out a hash. A scan may let rows pass that the join will drop, so the
//! partitions are united: the smallest lower bound, the largest upper bound, one set of all keys,
//! and the conditions that all have. Only a look-up in a partition's table stays under the `CASE`.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, CaseExpr, InListExpr, Literal, lit};
use datafusion::physical_expr::utils::{conjunction, split_conjunction};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

type Expression = Arc<dyn PhysicalExpr>;

/// Returns a condition that holds wherever `condition` does and is cheaper to evaluate: the united
/// bounds and keys come first. Conditions of another form stay unchanged. `schema` is that of the
/// columns.
pub(super) fn union_of(condition: Expression, schema: &Schema) -> DataFusionResult<Expression> {
    let Some(case) = condition.downcast_ref::<CaseExpr>() else { return Ok(condition) };
    let otherwise = case.else_expr().and_then(boolean);
    if case.expr().is_none() || otherwise != Some(false) {
        return Ok(condition);
    }
    let branches = case.when_then_expr();
    let mut parts: Vec<Partition> = Vec::with_capacity(branches.len());
    for (_, then) in branches {
        match boolean(then) {
            Some(true) => return Ok(condition),
            Some(false) => {}
            None => parts.push(Partition::new(then)),
        }
    }
    let Some((first, others)) = parts.split_first() else { return Ok(condition) };
    let mut united: Vec<Expression> = Vec::new();
    for bound in &first.bounds {
        let Some(value) =
            others.iter().try_fold(bound.value.clone(), |widest, part| part.widen(bound, widest))
        else {
            continue;
        };
        united.push(Arc::new(BinaryExpr::new(bound.side.clone(), bound.op, lit(value))));
    }
    let mut is_complete = false;
    if let Some(set) = all_keys(&parts) {
        let (key, values) = set;
        let array = ScalarValue::iter_to_array(values)?;
        united.push(Arc::new(InListExpr::try_new_from_array(key, array, false, schema)?));
        is_complete = true;
    }
    let shared: Vec<Expression> =
        first.rest.iter().filter(|part| others.iter().all(|other| other.has(part))).cloned().collect();
    is_complete |= !shared.is_empty();
    united.extend(shared.iter().cloned());
    // the partitions have no conditions other than bounds, the set, and those that all have
    if is_complete && parts.iter().all(|part| part.rest.len() == shared.len()) {
        return Ok(conjunction(united));
    }
    if united.is_empty() {
        return Ok(condition);
    }
    let rests = branches.iter().map(|(when, then)| {
        let rest =
            if boolean(then) == Some(false) { then.clone() } else { Partition::new(then).without(&shared) };
        (when.clone(), rest)
    });
    let rests: Vec<_> = rests.collect();
    united.push(Arc::new(CaseExpr::try_new(case.expr().cloned(), rests, Some(lit(false)))?));
    Ok(conjunction(united))
}

/// A join's knowledge of the keys in one partition.
struct Partition {
    bounds: Vec<Bound>,
    set: Option<(Expression, Vec<ScalarValue>)>,
    /// The other conditions.
    rest: Vec<Expression>,
    /// All conditions except the bounds.
    unbounded: Vec<Expression>,
}

/// `side >= value` or `side <= value`.
struct Bound {
    side: Expression,
    op: Operator,
    value: ScalarValue,
}

impl Partition {
    fn new(condition: &Expression) -> Self {
        let mut found = Self { bounds: Vec::new(), set: None, rest: Vec::new(), unbounded: Vec::new() };
        for part in split_conjunction(condition) {
            if let Some(bound) = bound(part) {
                found.bounds.push(bound);
                continue;
            }
            found.unbounded.push(part.clone());
            match set(part) {
                Some(set) if found.set.is_none() => found.set = Some(set),
                _ => found.rest.push(part.clone()),
            }
        }
        found
    }

    /// Returns the wider of another partition's bound and this partition's; `None` if this one has
    /// no bound of that kind.
    fn widen(&self, like: &Bound, value: ScalarValue) -> Option<ScalarValue> {
        let own = self.bounds.iter().find(|own| own.op == like.op && own.side.eq(&like.side))?;
        let order = own.value.partial_cmp(&value)?;
        let is_wider = if like.op == Operator::GtEq { order.is_lt() } else { order.is_gt() };
        Some(if is_wider { own.value.clone() } else { value })
    }

    fn has(&self, condition: &Expression) -> bool {
        self.rest.iter().any(|own| own.eq(condition))
    }

    fn without(self, shared: &[Expression]) -> Expression {
        conjunction(self.unbounded.into_iter().filter(|own| !shared.iter().any(|other| other.eq(own))))
    }
}

fn boolean(expression: &Expression) -> Option<bool> {
    match expression.downcast_ref::<Literal>()?.value() {
        ScalarValue::Boolean(value) => *value,
        _ => None,
    }
}

fn bound(expression: &Expression) -> Option<Bound> {
    let binary = expression.downcast_ref::<BinaryExpr>()?;
    let op = *binary.op();
    let value = binary.right().downcast_ref::<Literal>()?.value();
    let is_bound = matches!(op, Operator::GtEq | Operator::LtEq) && !value.is_null();
    is_bound.then(|| Bound { side: binary.left().clone(), op, value: value.clone() })
}

fn set(expression: &Expression) -> Option<(Expression, Vec<ScalarValue>)> {
    let list = expression.downcast_ref::<InListExpr>()?;
    let values = list.list().iter().map(|value| Some(value.downcast_ref::<Literal>()?.value().clone()));
    let values: Option<Vec<_>> = values.collect();
    values.filter(|_| !list.negated()).map(|values| (list.expr().clone(), values))
}

/// Returns the distinct keys of all partitions, if each partition has keys of the same expression.
fn all_keys(parts: &[Partition]) -> Option<(Expression, HashSet<ScalarValue>)> {
    let (key, _) = parts.first()?.set.as_ref()?;
    let mut values = HashSet::new();
    for part in parts {
        let (own, keys) = part.set.as_ref()?;
        if !own.eq(key) {
            return None;
        }
        values.extend(keys.iter().cloned());
    }
    Some((key.clone(), values))
}

#[cfg(test)]
mod tests;
