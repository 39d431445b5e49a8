//! Search for the join tree of least cost.
//!
//! Sets of few relations are searched completely, by their subsets (`DPsub` in Moerkotte and
//! Neumann, "Analysis of Two Existing and One New Dynamic Programming Algorithm", VLDB 2006). In
//! larger ones the two relations with the cheapest join are joined again and again (Fegaras, "A New
//! Heuristic for Optimizing Large Queries", DEXA 1998).

use super::estimate::Estimates;
use super::graph::{Graph, Tree};

/// Most relations of a complete search, which takes 3 to the power of their number steps.
const COMPLETE: usize = 10;

/// Returns the cost of a tree: the rows of all results, and those of the smaller inputs again, of
/// which hash tables are built.
pub(super) fn cost(tree: &Tree, estimates: &Estimates<'_>) -> f64 {
    match tree {
        Tree::Relation(_) => 0.0,
        Tree::Join(left, right) => {
            let below = cost(left, estimates) + cost(right, estimates);
            below + step_of(left.relations(), right.relations(), estimates)
        }
    }
}

/// Returns the cost of one join, by the rows of its sides and of its result.
fn step(left: f64, right: f64, joined: f64) -> f64 {
    joined + left.min(right)
}

/// Returns the cost of joining two sets of relations.
fn step_of(left: u64, right: u64, estimates: &Estimates<'_>) -> f64 {
    step(estimates.rows(left), estimates.rows(right), estimates.rows(left | right))
}

/// Returns the join of two trees, the smaller one on the left.
fn join(a: Tree, b: Tree, estimates: &Estimates<'_>) -> Tree {
    let is_smaller = estimates.rows(a.relations()) <= estimates.rows(b.relations());
    let (left, right) = if is_smaller { (a, b) } else { (b, a) };
    Tree::Join(Box::new(left), Box::new(right))
}

/// Returns the cheapest tree that was found.
pub(super) fn cheapest(graph: &Graph, estimates: &Estimates<'_>) -> Tree {
    let parts = connected(graph);
    let trees = parts.into_iter().map(|part| match part.count_ones() as usize <= COMPLETE {
        true => complete(part, graph, estimates),
        false => {
            greedy((0..64).filter(|at| part >> at & 1 == 1).map(Tree::Relation).collect(), graph, estimates)
        }
    });
    // parts without a condition between them multiply, the smallest first
    greedy(trees.collect(), graph, estimates)
}

/// Returns whether a condition has relations of both sets.
fn are_connected(left: u64, right: u64, graph: &Graph) -> bool {
    graph.conditions.iter().any(|condition| {
        let needed = condition.relations();
        needed & left != 0 && needed & right != 0 && needed & !(left | right) == 0
    })
}

/// Returns the sets of relations that conditions connect.
fn connected(graph: &Graph) -> Vec<u64> {
    let mut parts: Vec<u64> = (0..graph.relations.len()).map(|index| 1 << index).collect();
    for condition in &graph.conditions {
        let needed = condition.relations();
        let (touched, mut rest): (Vec<u64>, Vec<u64>) =
            parts.into_iter().partition(|part| part & needed != 0);
        rest.push(touched.into_iter().fold(0, |all, part| all | part));
        parts = rest;
    }
    parts
}

/// Best join of a subset of the searched relations.
#[derive(Clone, Copy)]
struct Best {
    cost: f64,
    /// The subset of one side; 0 for a single relation.
    side: usize,
}

/// Searches all trees without products of unconnected sets. Falls back to the greedy search if
/// conditions of three or more relations leave none.
fn complete(all: u64, graph: &Graph, estimates: &Estimates<'_>) -> Tree {
    let relations: Vec<usize> = (0..64).filter(|at| all >> at & 1 == 1).collect();
    let count = 1usize << relations.len();
    // for each subset, the set of its relations and the rows of their join
    let mut sets = vec![0u64; count];
    for subset in 1..count {
        let lowest = subset.trailing_zeros() as usize;
        sets[subset] = sets[subset & (subset - 1)] | 1 << relations[lowest];
    }
    let rows: Vec<f64> = sets.iter().map(|set| estimates.rows(*set)).collect();
    let mut best: Vec<Option<Best>> = vec![None; count];
    for subset in 1..count {
        if subset.is_power_of_two() {
            best[subset] = Some(Best { cost: 0.0, side: 0 });
            continue;
        }
        // each pair of sides once: the first one has the lowest relation
        let lowest = subset & subset.wrapping_neg();
        let mut side = (subset - 1) & subset;
        while side > 0 {
            let other = subset & !side;
            if side & lowest != 0
                && let (Some(one), Some(two)) = (best[side], best[other])
                && are_connected(sets[side], sets[other], graph)
            {
                let cost = one.cost + two.cost + step(rows[side], rows[other], rows[subset]);
                if best[subset].is_none_or(|least| cost < least.cost) {
                    best[subset] = Some(Best { cost, side });
                }
            }
            side = (side - 1) & subset;
        }
    }
    let single = |at: usize| Tree::Relation(relations[at]);
    tree(count - 1, &best, &single, estimates)
        .unwrap_or_else(|| greedy(relations.iter().map(|at| Tree::Relation(*at)).collect(), graph, estimates))
}

/// Returns the best tree of a subset; `None` if it has none.
fn tree(
    subset: usize,
    best: &[Option<Best>],
    single: &impl Fn(usize) -> Tree,
    estimates: &Estimates<'_>,
) -> Option<Tree> {
    let Best { side, .. } = best[subset]?;
    if side == 0 {
        return Some(single(subset.trailing_zeros() as usize));
    }
    let (one, two) = (tree(side, best, single, estimates)?, tree(subset & !side, best, single, estimates)?);
    Some(join(one, two, estimates))
}

/// Joins the two trees with the cheapest join, connected ones first, until one is left.
fn greedy(mut trees: Vec<Tree>, graph: &Graph, estimates: &Estimates<'_>) -> Tree {
    while trees.len() > 1 {
        let mut found: Option<(bool, f64, usize, usize)> = None;
        for second in 1..trees.len() {
            for first in 0..second {
                let (left, right) = (trees[first].relations(), trees[second].relations());
                let is_product = !are_connected(left, right, graph);
                let total = step_of(left, right, estimates);
                let is_better = |&(product, least, ..): &(bool, f64, usize, usize)| {
                    (is_product, total) < (product, least)
                };
                if found.as_ref().is_none_or(is_better) {
                    found = Some((is_product, total, first, second));
                }
            }
        }
        let Some((_, _, first, second)) = found else { break };
        let b = trees.swap_remove(second);
        let a = trees.swap_remove(first);
        trees.push(join(a, b, estimates));
    }
    trees.pop().unwrap_or(Tree::Relation(0))
}
