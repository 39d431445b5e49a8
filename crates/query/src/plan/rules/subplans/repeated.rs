//! Search for equal parts of a plan.
//!
//! Each node has a hash of its whole subtree, made from those of its children. Parts with the same
//! hash are compared. The largest ones are shared first; a part within them is shared if it is
//! mentioned twice or more in the rest of the plan and once within each shared part.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::logical_plan::TableScan;
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::mentions::mention;
use super::table::{CommonSubplan, CommonTable};
use crate::tree::{PlanTree, Tree, grown};

/// Returns the plan with a scan for each mention of a part that it has more than once.
pub(super) fn shared(plan: LogicalPlan) -> Result<LogicalPlan> {
    let (leaves, shared) = leaves(&plan)?;
    // most plans have one table
    if leaves < 2 {
        return Ok(plan);
    }
    let mut survey = Survey::default();
    survey.visit(&plan)?;
    let chosen = survey.chosen();
    if chosen.is_empty() {
        return Ok(plan);
    }
    let mut rebuilt = Rebuilt { chosen, known: HashMap::new(), next: 0, shared };
    rebuilt.visit(plan).map(|rebuilt| rebuilt.data)
}

/// Returns the number of nodes without inputs, and the greatest number of a common subplan that a
/// plan mentions already.
fn leaves(plan: &LogicalPlan) -> Result<(usize, usize)> {
    let (mut leaves, mut shared) = (0, 0);
    plan.apply_to_all(|node| {
        leaves += usize::from(node.inputs().is_empty());
        shared = shared.max(CommonTable::of(node).map_or(0, |(common, _)| common.id));
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok((leaves, shared))
}

/// A part that may be shared.
#[derive(Debug, Clone)]
struct Candidate {
    hash: u64,
    /// Its nodes, by number: a node is followed by its subqueries, and these by its inputs.
    nodes: Range<usize>,
}

/// The parts of a plan.
#[derive(Default)]
struct Survey {
    nodes: usize,
    parts: Vec<Candidate>,
}

/// Facts about a subtree.
struct Summary {
    hash: u64,
    /// Has an operator that costs more than its rows take to keep.
    is_costly: bool,
    /// Gives the same rows wherever it stands.
    is_fixed: bool,
}

impl Survey {
    fn visit(&mut self, plan: &LogicalPlan) -> Result<Summary> {
        grown(|| self.visit_node(plan))
    }

    fn visit_node(&mut self, plan: &LogicalPlan) -> Result<Summary> {
        let first = self.nodes;
        self.nodes += 1;
        let mut hasher = DefaultHasher::new();
        hash_node(plan, &mut hasher);
        let mut is_fixed = is_query(plan);
        plan.apply_to_expressions(|expression| {
            expression.hash(&mut hasher);
            is_fixed &= !expression.is_volatile() && !refers_outside(expression)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        let mut is_costly = is_costly(plan);
        if is_recursive(plan) {
            // its parts belong to its rounds
            is_fixed &= is_fixed_throughout(plan)?;
            plan.hash(&mut hasher);
        } else {
            let mut add = |part: Summary| {
                part.hash.hash(&mut hasher);
                is_costly |= part.is_costly;
                is_fixed &= part.is_fixed;
            };
            let mut below = Vec::new();
            plan.apply_subqueries(|subquery| {
                below.push(self.visit(subquery)?);
                Ok(TreeNodeRecursion::Continue)
            })?;
            Tree::apply_children(plan, |input| {
                below.push(self.visit(input)?);
                Ok(TreeNodeRecursion::Continue)
            })?;
            below.into_iter().for_each(&mut add);
        }
        let hash = hasher.finish();
        if is_costly && is_fixed && !matches!(plan, LogicalPlan::Subquery(_)) {
            self.parts.push(Candidate { hash, nodes: first..self.nodes });
        }
        Ok(Summary { hash, is_costly, is_fixed })
    }

    /// Returns the parts to share, by the numbers of their first nodes.
    fn chosen(mut self) -> HashMap<usize, Candidate> {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        self.parts.iter().for_each(|part| *counts.entry(part.hash).or_default() += 1);
        self.parts.retain(|part| counts[&part.hash] > 1);
        self.parts.sort_by_key(|part| (usize::MAX - part.nodes.len(), part.hash, part.nodes.start));
        let mut chosen = HashMap::new();
        let mut removed: Vec<Range<usize>> = Vec::new();
        for equal in self.parts.chunk_by(|a, b| a.hash == b.hash) {
            let is_left = |part: &&Candidate| !removed.iter().any(|nodes| nodes.contains(&part.nodes.start));
            let left: Vec<&Candidate> = equal.iter().filter(is_left).collect();
            if left.len() > 1 {
                removed.extend(left[1..].iter().map(|part| part.nodes.clone()));
                chosen.extend(left.into_iter().map(|part| (part.nodes.start, part.clone())));
            }
        }
        chosen
    }
}

/// A plan under construction.
struct Rebuilt {
    chosen: HashMap<usize, Candidate>,
    /// The first part of each hash as it was, and its shared form.
    known: HashMap<u64, (LogicalPlan, Arc<CommonSubplan>)>,
    next: usize,
    /// The number of the last common subplan.
    shared: usize,
}

impl Rebuilt {
    fn visit(&mut self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        grown(|| self.visit_node(plan))
    }

    fn visit_node(&mut self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        let Some(part) = self.chosen.get(&self.next).cloned() else { return self.visit_below(plan) };
        match self.known.get(&part.hash) {
            Some((first, common)) if is_same(first, &plan) => {
                self.next = part.nodes.end;
                mention(common).map(Transformed::yes)
            }
            // another part with the same hash
            Some(_) => self.visit_below(plan),
            None => {
                let definition = self.visit_below(plan.clone())?.data;
                self.shared += 1;
                let common = Arc::new(CommonSubplan::new(self.shared, definition));
                let mentioned = mention(&common)?;
                self.known.insert(part.hash, (plan, common));
                Ok(Transformed::yes(mentioned))
            }
        }
    }

    fn visit_below(&mut self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        self.next += 1;
        if is_recursive(&plan) {
            return Ok(Transformed::no(plan));
        }
        let plan = plan.map_subqueries(|subquery| self.visit(subquery))?;
        let is_changed = plan.transformed;
        let plan = Tree::map_children(plan.data, |input| self.visit(input))?;
        Ok(Transformed::new_transformed(plan.data, is_changed || plan.transformed))
    }
}

fn is_recursive(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::RecursiveQuery(_))
}

/// Returns whether a node is an operator of a query.
fn is_query(plan: &LogicalPlan) -> bool {
    !matches!(
        plan,
        LogicalPlan::Dml(_)
            | LogicalPlan::Ddl(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::Statement(_)
            | LogicalPlan::Explain(_)
            | LogicalPlan::Analyze(_)
            | LogicalPlan::DescribeTable(_)
    )
}

fn is_costly(plan: &LogicalPlan) -> bool {
    matches!(
        plan,
        LogicalPlan::Aggregate(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::RecursiveQuery(_)
    )
}

fn refers_outside(expression: &Expr) -> Result<bool> {
    Tree::exists(expression, |node| Ok(matches!(node, Expr::OuterReferenceColumn(..))))
}

fn is_fixed_throughout(plan: &LogicalPlan) -> Result<bool> {
    let mut is_fixed = true;
    plan.apply_to_all(|node| {
        is_fixed &= is_query(node);
        node.apply_to_expressions(|expression| {
            is_fixed &= !expression.is_volatile() && !refers_outside(expression)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if is_fixed { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(is_fixed)
}

/// Hashes the parts of a node that are neither expressions nor inputs.
fn hash_node(plan: &LogicalPlan, hasher: &mut DefaultHasher) {
    std::mem::discriminant(plan).hash(hasher);
    plan.schema().fields().len().hash(hasher);
    match plan {
        LogicalPlan::TableScan(scan) => {
            scan.table_name.hash(hasher);
            scan.projection.hash(hasher);
            scan.filters.hash(hasher);
            scan.fetch.hash(hasher);
            source(scan).hash(hasher);
        }
        LogicalPlan::SubqueryAlias(alias) => alias.alias.hash(hasher),
        LogicalPlan::Join(join) => (join.join_type, join.null_equality).hash(hasher),
        LogicalPlan::Sort(sort) => sort.fetch.hash(hasher),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row.hash(hasher),
        LogicalPlan::Extension(extension) => extension.node.dyn_hash(hasher),
        _ => {}
    }
}

/// Returns the place of a scan's table in memory.
fn source(scan: &TableScan) -> usize {
    match source_as_provider(&scan.source) {
        Ok(table) => Arc::<dyn TableProvider>::as_ptr(&table).addr(),
        Err(_) => Arc::as_ptr(&scan.source).addr(),
    }
}

/// Returns whether two parts are equal, with the same tables under the same names.
fn is_same(one: &LogicalPlan, other: &LogicalPlan) -> bool {
    let sources = |plan: &LogicalPlan| {
        let mut sources = Vec::new();
        let walked = plan.apply_to_all(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                sources.push(source(scan));
            }
            Ok(TreeNodeRecursion::Continue)
        });
        walked.map(|_| sources)
    };
    one == other && matches!((sources(one), sources(other)), (Ok(one), Ok(other)) if one == other)
}
