//! Random conditions.

use super::{Generator, Scope};
use crate::tree::{Expr, Form, Type};

pub(super) const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

impl Generator<'_> {
    /// Returns a condition with at most `depth` levels.
    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> Expr {
        let deeper = depth.saturating_sub(1);
        if depth > 0 && self.random.chance(0.4) {
            let form = self.pick_text(&["($0 AND $1)", "($0 OR $1)", "(NOT $0)"]);
            let arguments = match form {
                "(NOT $0)" => vec![self.condition(scope, deeper)],
                _ => vec![self.condition(scope, deeper), self.condition(scope, deeper)],
            };
            return Expr::new(Type::Bool, form, arguments);
        }
        if self.random.chance(0.05) {
            return self.two_lists(scope);
        }
        let ty = self.flat_type(scope);
        match self.random.below(20) {
            0 | 1 => {
                let ty = self.any_type(scope);
                let tested = self.expr(scope, &ty, deeper);
                let form = self.pick_text(&["($0 IS NULL)", "($0 IS NOT NULL)"]);
                Expr::new(Type::Bool, form, vec![tested])
            }
            2 => {
                let form = self.pick_text(&["($0 IS DISTINCT FROM $1)", "($0 IS NOT DISTINCT FROM $1)"]);
                self.compared(scope, &ty, deeper, form)
            }
            3 => self.between(scope, &ty, deeper),
            4 | 5 => self.in_list(scope, &ty),
            6 => {
                let form = self.pick_text(&["($0 LIKE $1)", "($0 NOT LIKE $1)", "($0 ILIKE $1)"]);
                let arguments = vec![self.expr(scope, &Type::Text, deeper), self.like_pattern()];
                Expr::new(Type::Bool, form, arguments)
            }
            7 if self.random.chance(0.4) => {
                let arguments = vec![self.expr(scope, &Type::Text, deeper), self.similar_pattern()];
                Expr::new(Type::Bool, ("($0 SIMILAR TO $1)", "regexp_full_match($0, $1, 's')"), arguments)
            }
            8 => self.leaf(scope, &Type::Bool),
            9 | 10 => match self.function(scope, &Type::Bool, deeper) {
                Some(condition) => condition,
                None => self.leaf(scope, &Type::Bool),
            },
            11..=13 => match self.with_subquery(scope) {
                Some(condition) => condition,
                None => self.comparison(scope, &ty, deeper),
            },
            14 => self.holds(scope).unwrap_or_else(|| self.comparison(scope, &ty, deeper)),
            _ => self.comparison(scope, &ty, deeper),
        }
    }

    fn comparison(&mut self, scope: &Scope, ty: &Type, depth: usize) -> Expr {
        let operator = self.pick_text(&COMPARISONS);
        self.compared(scope, ty, depth, &format!("($0 {operator} $1)"))
    }

    fn compared(&mut self, scope: &Scope, ty: &Type, depth: usize, form: &str) -> Expr {
        // filters on pages, statistics and bloom filters need a column on the left
        let left = if self.random.chance(0.5) { self.leaf(scope, ty) } else { self.expr(scope, ty, depth) };
        let right = if self.random.chance(0.4) { self.value(ty) } else { self.expr(scope, ty, depth) };
        // a rounded value next to a bound may be on either side of it
        let arguments =
            [left, right].map(|side| if side.rough { self.value(ty) } else { self.of_64_bits(side) });
        Expr::new(Type::Bool, form, arguments.into())
    }

    /// Floats of 32 bits are compared with others as floats of 64.
    fn of_64_bits(&mut self, expr: Expr) -> Expr {
        if expr.narrow && expr.ty == Type::Double { self.widened(expr) } else { expr }
    }

    fn between(&mut self, scope: &Scope, ty: &Type, depth: usize) -> Expr {
        let form = self.pick_text(&["($0 BETWEEN $1 AND $2)", "($0 NOT BETWEEN $1 AND $2)"]);
        let arguments = vec![self.leaf(scope, ty), self.value(ty), self.expr(scope, ty, depth.min(1))];
        let arguments =
            arguments.into_iter().map(|one| if one.rough { self.value(ty) } else { self.of_64_bits(one) });
        Expr::new(Type::Bool, form, arguments.collect())
    }

    fn in_list(&mut self, scope: &Scope, ty: &Type) -> Expr {
        let left = self.leaf(scope, ty);
        let left = if left.rough { self.value(ty) } else { self.of_64_bits(left) };
        let mut arguments = vec![left];
        for _ in 0..1 + self.random.below(5) {
            let element = if self.random.chance(0.85) { self.value(ty) } else { self.constant(ty) };
            arguments.push(element);
        }
        let places: Vec<String> = (1..arguments.len()).map(|index| format!("${index}")).collect();
        let not = self.pick_text(&["", "NOT "]);
        let listed = not.is_empty() && self.random.chance(0.1);
        let form = |places: &[String]| match (places.join(", "), listed) {
            (places, true) => Form::from(format!("($0 = ANY([{places}]))")),
            (places, false) => Form::from(format!("($0 {not}IN ({places}))")),
        };
        let simpler = (1..places.len()).map(|length| form(&places[..length])).collect();
        Expr::new(Type::Bool, form(&places), arguments).simpler(simpler)
    }

    /// Returns whether a list has an element.
    fn holds(&mut self, scope: &Scope) -> Option<Expr> {
        let lists: Vec<&Expr> = scope.leaves.iter().filter(|leaf| matches!(leaf.ty, Type::List(_))).collect();
        if lists.is_empty() {
            return None;
        }
        let list = (*self.random.pick(&lists)).clone();
        let Type::List(element) = list.ty.clone() else { return None };
        if !element.is_flat() {
            return None;
        }
        let value = self.value(&element);
        Some(Expr::new(Type::Bool, ("array_has($0, $1)", "list_contains($0, $1)"), vec![list, value]))
    }
}
