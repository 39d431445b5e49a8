//! Lists of values in conditions, and elements of lists as rows.

use super::source::{columns_of, join, scope_of};
use super::{Column, Generator, Scope};
use crate::tree::{Expr, Source, Type};

impl Generator<'_> {
    /// Returns a condition on one value with two lists of values.
    pub(super) fn two_lists(&mut self, scope: &Scope) -> Expr {
        let ty = self.flat_type(scope);
        let leaf = self.leaf(scope, &ty);
        let leaf = match () {
            () if leaf.rough => self.value(&ty),
            () if leaf.narrow && ty == Type::Double => self.widened(leaf),
            () => leaf,
        };
        let mut arguments = vec![leaf];
        let mut lists = Vec::new();
        for _ in 0..2 {
            let mut places = Vec::new();
            for _ in 0..1 + self.random.below(4) {
                places.push(format!("${}", arguments.len()));
                arguments.push(self.constant(&ty));
            }
            let not = self.pick_text(&["", "", "NOT "]);
            lists.push(format!("($0 {not}IN ({}))", places.join(", ")));
        }
        let form = self.pick_text(&["(A AND B)", "(A OR B)", "NOT (A AND B)", "NOT (A OR B)", "(A = B)"]);
        let simpler = lists.iter().map(|list| list.as_str().into()).collect();
        let form = form.replace('A', "{a}").replace('B', "{b}").replace("{a}ND", "AND");
        let form = form.replace("{a}", &lists[0]).replace("{b}", &lists[1]);
        Expr::new(Type::Bool, form, arguments).simpler(simpler)
    }

    /// Returns a table joined with the elements of one of its lists; none where there is no list.
    pub(super) fn elements(&mut self) -> Option<(Source, Scope, usize)> {
        let table = self.random.pick(self.tables);
        let (alias, elements) = (self.name("a"), self.name("u"));
        let mut scope = scope_of(&alias, &columns_of(table), false);
        let lists: Vec<_> = scope.leaves.iter().filter(|leaf| matches!(leaf.ty, Type::List(_))).collect();
        if lists.is_empty() {
            return None;
        }
        let list = (*self.random.pick(&lists)).clone();
        let Type::List(element) = list.ty else { return None };
        let column = Column { name: "e".to_owned(), ty: *element, rough: false, narrow: true };
        scope.leaves.extend(scope_of(&elements, &[column], false).leaves);
        let left = Source::Table { name: table.name.clone(), alias };
        let unnested =
            Source::Table { name: format!("UNNEST({})", list.form.pelton), alias: format!("{elements}(e)") };
        Some((join("CROSS JOIN", left, unnested, None), scope, table.rows() * 3))
    }
}
