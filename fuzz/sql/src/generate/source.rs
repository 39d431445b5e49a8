//! Random FROM clauses: tables, subqueries, joins of every kind, lists.

use super::{Column, Generator, Relation, Scope};
use crate::tables::{self, Storage, Table};
use crate::tree::{Body, Expr, Item, Query, Select, Source, Type};

/// Joins, and whether each side's columns and rows are seen behind them: as they are, or as groups
/// of a key that is gone.
const JOINS: [(&str, bool); 8] = [
    ("JOIN", true),
    ("JOIN", true),
    ("LEFT JOIN", true),
    ("LEFT JOIN", true),
    ("RIGHT JOIN", true),
    ("FULL JOIN", true),
    ("LEFT SEMI JOIN", false),
    ("LEFT ANTI JOIN", false),
];

/// Maximum number of pairs of rows in a join without equal keys.
const PAIRS: usize = 40_000;

/// Maximum number of pairs of rows that a join with equal keys compares.
const EQUAL_PAIRS: usize = 3_000_000;

impl Generator<'_> {
    /// FROM, and the expressions that others can name.
    pub(super) fn source(&mut self, outer: &[Expr], depth: usize) -> (Source, Scope) {
        let (source, mut scope, rows) = self.joined(outer, depth);
        self.rows = rows;
        scope.outer = outer.to_vec();
        (source, scope)
    }

    /// Returns the same, with a bound on its rows.
    fn joined(&mut self, outer: &[Expr], depth: usize) -> (Source, Scope, usize) {
        let (mut source, mut scope, mut rows) = self.one(outer, depth);
        let joins = *self.random.pick(&[0, 0, 0, 1, 1, 2]);
        for _ in 0..joins.min(depth) {
            if self.random.chance(0.1) && self.spend() {
                let (joined, both) = self.lateral(source, scope, depth);
                (source, scope, rows) = (joined, both, rows.saturating_mul(self.rows.max(1)));
                continue;
            }
            let (right, mut right_scope, right_rows) = self.one(outer, depth - 1);
            let (words, both) = *self.random.pick(&JOINS);
            let pairs = rows.saturating_mul(right_rows);
            if pairs > EQUAL_PAIRS {
                continue;
            }
            if self.random.chance(0.06) && pairs <= PAIRS {
                scope = both_sides(scope, right_scope);
                source = join("CROSS JOIN", source, right, None);
                rows = pairs;
                continue;
            }
            right_scope.outer.clear();
            let tables = is_file(&source) && is_file(&right);
            let using = self.pick_text(&["id", "g"]);
            if tables && both && (using == "id" || pairs <= PAIRS) && self.random.chance(0.1) {
                source = join_using(words, source, right, using);
            } else {
                let Some(on) = self.on(&scope, &right_scope, pairs <= PAIRS) else { continue };
                source = join(words, source, right, Some(on));
            }
            if both {
                scope = both_sides(scope, right_scope);
                rows = rows.max(right_rows).max(pairs / 8);
            }
        }
        (source, scope, rows)
    }

    /// Returns one table in FROM.
    fn one(&mut self, outer: &[Expr], depth: usize) -> (Source, Scope, usize) {
        if depth > 0 && self.random.chance(0.25) && self.spend() {
            return self.derived(outer, depth);
        }
        let special = match self.random.below(100) {
            0..4 => self.unnested(),
            4..8 => self.elements(),
            8..13 if depth > 0 => self.natural(),
            _ => None,
        };
        if let Some(special) = special {
            return special;
        }
        let table = self.random.below(self.tables.len() + self.ctes.len());
        let (relation, rows) = match self.tables.get(table) {
            Some(table) => (
                Relation {
                    name: table.name.clone(),
                    columns: columns_of(table),
                    keyed: true,
                    rows: table.rows(),
                },
                table.rows(),
            ),
            None => {
                let relation = self.ctes[table - self.tables.len()].clone();
                let rows = relation.rows;
                (relation, rows)
            }
        };
        let alias = self.name("a");
        let scope = scope_of(&alias, &relation.columns, relation.keyed);
        (Source::Table { name: relation.name, alias }, scope, rows)
    }

    /// Returns a subquery in FROM, or VALUES.
    pub(super) fn derived(&mut self, outer: &[Expr], depth: usize) -> (Source, Scope, usize) {
        let alias = self.name("q");
        if self.random.chance(0.15) {
            let (query, columns) = self.values();
            let names = columns.iter().map(|column| column.name.clone()).collect();
            let scope = scope_of(&alias, &columns, false);
            return (
                Source::Query { query: Box::new(query), alias, columns: names, lateral: false },
                scope,
                5,
            );
        }
        let (query, columns): (Query, Vec<Column>) = self.query(outer, None, depth - 1);
        let scope = scope_of(&alias, &columns, false);
        (
            Source::Query { query: Box::new(query), alias, columns: Vec::new(), lateral: false },
            scope,
            self.rows,
        )
    }

    /// Returns a condition on both sides: equal keys, and others beside them or instead.
    fn on(&mut self, left: &Scope, right: &Scope, any: bool) -> Option<Expr> {
        let pair = |generator: &mut Self| {
            let types: Vec<Type> = left
                .leaves
                .iter()
                .filter(|leaf| leaf.ty.is_flat() && !leaf.rough)
                .filter(|leaf| right.leaves.iter().any(|other| other.ty == leaf.ty && !other.rough))
                .map(|leaf| leaf.ty.clone())
                .collect();
            let ty = if types.is_empty() { return None } else { generator.random.pick(&types).clone() };
            let sound = |leaves: &[Expr]| -> Vec<Expr> {
                leaves.iter().filter(|leaf| !leaf.rough).cloned().collect()
            };
            let (a, b) = (sound(&left.leaves), sound(&right.leaves));
            Some([generator.one_of(&a, &ty)?, generator.one_of(&b, &ty)?])
        };
        let operator = match any && self.random.chance(0.25) {
            true => self.pick_text(&["<", ">=", "<>", "IS NOT DISTINCT FROM"]),
            false => "=",
        };
        let sides = pair(self)?.map(|side| if side.ty == Type::Double { self.widened(side) } else { side });
        let first = Expr::new(Type::Bool, format!("($0 {operator} $1)"), sides.into());
        if self.random.chance(0.6) {
            return Some(first);
        }
        let mut both = left.clone();
        both.leaves.extend(right.leaves.iter().cloned());
        both.outer.clear();
        let budget = std::mem::take(&mut self.budget);
        let second = self.condition(&both, 1);
        self.budget = budget;
        let form = if any && self.random.chance(0.15) { "($0 OR $1)" } else { "($0 AND $1)" };
        Some(Expr::new(Type::Bool, form, vec![first, second]))
    }

    /// Returns a subquery on the right that names columns of the left.
    fn lateral(&mut self, source: Source, scope: Scope, depth: usize) -> (Source, Scope) {
        let alias = self.name("l");
        let (query, columns) = self.query(&scope.leaves, None, depth.saturating_sub(1).min(1));
        let right = Source::Query {
            query: Box::new(query),
            alias: alias.clone(),
            columns: Vec::new(),
            lateral: true,
        };
        let mut both = both_sides(scope, scope_of(&alias, &columns, false));
        both.keys = None;
        let joined = match self.random.chance(0.4) {
            true => join("LEFT JOIN", source, right, Some(Expr::leaf(Type::Bool, "TRUE"))),
            false => join("CROSS JOIN", source, right, None),
        };
        (joined, both)
    }

    /// Returns a table's columns beside the elements of one of its lists, a row each; none where
    /// there is no list.
    fn unnested(&mut self) -> Option<(Source, Scope, usize)> {
        let lists: Vec<(usize, usize)> = self
            .tables
            .iter()
            .enumerate()
            .flat_map(|(table, of)| (0..of.columns.len()).map(move |column| (table, column)))
            .filter(|(table, column)| {
                matches!(self.tables[*table].columns[*column].storage, Storage::List(_))
            })
            .collect();
        if lists.is_empty() {
            return None;
        }
        let (table, list) = *self.random.pick(&lists);
        let table = &self.tables[table];
        let (inner, alias) = (self.name("a"), self.name("q"));
        let mut columns = columns_of(table);
        let leaves = scope_of(&inner, &columns, false).leaves;
        let Type::List(element) = leaves[list].ty.clone() else { return None };
        let unnest = Expr::new((*element).clone(), "unnest($0)", vec![leaves[list].clone()]);
        columns.push(Column { name: "e".to_owned(), ty: *element, rough: false, narrow: true });
        let values = leaves.into_iter().chain([unnest]).zip(&columns);
        let items = values.map(|(value, column)| Item { value, name: column.name.clone() }).collect();
        let from = Some(Source::Table { name: table.name.clone(), alias: inner });
        let select = Select { items, from, ..Select::default() };
        let query = Box::new(Query { body: Body::Select(Box::new(select)), ..Query::default() });
        let scope = scope_of(&alias, &columns, false);
        Some((Source::Query { query, alias, columns: Vec::new(), lateral: false }, scope, table.rows() * 3))
    }
}

