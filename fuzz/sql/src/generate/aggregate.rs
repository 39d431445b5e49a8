//! Random aggregates and their groups.

use super::{Generator, Scope};
use crate::tree::{Expr, Form, Group, Select, Type};

impl Generator<'_> {
    /// Makes a SELECT one over groups; the scope of its keys and aggregates, and the first
    /// aggregate.
    pub(super) fn aggregated(&mut self, select: &mut Select, scope: &Scope, depth: usize) -> (Scope, Expr) {
        let outer = scope.outer.clone();
        // an aggregate over columns of the query around belongs to that query
        let scope = &Scope { outer: Vec::new(), ..scope.clone() };
        let count = *self.random.pick(&[0, 1, 1, 1, 2, 2, 3]);
        let mut keys: Vec<Expr> = Vec::new();
        for _ in 0..count {
            let ty = self.flat_type(scope);
            let key = match self.random.chance(0.75) {
                true => self.one_of(&scope.leaves, &ty),
                false => Some(self.expr(scope, &ty, 1)),
            };
            // a constant is a column's number to GROUP BY, and a rounded value a group of its own
            keys.extend(key.filter(|key| !key.rough && has_column(key) && !keys.contains(key)));
        }
        if self.random.chance(0.04) {
            let (left, right) = (self.value(&Type::Text), self.value(&Type::Text));
            keys.push(Expr::new(Type::Bool, "($0 = $1)", vec![left, right]));
        }
        select.group = self.grouped(&keys);
        let aggregates = 1 + self.random.below(3);
        let mut leaves = keys.clone();
        let first = self.aggregate(scope, depth.min(2));
        leaves.push(first.clone());
        for _ in 1..aggregates {
            leaves.push(self.aggregate(scope, depth.min(2)));
        }
        if !matches!(select.group, Group::None | Group::Keys(_)) && self.random.chance(0.4) {
            let key = self.random.pick(&keys).clone();
            leaves.push(Expr::new(Type::Whole, "grouping($0)", vec![key]));
        }
        let groups = Scope { leaves, keys: None, outer };
        if self.random.chance(0.25) {
            let sound = groups.leaves.iter().filter(|leaf| !leaf.rough).cloned().collect();
            let sound = Scope { leaves: sound, ..groups.clone() };
            select.having = Some(self.condition(&sound, 1));
        }
        (groups, first)
    }

    /// Returns an aggregate over a group.
    fn aggregate(&mut self, scope: &Scope, depth: usize) -> Expr {
        let aggregate = self.plain_aggregate(scope, depth);
        if !self.random.chance(0.12) {
            return aggregate;
        }
        let index = aggregate.arguments.len();
        let condition = self.condition(scope, 1);
        let with = |text: &str| match text.strip_prefix("CAST(sum(") {
            Some(_) => text.replacen(") AS ", &format!(") FILTER (WHERE ${index}) AS "), 1),
            None => format!("{text} FILTER (WHERE ${index})"),
        };
        let form =
            Form { pelton: with(&aggregate.form.pelton), duckdb: aggregate.form.duckdb.as_deref().map(with) };
        let mut filtered = Expr { simpler: vec![aggregate.form.clone()], form, ..aggregate };
        filtered.arguments.push(crate::tree::Argument::Expr(condition));
        filtered
    }

    fn plain_aggregate(&mut self, scope: &Scope, depth: usize) -> Expr {
        let any = self.flat_type(scope);
        let number = self.random.pick(&[Type::Whole, Type::Whole, Type::Decimal, Type::Double]).clone();
        match self.random.below(18) {
            0 | 1 => Expr::leaf(Type::Whole, "count(*)"),
            2 => Expr::new(Type::Whole, "count($0)", vec![self.expr(scope, &any, depth)]),
            3 => {
                let counted = self.expr(scope, &any, depth);
                let form = if counted.rough { "count($0)" } else { "count(DISTINCT $0)" };
                Expr::new(Type::Whole, form, vec![counted]).sound()
            }
            4..=6 => {
                let summed = self.expr(scope, &number, depth);
                let sum = Expr::new(number.clone(), sum_of(&number, "$0"), vec![self.widened(summed)]);
                if number == Type::Double { sum.rough() } else { sum }
            }
            7 if number != Type::Double => {
                let summed = self.expr(scope, &number, depth);
                Expr::new(number.clone(), sum_of(&number, "DISTINCT $0"), vec![self.widened(summed)])
            }
            8 | 9 => Expr::new(any.clone(), "min($0)", vec![self.expr(scope, &any, depth)]),
            10 | 11 => Expr::new(any.clone(), "max($0)", vec![self.expr(scope, &any, depth)]),
            12 => {
                let mean = self.expr(scope, &number, depth);
                Expr::new(Type::Double, "avg(CAST($0 AS DOUBLE))", vec![mean]).rough()
            }
            13 if self.random.chance(0.4) => {
                let element = self.leaf(scope, &any);
                let list = Type::List(Box::new(any));
                match has_column(&element) && !element.rough {
                    true => Expr::new(list, "array_agg($0 ORDER BY $0 ASC NULLS LAST)", vec![element]),
                    false => Expr::leaf(Type::Whole, "count(*)"),
                }
            }
            13 => {
                let form = self.pick_text(&["bool_and($0)", "bool_or($0)"]);
                Expr::new(Type::Bool, form, vec![self.condition(scope, 1)])
            }
            16 => {
                let form = self.pick_text(&["bit_and($0)", "bit_or($0)", "bit_xor($0)"]);
                let of = self.expr(scope, &Type::Whole, depth);
                Expr::new(Type::Whole, form.replace("$0", "CAST($0 AS BIGINT)"), vec![of])
            }
            17 => {
                let form = self.pick_text(&["median($0)", "covar_pop($0, $1)"]);
                let count = if form.contains("$1") { 2 } else { 1 };
                let of = [self.leaf(scope, &Type::Whole), self.leaf(scope, &Type::Decimal)];
                let form = form.replace("$0", "CAST($0 AS DOUBLE)").replace("$1", "CAST($1 AS DOUBLE)");
                Expr::new(Type::Double, form, of.into_iter().take(count).collect()).rough()
            }
            14 => {
                let Some(text) = self.one_of(&scope.leaves, &Type::Text).filter(has_column) else {
                    return Expr::leaf(Type::Whole, "count(*)");
                };
                let form = self.pick_text(&[
                    "string_agg($0, ',' ORDER BY $0)",
                    "string_agg(DISTINCT $0, '' ORDER BY $0)",
                ]);
                Expr::new(Type::Text, form, vec![text])
            }
            _ => {
                let form = self.pick_text(&["stddev($0)", "var_pop($0)"]);
                let of = self.expr(scope, &Type::Whole, depth.min(1));
                Expr::new(Type::Double, form.replace("$0", "CAST($0 AS DOUBLE)"), vec![of]).rough()
            }
        }
    }
}

impl Expr {
    /// Returns the same, exact though its arguments are not.
    fn sound(mut self) -> Self {
        self.rough = false;
        self
    }
}

/// Returns a sum. Sums of decimals allow for further digits behind the point: DuckDB rounds
/// operands of 38 digits.
pub(super) fn sum_of(number: &Type, of: &str) -> String {
    match number {
        Type::Decimal => format!("CAST(sum({of}) AS DECIMAL(30, 4))"),
        _ => format!("sum({of})"),
    }
}

/// Returns whether an expression names a column.
fn has_column(expr: &Expr) -> bool {
    expr.is_column()
        || expr.arguments.iter().any(|argument| match argument {
            crate::tree::Argument::Expr(expr) => has_column(expr),
            crate::tree::Argument::Query(_) => false,
        })
}
