//! Random queries over given tables, typed, so that engines refuse few of them.

mod aggregate;
mod condition;
mod constant;
mod expression;
mod lists;
mod natural;
mod query;
mod rules;
mod source;
mod subquery;
mod window;

use pelton_random::Random;

use crate::tables::Table;
use crate::tree::{Body, Expr, Group, Query, Source, Type};

/// A column of a table or a subquery.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    ty: Type,
    rough: bool,
    narrow: bool,
}

/// A table, or a common table expression, that FROM can name.
#[derive(Debug, Clone)]
struct Relation {
    name: String,
    columns: Vec<Column>,
    /// Its first column tells its rows apart.
    keyed: bool,
    /// About how many rows it has.
    rows: usize,
}

/// Expressions that others can be made of.
#[derive(Debug, Clone, Default)]
struct Scope {
    /// Columns, or groups' keys and aggregates.
    leaves: Vec<Expr>,
    /// Leaves that tell rows apart together; none where nothing does.
    keys: Option<Vec<Expr>>,
    /// Columns of the queries around, which a subquery may name.
    outer: Vec<Expr>,
}

/// A random query, with the rules for comparing its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The query.
    pub query: Query,
    /// Columns that are compared with a tolerance.
    pub rough: Vec<bool>,
    /// The order of rows is the query's.
    pub ordered: bool,
}

/// Returns whether rows come in the order of one table, to which each engine keeps.
pub fn keeps_order(query: &Query) -> bool {
    let Body::Select(select) = &query.body else { return false };
    let plain = select.group == Group::None && select.having.is_none() && select.qualify.is_none();
    let plain = plain && !select.distinct && select.distinct_on.is_empty() && query.order.is_empty();
    let mut values = select.items.iter().map(|item| &item.value).chain(&select.filter);
    plain
        && matches!(select.from, Some(Source::Table { .. }))
        && query.ctes.is_empty()
        && values.all(Expr::is_of_its_row)
}

/// Makes queries.
struct Generator<'a> {
    random: Random,
    tables: &'a [Table],
    /// Common table expressions in scope.
    ctes: Vec<Relation>,
    /// Names given so far.
    names: usize,
    /// Approximate maximum number of rows of the last query.
    rows: usize,
    /// Subqueries that may still be opened.
    budget: usize,
}

/// Returns the query of a seed over some tables.
pub fn generate(seed: u64, tables: &[Table]) -> Generated {
    let mut random = Random::new(seed);
    let budget = *random.pick(&[0, 0, 1, 1, 2, 3, 4]);
    let mut generator = Generator { random, tables, ctes: Vec::new(), names: 0, rows: 0, budget };
    generator.top()
}

impl Generator<'_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn pick_text(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.random.below(choices.len())]
    }

    /// Returns whether a subquery may be opened; it then is counted.
    fn spend(&mut self) -> bool {
        let there = self.budget > 0;
        self.budget = self.budget.saturating_sub(1);
        there
    }
}
