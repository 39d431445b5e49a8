//! Walks over plans and expressions that call closures through a vtable.
//!
//! DataFusion compiles a walk, with all kinds of nodes, again for each closure. The methods here
//! are compiled once for each type of node, and behave as those that they call.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Stack that is left when a walk gets more, and its bytes.
const RED_ZONE: usize = 128 << 10;
const STACK: usize = 2 << 20;

/// Goes down one step of a walk that is written as a function which calls itself, with more stack
/// if little is left. The walks of DataFusion do so by themselves.
pub(crate) fn grown<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK, step)
}

type Read<'f, N> = &'f mut dyn FnMut(&N) -> Result<TreeNodeRecursion>;
type Rewrite<'f, N> = &'f mut dyn FnMut(N) -> Result<Transformed<N>>;

/// A node of a tree, with [`TreeNode`]'s methods.
pub(crate) trait Tree: TreeNode {
    /// As [`TreeNode::apply`].
    fn apply(&self, mut read: impl FnMut(&Self) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion> {
        TreeNode::apply(self, &mut read as Read<'_, Self>)
    }

    /// As [`TreeNode::apply_children`].
    fn apply_children(
        &self,
        mut read: impl FnMut(&Self) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        TreeNode::apply_children(self, &mut read as Read<'_, Self>)
    }

    /// As [`TreeNode::exists`].
    fn exists(&self, mut test: impl FnMut(&Self) -> Result<bool>) -> Result<bool> {
        TreeNode::exists(self, &mut test as &mut dyn FnMut(&Self) -> Result<bool>)
    }

    /// As [`TreeNode::transform_up`].
    fn transform_up(
        self,
        mut rewrite: impl FnMut(Self) -> Result<Transformed<Self>>,
    ) -> Result<Transformed<Self>> {
        TreeNode::transform_up(self, &mut rewrite as Rewrite<'_, Self>)
    }

    /// As [`TreeNode::transform_down`].
    fn transform_down(
        self,
        mut rewrite: impl FnMut(Self) -> Result<Transformed<Self>>,
    ) -> Result<Transformed<Self>> {
        TreeNode::transform_down(self, &mut rewrite as Rewrite<'_, Self>)
    }

    /// As [`TreeNode::map_children`].
    fn map_children(
        self,
        mut rewrite: impl FnMut(Self) -> Result<Transformed<Self>>,
    ) -> Result<Transformed<Self>> {
        TreeNode::map_children(self, &mut rewrite as Rewrite<'_, Self>)
    }
}

impl<N: TreeNode> Tree for N {}

/// A logical plan, with the methods of [`LogicalPlan`] over its subqueries and its expressions.
pub(crate) trait PlanTree: Sized {
    /// As [`LogicalPlan::apply_with_subqueries`].
    fn apply_to_all(&self, read: impl FnMut(&Self) -> Result<TreeNodeRecursion>)
    -> Result<TreeNodeRecursion>;

    /// As [`LogicalPlan::transform_up_with_subqueries`].
    fn transform_all_up(
        self,
        rewrite: impl FnMut(Self) -> Result<Transformed<Self>>,
    ) -> Result<Transformed<Self>>;

    /// As [`LogicalPlan::apply_expressions`].
    fn apply_to_expressions(
        &self,
        read: impl FnMut(&Expr) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion>;

    /// As [`LogicalPlan::map_expressions`].
    fn rewrite_expressions(
        self,
        rewrite: impl FnMut(Expr) -> Result<Transformed<Expr>>,
    ) -> Result<Transformed<Self>>;
}

impl PlanTree for LogicalPlan {
    fn apply_to_all(
        &self,
        mut read: impl FnMut(&Self) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.apply_with_subqueries(&mut read as Read<'_, Self>)
    }

    fn transform_all_up(
        self,
        mut rewrite: impl FnMut(Self) -> Result<Transformed<Self>>,
    ) -> Result<Transformed<Self>> {
        self.transform_up_with_subqueries(&mut rewrite as Rewrite<'_, Self>)
    }

    fn apply_to_expressions(
        &self,
        mut read: impl FnMut(&Expr) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.apply_expressions(&mut read as Read<'_, Expr>)
    }

    fn rewrite_expressions(
        self,
        mut rewrite: impl FnMut(Expr) -> Result<Transformed<Expr>>,
    ) -> Result<Transformed<Self>> {
        self.map_expressions(&mut rewrite as Rewrite<'_, Expr>)
    }
}
