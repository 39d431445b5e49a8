//! Subqueries in expressions: IN, EXISTS, ANY, ALL, scalar ones; correlated by equality, by order,
//! or not at all.

use super::condition::COMPARISONS;
use super::source::{both_sides, join};
use super::{Column, Generator, Scope};
use crate::tree::{Body, Expr, Group, Item, Query, Select, Type};

impl Generator<'_> {
    /// Returns a condition with a subquery, while there is budget for one.
    pub(super) fn with_subquery(&mut self, scope: &Scope) -> Option<Expr> {
        if !self.spend() {
            return None;
        }
        let ty = self.flat_type(scope);
        Some(match self.random.below(10) {
            0..=2 => {
                let form = self.pick_text(&["EXISTS ($0)", "NOT EXISTS ($0)", "EXISTS ($0)"]);
                let query = self.inner(scope, std::slice::from_ref(&ty));
                Expr::new(Type::Bool, form, Vec::new()).with_query(query)
            }
            3..=6 => {
                let form = self.pick_text(&["($0 IN ($1))", "($0 NOT IN ($1))"]);
                let left = self.sound_leaf(scope, &ty);
                let query = self.inner(scope, &[ty]);
                Expr::new(Type::Bool, form, vec![left]).with_query(query)
            }
            7 => {
                let other = self.flat_type(scope);
                let form = self.pick_text(&["(($0, $1) IN ($2))", "(($0, $1) NOT IN ($2))"]);
                let left = vec![self.sound_leaf(scope, &ty), self.sound_leaf(scope, &other)];
                let query = self.inner(scope, &[ty, other]);
                Expr::new(Type::Bool, form, left).with_query(query)
            }
            _ => {
                let operator = self.pick_text(&COMPARISONS);
                let quantifier = self.pick_text(&["ANY", "ALL"]);
                let left = self.sound_leaf(scope, &ty);
                let query = self.inner(scope, &[ty]);
                Expr::new(Type::Bool, format!("($0 {operator} {quantifier} ($1))"), vec![left])
                    .with_query(query)
            }
        })
    }

    /// Returns a scalar subquery of one row at most: an aggregate without groups, or the first
    /// value in order.
    pub(super) fn scalar_subquery(&mut self, scope: &Scope, ty: &Type) -> Option<Expr> {
        if !ty.is_flat() || *ty == Type::Bool || !self.spend() {
            return None;
        }
        let (from, inner) = self.source(&all_outer(scope), 1);
        let mut select = Select { from: Some(from), ..Select::default() };
        select.filter = self.correlation(scope, &inner);
        let of = self.sound_leaf(&inner, ty);
        if self.random.chance(0.2) {
            select.items.push(Item { value: of, name: "c0".to_owned() });
            let key = Expr::leaf(ty.clone(), "c0");
            let (order, offset) = (vec![self.order(key)], self.random.chance(0.2).then_some(1));
            let body = Body::Select(Box::new(select));
            let query = Query { body, order, limit: Some(1), offset, ..Query::default() };
            return Some(Expr::new(ty.clone(), "($0)", Vec::new()).with_query(query).narrow(true));
        }
        let form = match *ty == Type::Whole {
            true => self.pick_text(&["min($0)", "max($0)", "sum($0)", "count($0)", "count(*)"]),
            false => self.pick_text(&["min($0)", "max($0)"]),
        };
        let of = self.widened(of);
        let value = Expr::new(ty.clone(), form, if form == "count(*)" { vec![] } else { vec![of] });
        select.items.push(Item { value, name: "c0".to_owned() });
        let query = Query { body: Body::Select(Box::new(select)), ..Query::default() };
        Some(Expr::new(ty.clone(), "($0)", Vec::new()).with_query(query))
    }

    /// Returns a subquery with columns of the types, often correlated.
    fn inner(&mut self, scope: &Scope, types: &[Type]) -> Query {
        if self.random.chance(0.2) {
            return self.query(&all_outer(scope), Some(types), 1).0;
        }
        let (from, inner) = self.source(&all_outer(scope), 1);
        let mut select = Select { from: Some(from), ..Select::default() };
        select.filter = self.correlation(scope, &inner);
        if self.random.chance(0.3) {
            let more = self.condition(&inner, 1);
            select.filter = Some(match select.filter.take() {
                Some(filter) => Expr::new(Type::Bool, "($0 AND $1)", vec![filter, more]),
                None => more,
            });
        }
        let grouped = self.random.chance(0.25);
        for (index, ty) in types.iter().enumerate() {
            let leaf = self.sound_leaf(&inner, ty);
            let form = if *ty == Type::Whole && self.random.chance(0.4) { "count($0)" } else { "max($0)" };
            let value = if grouped { Expr::new(ty.clone(), form, vec![leaf]) } else { leaf };
            select.items.push(Item { value, name: format!("c{index}") });
        }
        if grouped && self.random.chance(0.5) {
            let ty = self.flat_type(&inner);
            let key = self.one_of(&inner.leaves, &ty).filter(|key| !key.rough);
            select.group = key.map_or(Group::None, |key| Group::Keys(vec![key]));
        }
        let mut query = Query { body: Body::Select(Box::new(select)), ..Query::default() };
        if self.random.chance(0.12) {
            let key = |(index, ty): (usize, &Type)| Expr::leaf(ty.clone(), format!("c{index}"));
            query.order = types.iter().enumerate().map(key).map(|key| self.order(key)).collect();
            query.limit = Some(*self.random.pick(&[0, 1, 2, 5]));
            query.offset = self.random.chance(0.3).then(|| 1 + self.random.below(3));
        }
        query
    }

    /// Returns a condition on a column of the inner and one of the outer query.
    fn correlation(&mut self, outer: &Scope, inner: &Scope) -> Option<Expr> {
        if self.random.chance(0.35) {
            return None;
        }
        let ty = self.flat_type(inner);
        let left = self.one_of(&inner.leaves, &ty).filter(|leaf| !leaf.rough)?;
        let right = self.one_of(&all_outer(outer), &ty).filter(|leaf| !leaf.rough)?;
        let operator = if self.random.chance(0.7) { "=" } else { self.pick_text(&COMPARISONS) };
        let sides = [left, right].map(|side| if side.ty == Type::Double { self.widened(side) } else { side });
        Some(Expr::new(Type::Bool, format!("($0 {operator} $1)"), sides.into()))
    }

    /// Returns a leaf that is compared exactly.
    fn sound_leaf(&mut self, scope: &Scope, ty: &Type) -> Expr {
        let leaf = self.leaf(scope, ty);
        match () {
            () if leaf.rough => self.value(ty),
            () if leaf.narrow && leaf.ty == Type::Double => self.widened(leaf),
            () => leaf,
        }
    }
}

/// Returns the expressions that a subquery of this scope may name: columns, and none computed from
/// a group or a window.
fn all_outer(scope: &Scope) -> Vec<Expr> {
    scope
        .leaves
        .iter()
        .chain(&scope.outer)
        .filter(|leaf| leaf.is_leaf() && leaf.is_column())
        .cloned()
        .collect()
}

/// Maximum number of pairs of rows.
const PAIRS: usize = 40_000;

impl Generator<'_> {
    /// Returns such a query; none where the subqueries are too large or have no columns to group
    /// by.
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
            items.push(Expr::leaf(Type::Whole, "count(*)"));
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
