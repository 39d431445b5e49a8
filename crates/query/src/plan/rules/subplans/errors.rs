//! Errors that a plan of its own hides from a mention, and a shared one would not.
//!
//! A mention that needs no column with a division, or that leaves out the rows with a zero, never
//! divides by it. A shared plan computes the columns of all mentions for the rows of all mentions.
//! A row fails in it only if it fails for one of the mentions, as long as all need the same columns
//! or the same rows.

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::mentions::Mention;
use crate::fallible::can_fail_logically;
use crate::plan::rules::expressions::input_schema;
use crate::tree::PlanTree;

/// Returns whether a shared plan could fail where plans of their own would not.
pub(super) fn may_appear(definition: &LogicalPlan, mentions: &[Mention]) -> Result<bool> {
    let Some(first) = mentions.first() else { return Ok(false) };
    let is_same = |has: fn(&Mention, &Mention) -> bool| mentions.iter().all(|other| has(first, other));
    let has_same_columns = is_same(|one, other| one.columns == other.columns);
    let has_same_rows = is_same(|one, other| one.conditions == other.conditions);
    // a condition that can fail stays with its mention, and so does the protection by it
    let mut conditions = mentions.iter().flat_map(|mention| &mention.conditions);
    let is_protected = conditions.any(|condition| can_fail(condition, definition));
    if (has_same_columns || has_same_rows) && !is_protected {
        return Ok(false);
    }
    let mut found = false;
    definition.apply_to_all(|node| {
        let schema = input_schema(node)?;
        node.apply_to_expressions(|expression| {
            found |= can_fail_logically(expression, &schema);
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

/// Returns whether a condition on the rows of a plan can fail.
pub(super) fn can_fail(condition: &Expr, over: &LogicalPlan) -> bool {
    can_fail_logically(condition, over.schema())
}
