//! Search for the join tree of least cost.
//!
//! Sets of few relations are searched completely, by their subsets (Moerkotte and Neumann, "Analysis
//! of Two Existing and One New Dynamic Programming Algorithm for the Generation of Optimal Bushy Join
//! Trees without Cross Products", VLDB 2006). Of more relations, the two whose join is cheapest are
//! joined again and again (Fegaras, "A New Heuristic for Optimizing Large Queries", DEXA 1998).

use std::collections::HashMap;

use super::estimate::Estimates;
use super::graph::Graph;

/// Most relations of a complete search, which takes 3 to the power of their number steps.
const COMPLETE: usize = 10;

/// Order of joins: relations by their index, and joins of two trees. The left side is the one whose
/// rows a hash table is built of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree {
    /// A relation.
    Relation(usize),
    /// A join.
    Join(Box<Tree>, Box<Tree>),
}

impl Tree {
    /// Returns the set of the tree's relations.
    pub fn relations(&self) -> u64 {
        match self {
            Tree::Relation(index) => 1 << index,
            Tree::Join(left, right) => left.relations() | right.relations(),
        }
    }
}

/// Returns the cost of a tree: the rows of all results, and those of the smaller inputs again, of
/// which hash tables are built.
pub(super) fn cost(tree: &Tree, estimates: &Estimates<'_>) -> f64 {
    match tree {
        Tree::Relation(_) => 0.0,
        Tree::Join(left, right) => {
            let below = cost(left, estimates) + cost(right, estimates);
            below + step(left.relations(), right.relations(), estimates)
        }
    }
}

/// Returns the cost of one join.
fn step(left: u64, right: u64, estimates: &Estimates<'_>) -> f64 {
    let built = estimates.rows(left).min(estimates.rows(right));
    estimates.rows(left | right) + built
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

/// Searches all trees without products of unconnected sets. Falls back to the greedy search if
/// conditions of three or more relations leave none.
fn complete(all: u64, graph: &Graph, estimates: &Estimates<'_>) -> Tree {
    let relations: Vec<usize> = (0..64).filter(|at| all >> at & 1 == 1).collect();
    let set = |subset: usize| -> u64 {
        let chosen = relations.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
        chosen.fold(0, |set, (_, relation)| set | 1 << relation)
    };
    let mut best: HashMap<u64, (f64, Tree)> = HashMap::new();
    for subset in 1..1usize << relations.len() {
        let whole = set(subset);
        if subset.is_power_of_two() {
            best.insert(whole, (0.0, Tree::Relation(whole.trailing_zeros() as usize)));
            continue;
        }
        let mut found: Option<(f64, u64, u64)> = None;
        // each pair of parts once: the first part has the lowest relation
        let mut part = (subset - 1) & subset;
        while part > 0 {
            let (left, right) = (set(part), set(subset & !part));
            if part & subset & subset.wrapping_neg() != 0
                && let (Some((of_left, _)), Some((of_right, _))) = (best.get(&left), best.get(&right))
                && are_connected(left, right, graph)
            {
                let total = of_left + of_right + step(left, right, estimates);
                if found.is_none_or(|(least, ..)| total < least) {
                    found = Some((total, left, right));
                }
            }
            part = (part - 1) & subset;
        }
        if let Some((total, left, right)) = found {
            let tree = join(best[&left].1.clone(), best[&right].1.clone(), estimates);
            best.insert(whole, (total, tree));
        }
    }
    let found = best.remove(&all).map(|(_, tree)| tree);
    found.unwrap_or_else(|| greedy(relations.into_iter().map(Tree::Relation).collect(), graph, estimates))
}

/// Joins the two trees whose join is cheapest, connected ones first, until one is left.
fn greedy(mut trees: Vec<Tree>, graph: &Graph, estimates: &Estimates<'_>) -> Tree {
    while trees.len() > 1 {
        let mut found: Option<(bool, f64, usize, usize)> = None;
        for second in 1..trees.len() {
            for first in 0..second {
                let (left, right) = (trees[first].relations(), trees[second].relations());
                let is_product = !are_connected(left, right, graph);
                let total = step(left, right, estimates);
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
