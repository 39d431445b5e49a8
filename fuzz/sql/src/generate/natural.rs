//! Random joins by the columns that both sides have: NATURAL joins of every kind.

use super::source::{both_sides, columns_of, join, scope_of};
use super::{Generator, Scope};
use crate::tree::{Body, Expr, Item, Query, Select, Source};

const JOINS: [&str; 5] =
    ["NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL RIGHT JOIN", "NATURAL FULL JOIN", "NATURAL FULL JOIN"];

/// Most pairs of rows.
const PAIRS: usize = 20_000;

impl Generator<'_> {
    /// Two or three tables joined by one or two columns, which expressions name without a table.
    pub(super) fn natural(&mut self) -> Option<(Source, Scope, usize)> {
        let table = self.random.below(self.tables.len());
        let leaves = scope_of("", &columns_of(&self.tables[table]), false).leaves;
        let leaves = Scope { leaves, ..Scope::default() };
        let mut shared = Vec::new();
        for _ in 0..1 + usize::from(self.random.chance(0.3)) {
            let ty = self.flat_type(&leaves);
            shared.push((self.name("k"), self.one_of(&leaves.leaves, &ty)?.ty));
        }
        let (mut source, mut scope, mut rows) = self.side(table, &shared)?;
        for _ in 0..1 + usize::from(self.random.chance(0.2)) {
            let table = self.random.below(self.tables.len());
            let (right, right_scope, right_rows) = self.side(table, &shared)?;
            let pairs = rows.saturating_mul(right_rows);
            if pairs > PAIRS {
                return None;
            }
            source = join(self.pick_text(&JOINS), source, right, None);
            scope = both_sides(scope, right_scope);
            rows = rows.max(right_rows).max(pairs / 8);
        }
        let keys = shared.iter().map(|(name, ty)| Expr::leaf(ty.clone(), name.as_str()));
        scope.leaves.extend(keys);
        Some((source, scope, rows))
    }

    /// Returns a subquery with columns of the shared names, and one more; the scope has that one
    /// alone.
    fn side(
        &mut self,
        table: usize,
        shared: &[(String, crate::tree::Type)],
    ) -> Option<(Source, Scope, usize)> {
        let table = &self.tables[table];
        let (inner, alias) = (self.name("a"), self.name("q"));
        let own = scope_of(&inner, &columns_of(table), false).leaves;
        let mut items = Vec::new();
        for (name, ty) in shared {
            let value = self.one_of(&own, ty)?;
            // columns of both sides have one type
            items.push(Item { value: value.of_64_bits(), name: name.clone() });
        }
        let value = self.random.pick(&own).clone();
        let name = self.name("x");
        let beside = Expr { form: format!("{alias}.{name}").as_str().into(), ..value.clone() };
        items.push(Item { value, name });
        if self.random.chance(0.5) {
            items.reverse();
        }
        let from = Some(Source::Table { name: table.name.clone(), alias: inner });
        let select = Select { items, from, ..Select::default() };
        let query = Box::new(Query { body: Body::Select(Box::new(select)), ..Query::default() });
        let scope = Scope { leaves: vec![beside], ..Scope::default() };
        Some((Source::Query { query, alias, columns: Vec::new(), lateral: false }, scope, table.rows()))
    }
}