/// Returns the columns of a table.
pub(super) fn columns_of(table: &Table) -> Vec<Column> {
    let column = |column: &tables::Column| Column {
        name: column.name.clone(),
        ty: column.storage.class(),
        rough: false,
        narrow: column.storage.is_narrow(),
    };
    table.columns.iter().map(column).collect()
}

/// Returns whether it is a table of files, which has the columns `id` and `g`.
fn is_file(source: &Source) -> bool {
    matches!(source, Source::Table { name, .. } if name.starts_with('t'))
}

pub(super) fn join(words: &'static str, left: Source, right: Source, on: Option<Expr>) -> Source {
    Source::Join { words, left: Box::new(left), right: Box::new(right), on, using: None }
}

fn join_using(words: &'static str, left: Source, right: Source, column: &'static str) -> Source {
    let using = Some(column);
    Source::Join { words, left: Box::new(left), right: Box::new(right), on: None, using }
}

/// Returns columns of both sides; rows are told apart by the keys of both.
pub(super) fn both_sides(mut left: Scope, right: Scope) -> Scope {
    left.leaves.extend(right.leaves);
    left.keys = left.keys.zip(right.keys).map(|(mut left, right)| {
        left.extend(right);
        left
    });
    left
}

/// Returns the columns of a relation under a name.
pub(super) fn scope_of(alias: &str, columns: &[Column], keyed: bool) -> Scope {
    let leaf = |column: &Column| {
        let expr = Expr::leaf(column.ty.clone(), format!("{alias}.{}", column.name)).narrow(column.narrow);
        if column.rough { expr.rough() } else { expr }
    };
    let leaves: Vec<Expr> = columns.iter().map(leaf).collect();
    let keys = keyed.then(|| leaves[..1].to_vec());
    Scope { leaves, keys, outer: Vec::new() }
}
