//! Walks over syntax trees: sqlparser's visitors, called through a vtable.
//!
//! sqlparser compiles its walk, hundreds of functions, again for each type of visitor. [`Walk`] and
//! [`WalkMut`] compile it once.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, ObjectName, Query, Select, Statement, TableFactor, ValueWithSpan, Visit, VisitMut, Visitor,
    VisitorMut,
};

/// Defines an object-safe form of a trait of visitors, its implementation for a visitor whose
/// result is kept beside it, and a visitor that calls it.
macro_rules! through_a_vtable {
    ($of:ident, $object:ident, $by:ident, [$($method:ident($node:ty)),* $(,)?]) => {
        trait $object {
            $(fn $method(&mut self, node: $node) -> ControlFlow<()>;)*
        }

        impl<V: $of> $object for Kept<'_, V, V::Break> {
            $(fn $method(&mut self, node: $node) -> ControlFlow<()> {
                match self.visitor.$method(node) {
                    ControlFlow::Continue(()) => ControlFlow::Continue(()),
                    ControlFlow::Break(result) => {
                        self.result = Some(result);
                        ControlFlow::Break(())
                    }
                }
            })*
        }

        struct $by<'a>(&'a mut dyn $object);

        impl $of for $by<'_> {
            type Break = ();

            $(fn $method(&mut self, node: $node) -> ControlFlow<()> {
                self.0.$method(node)
            })*
        }
    };
}

/// A visitor, and the result that it ended the walk with.
struct Kept<'a, V, B> {
    visitor: &'a mut V,
    result: Option<B>,
}

through_a_vtable!(
    Visitor,
    VisitObject,
    ByObject,
    [
        pre_visit_query(&Query),
        post_visit_query(&Query),
        pre_visit_select(&Select),
        post_visit_select(&Select),
        pre_visit_relation(&ObjectName),
        post_visit_relation(&ObjectName),
        pre_visit_table_factor(&TableFactor),
        post_visit_table_factor(&TableFactor),
        pre_visit_expr(&Expr),
        post_visit_expr(&Expr),
        pre_visit_statement(&Statement),
        post_visit_statement(&Statement),
        pre_visit_value(&ValueWithSpan),
        post_visit_value(&ValueWithSpan),
    ]
);

through_a_vtable!(
    VisitorMut,
    VisitMutObject,
    ByMutObject,
    [
        pre_visit_query(&mut Query),
        post_visit_query(&mut Query),
        pre_visit_select(&mut Select),
        post_visit_select(&mut Select),
        pre_visit_relation(&mut ObjectName),
        post_visit_relation(&mut ObjectName),
        pre_visit_table_factor(&mut TableFactor),
        post_visit_table_factor(&mut TableFactor),
        pre_visit_expr(&mut Expr),
        post_visit_expr(&mut Expr),
        pre_visit_statement(&mut Statement),
        post_visit_statement(&mut Statement),
        pre_visit_value(&mut ValueWithSpan),
        post_visit_value(&mut ValueWithSpan),
    ]
);

/// Returns a walk's end with the visitor's own result.
fn end<V, B>(walked: ControlFlow<()>, kept: Kept<'_, V, B>) -> ControlFlow<B> {
    match (walked, kept.result) {
        (ControlFlow::Break(()), Some(result)) => ControlFlow::Break(result),
        _ => ControlFlow::Continue(()),
    }
}

/// A node that visitors can read.
pub(super) trait Walk: Visit + Sized {
    /// Has a visitor read the node and all nodes below it.
    fn walk<V: Visitor>(&self, visitor: &mut V) -> ControlFlow<V::Break> {
        let mut kept = Kept { visitor, result: None };
        end(self.visit(&mut ByObject(&mut kept)), kept)
    }
}

impl<N: Visit> Walk for N {}

/// A node that visitors can change.
pub(in crate::plan) trait WalkMut: VisitMut + Sized {
    /// Has a visitor change the node and all nodes below it.
    fn walk_mut<V: VisitorMut>(&mut self, visitor: &mut V) -> ControlFlow<V::Break> {
        let mut kept = Kept { visitor, result: None };
        end(self.visit(&mut ByMutObject(&mut kept)), kept)
    }
}

impl<N: VisitMut> WalkMut for N {}

/// Calls `each` for every expression of a node, outer ones first, until it breaks.
pub(super) fn each_expression(
    node: &impl Visit,
    each: impl FnMut(&Expr) -> ControlFlow<()>,
) -> ControlFlow<()> {
    struct Each<F>(F);

    impl<F: FnMut(&Expr) -> ControlFlow<()>> Visitor for Each<F> {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            (self.0)(expr)
        }
    }

    node.walk(&mut Each(each))
}
