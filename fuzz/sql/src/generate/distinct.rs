//! DISTINCT over groups of joined subqueries, each of which may be distinct already.

use super::source::{both_sides, join};
use super::{Column, Generator};
use crate::tree::{Body, Expr, Group, Item, Query, Select};

/// Most pairs of rows.
const PAIRS: usize = 40_000;

impl Generator<'_> {
    /// Such a query; none where the subqueries are too large or have no columns to group by.
    pub(super) fn distinct_groups(&mut self, outer: &[Expr], depth: usize) -> Option<(Query, Vec<Column>)> {
        let (left, left_scope, rows) = self.derived(outer, depth);
        let (right, right_scope, others) = self.derived(outer, depth);
        if rows.saturating_mul(others) > PAIRS {
            return None;
        }
        let scope = both_sides(left_scope, right_scope);
        let mut keys: Vec<Expr> =
            scope.leaves.iter().filter(|leaf| leaf.ty.is_flat() && !leaf.rough).cloned().collect();
        while keys.len() > 3 {
            let index = self.random.below(keys.len());
            keys.remove(index);
        }
        if keys.is_empty() {
            return None;
        }
        let mut items = keys.clone();
        if items.len() > 1 {
            let index = self.random.below(items.len());
            items.remove(index);
        }
        if self.random.chance(0.3) {
            items.push(Expr::leaf(crate::tree::Type::Whole, "count(*)"));
        }
        let columns = items.iter().enumerate().map(|(index, value)| Column {
            name: format!("c{index}"),
            ty: value.ty.clone(),
            rough: false,
            narrow: value.narrow,
        });
        let columns: Vec<Column> = columns.collect();
        let named = items.into_iter().zip(&columns);
        let items = named.map(|(value, column)| Item { value, name: column.name.clone() }).collect();
        let select = Select {
            distinct: self.random.chance(0.8),
            items,
            from: Some(join("CROSS JOIN", left, right, None)),
            group: Group::Keys(keys),
            ..Select::default()
        };
        self.rows = rows * others;
        Some((Query { body: Body::Select(Box::new(select)), ..Query::default() }, columns))
    }
}
