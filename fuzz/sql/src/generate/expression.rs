//! Random expressions of a type.

use super::{Generator, Scope};
use crate::tree::{Expr, Type};

/// Share of leaves that are constants.
const CONSTANTS: f64 = 0.2;

/// Share of a subquery's leaves that are columns of a query around it.
const OUTER: f64 = 0.05;

impl Generator<'_> {
    /// Returns an expression of a type with at most `depth` levels.
    pub(super) fn expr(&mut self, scope: &Scope, ty: &Type, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(0.3) {
            return self.leaf(scope, ty);
        }
        let deeper = depth - 1;
        match self.random.below(14) {
            0 => {
                let arguments = vec![
                    self.condition(scope, deeper),
                    self.expr(scope, ty, deeper),
                    self.expr(scope, ty, deeper),
                ];
                Expr::new(ty.clone(), "CASE WHEN $0 THEN $1 ELSE $2 END", arguments)
            }
            1 => {
                let key = self.flat_type(scope);
                let arguments = vec![
                    self.expr(scope, &key, deeper),
                    self.value(&key),
                    self.expr(scope, ty, deeper),
                    self.value(&key),
                    self.expr(scope, ty, deeper),
                ];
                Expr::new(ty.clone(), "CASE $0 WHEN $1 THEN $2 WHEN $3 THEN $4 END", arguments)
            }
            2 => {
                let arguments = vec![self.expr(scope, ty, deeper), self.expr(scope, ty, deeper)];
                Expr::new(ty.clone(), "coalesce($0, $1)", arguments)
            }
            3 if ty.is_flat() && *ty != Type::Bool => {
                let arguments = vec![self.expr(scope, ty, deeper), self.expr(scope, ty, deeper)];
                let form = self.pick_text(&["nullif($0, $1)", "greatest($0, $1)", "least($0, $1)"]);
                Expr::new(ty.clone(), form, arguments)
            }
            4 => self.scalar_subquery(scope, ty).unwrap_or_else(|| self.leaf(scope, ty)),
            5 => self.part(scope, ty).unwrap_or_else(|| self.leaf(scope, ty)),
            _ if *ty == Type::Bool => self.condition(scope, depth),
            _ => self.function(scope, ty, deeper).unwrap_or_else(|| self.leaf(scope, ty)),
        }
    }

    /// Returns a column, or a constant.
    pub(super) fn leaf(&mut self, scope: &Scope, ty: &Type) -> Expr {
        if self.random.chance(CONSTANTS) {
            return self.constant(ty);
        }
        let from = if self.random.chance(OUTER) { &scope.outer } else { &scope.leaves };
        self.one_of(from, ty).unwrap_or_else(|| self.constant(ty))
    }

    /// Returns one of some expressions that has a type.
    pub(super) fn one_of(&mut self, leaves: &[Expr], ty: &Type) -> Option<Expr> {
        let fitting: Vec<&Expr> = leaves.iter().filter(|leaf| leaf.ty == *ty).collect();
        (!fitting.is_empty()).then(|| (*self.random.pick(&fitting)).clone())
    }

    /// Returns the type of some leaf, or any that is not nested.
    pub(super) fn flat_type(&mut self, scope: &Scope) -> Type {
        let flat: Vec<&Expr> = scope.leaves.iter().filter(|leaf| leaf.ty.is_flat()).collect();
        if flat.is_empty() || self.random.chance(0.2) {
            use Type::{Bool, Date, Decimal, Double, Stamp, Text, Whole};
            return self.random.pick(&[Bool, Whole, Whole, Double, Decimal, Text, Text, Date, Stamp]).clone();
        }
        self.random.pick(&flat).ty.clone()
    }

    /// Returns the type of some leaf, or a flat one.
    pub(super) fn any_type(&mut self, scope: &Scope) -> Type {
        match scope.leaves.is_empty() || self.random.chance(0.5) {
            true => self.flat_type(scope),
            false => self.random.pick(&scope.leaves).ty.clone(),
        }
    }

    /// Returns a part or a property of a nested value.
    fn part(&mut self, scope: &Scope, ty: &Type) -> Option<Expr> {
        let nested: Vec<&Expr> = scope.leaves.iter().filter(|leaf| !leaf.ty.is_flat()).collect();
        if nested.is_empty() {
            return None;
        }
        let of = (*self.random.pick(&nested)).clone();
        match of.ty.clone() {
            Type::Struct(fields) => {
                let (name, _) = fields.iter().find(|(_, field)| field == ty)?;
                Some(Expr::new(ty.clone(), format!("$0['{name}']"), vec![of]))
            }
            Type::List(element) if *element == *ty => {
                let index = self.number(1, 3);
                Some(Expr::new(ty.clone(), "$0[$1]", vec![of, index]))
            }
            Type::List(_) if *ty == Type::Whole => {
                Some(Expr::new(ty.clone(), ("array_length($0)", "len($0)"), vec![of]))
            }
            _ => None,
        }
    }
}
