//! Random queries: SELECT, set operations, VALUES, common table expressions.

use super::{Column, Generated, Generator, Relation, Scope, keeps_order};
use crate::tree::{Body, Cte, Expr, Group, Item, Order, Query, Select, Type};

/// Maximum number of rows of a table that is walked along, two by two.
const STEPS: usize = 60;

/// Levels of expressions in the outermost query.
const DEPTH: usize = 3;

impl Generator<'_> {
    /// Returns the outermost query.
    pub(super) fn top(&mut self) -> Generated {
        let mut ctes = Vec::new();
        while self.random.chance(0.15) && ctes.len() < 2 {
            ctes.push(self.cte());
        }
        let (mut query, columns) = self.query(&[], None, DEPTH);
        query.ctes = ctes;
        let rough: Vec<bool> = columns.iter().map(|column| column.rough).collect();
        if keeps_order(&query) && self.random.chance(0.3) {
            query.limit = Some(*self.random.pick(&[1, 3, 20]));
            query.offset = self.random.chance(0.3).then(|| 1 + self.random.below(4));
        }
        let ordered = !query.order.is_empty() || keeps_order(&query);
        Generated { query, rough, ordered }
    }

    /// Returns a common table expression, now in scope.
    fn cte(&mut self) -> Cte {
        let name = self.name("w");
        if self.random.chance(0.3) {
            return self.recursive(name);
        }
        let (query, columns) = self.query(&[], None, 2);
        let rows = self.rows;
        self.ctes.push(Relation { name: name.clone(), columns, keyed: false, rows });
        Cte { name, columns: Vec::new(), query, recursive: false }
    }

    /// Returns a recursive one that counts up, or walks a table along a condition.
    fn recursive(&mut self, name: String) -> Cte {
        let whole = |text: String| Expr::new(Type::Whole, text, Vec::new());
        let max = 1 + self.random.below(12);
        let table = self.random.pick(self.tables);
        let words = self.pick_text(&["UNION ALL", "UNION"]);
        // each step reads the table again
        let walks = table.rows() <= STEPS && self.random.chance(0.4);
        let table = table.name.clone();
        let select = |values: [Expr; 2], from: Option<crate::tree::Source>, filter: Option<Expr>| {
            let items = values.into_iter().zip(["n", "m"]);
            let items = items.map(|(value, name)| Item { value, name: name.to_owned() }).collect();
            let select = Select { items, from, filter, ..Select::default() };
            Query { body: Body::Select(Box::new(select)), ..Query::default() }
        };
        let start = match walks {
            true => {
                let from = crate::tree::Source::Table { name: table.clone(), alias: "b".to_owned() };
                let filter = Expr::leaf(Type::Bool, "b.id < 3");
                select([whole("b.id".into()), whole("CAST(b.g AS BIGINT)".into())], Some(from), Some(filter))
            }
            false => {
                select([whole("CAST(1 AS BIGINT)".into()), whole("CAST(1 AS BIGINT)".into())], None, None)
            }
        };
        let this = crate::tree::Source::Table { name: name.clone(), alias: "r".to_owned() };
        let step = match walks {
            true => {
                let next = crate::tree::Source::Table { name: table, alias: "s".to_owned() };
                let on = Expr::leaf(Type::Bool, "s.id = r.n + 2");
                let from = crate::tree::Source::Join {
                    words: "JOIN",
                    left: Box::new(this),
                    right: Box::new(next),
                    on: Some(on),
                    using: None,
                };
                select([whole("s.id".into()), whole("CAST(s.g AS BIGINT)".into())], Some(from), None)
            }
            false => {
                let filter = Expr::leaf(Type::Bool, format!("r.n < {max}"));
                select([whole("r.n + 1".into()), whole("(r.m * 3) % 7".into())], Some(this), Some(filter))
            }
        };
        let body = Body::Set { words, left: Box::new(start), right: Box::new(step) };
        let column =
            |name: &str| Column { name: name.to_owned(), ty: Type::Whole, rough: false, narrow: false };
        let columns = vec![column("n"), column("m")];
        self.ctes.push(Relation { name: name.clone(), columns, keyed: false, rows: 100 });
        let columns = vec!["n".to_owned(), "m".to_owned()];
        Cte { name, columns, query: Query { body, ..Query::default() }, recursive: true }
    }

    /// Returns a query with numbered columns of the given types.
    pub(super) fn query(
        &mut self,
        outer: &[Expr],
        want: Option<&[Type]>,
        depth: usize,
    ) -> (Query, Vec<Column>) {
        if depth > 0 && self.random.chance(0.12) && self.spend() {
            return self.set_operation(outer, want, depth);
        }
        if depth > 0
            && want.is_none()
            && self.random.chance(0.04)
            && self.spend()
            && let Some(groups) = self.distinct_groups(outer, depth)
        {
            return groups;
        }
        self.select(outer, want, depth)
    }

    fn set_operation(&mut self, outer: &[Expr], want: Option<&[Type]>, depth: usize) -> (Query, Vec<Column>) {
        let words =
            self.pick_text(&["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]);
        let types: Vec<Type> = match want {
            Some(want) => want.to_vec(),
            None => {
                let scope = Scope::default();
                (0..1 + self.random.below(3)).map(|_| self.flat_type(&scope)).collect()
            }
        };
        let (left, mut columns) = self.query(outer, Some(&types), depth - 1);
        let rows = self.rows;
        let (right, others) = self.query(outer, Some(&types), depth - 1);
        self.rows += rows;
        for (column, other) in columns.iter_mut().zip(&others) {
            column.rough |= other.rough;
            column.narrow |= other.narrow;
        }
        // rounded values are all different
        let words = if columns.iter().any(|column| column.rough) { "UNION ALL" } else { words };
        let body = Body::Set { words, left: Box::new(left), right: Box::new(right) };
        let mut query = Query { body, ..Query::default() };
        self.limit(&mut query, &columns, None);
        (query, columns)
    }

    /// VALUES, with columns `c0` and on.
    pub(super) fn values(&mut self) -> (Query, Vec<Column>) {
        let scope = Scope::default();
        let types: Vec<Type> = (0..1 + self.random.below(3)).map(|_| self.flat_type(&scope)).collect();
        let rows = 1 + self.random.below(5);
        let mut row = |index: usize| -> Vec<Expr> {
            types.iter().map(|ty| if index == 0 { self.value(ty) } else { self.constant(ty) }).collect()
        };
        let body = Body::Values((0..rows).map(&mut row).collect());
        let columns = types.into_iter().enumerate().map(|(index, ty)| {
            let narrow = matches!(ty, Type::Whole | Type::Double);
            Column { name: format!("c{index}"), ty, rough: false, narrow }
        });
        (Query { body, ..Query::default() }, columns.collect())
    }

    fn select(&mut self, outer: &[Expr], want: Option<&[Type]>, depth: usize) -> (Query, Vec<Column>) {
        let (from, scope) = self.source(outer, depth);
        let rows = self.rows;
        let from_first = self.random.chance(0.04);
        let mut select = Select { from: Some(from), from_first, ..Select::default() };
        if self.random.chance(0.6) {
            select.filter = Some(self.condition(&scope, depth));
        }
        let mut scope = scope;
        let aggregated = self.random.chance(0.35);
        let mut first = None;
        if aggregated {
            let aggregate;
            (scope, aggregate) = self.aggregated(&mut select, &scope, depth);
            // without an aggregate and without keys it is no aggregation, and DuckDB counts empty
            // grouping sets once
            first = Some(aggregate).filter(|_| !matches!(select.group, Group::Keys(_)));
        } else if self.random.chance(0.25) {
            let windows: Vec<Expr> = (0..1 + self.random.below(2)).map(|_| self.window(&scope)).collect();
            if self.random.chance(0.2) {
                let window = windows[0].clone();
                // a literal, by which rows are left out before they are sorted
                let bound = match window.ty == Type::Whole && self.random.chance(0.7) {
                    true => Expr::leaf(Type::Whole, (1 + self.random.below(4)).to_string()),
                    false => self.value(&window.ty),
                };
                if !window.rough {
                    select.qualify = Some(Expr::new(Type::Bool, "($0 <= $1)", vec![window, bound]));
                }
            }
            // windows are chosen more often than other columns
            scope.leaves.extend(windows.iter().cloned());
            scope.leaves.extend(windows);
        }
        let mut types: Vec<Type> = match want {
            Some(want) => want.to_vec(),
            None => (0..1 + self.random.below(4)).map(|_| self.any_type(&scope)).collect(),
        };
        if let (None, Some(aggregate)) = (want, &first) {
            types[0] = aggregate.ty.clone();
        }
        let mut columns = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let direct = self.random.chance(0.5);
            let value = match first.take() {
                Some(aggregate) => of_type(aggregate, ty),
                None if direct => self.leaf(&scope, ty),
                None => self.expr(&scope, ty, depth.min(2)),
            };
            // so that engines show it by the same digits
            let value = if value.ty == Type::Double { value.of_64_bits() } else { value };
            let name = format!("c{index}");
            columns.push(Column {
                name: name.clone(),
                ty: ty.clone(),
                rough: value.rough,
                narrow: value.narrow || (value.is_leaf() && matches!(ty, Type::Whole)),
            });
            select.items.push(Item { value, name });
        }
        let flat = columns.iter().all(|column| !column.rough);
        if flat && self.random.chance(0.12) {
            select.distinct = true;
        }
        let keys = if aggregated || select.distinct { None } else { scope.keys.clone() };
        if aggregated && self.random.chance(0.2) {
            self.group_by_items(&mut select, &scope);
        }
        let distinct_on = match &keys {
            Some(_) if self.random.chance(0.08) => self.distinct_on(&scope),
            _ => Vec::new(),
        };
        select.distinct_on.clone_from(&distinct_on);
        let mut query = Query { body: Body::Select(Box::new(select)), ..Query::default() };
        match keys {
            Some(keys) if !distinct_on.is_empty() => {
                let order = distinct_on.into_iter().chain(keys);
                query.order = order.map(|key| self.order(key)).collect();
                query.limit = self.random.chance(0.2).then_some(3);
            }
            keys => self.limit(&mut query, &columns, keys),
        }
        self.rows = rows;
        (query, columns)
    }

    /// Returns columns for DISTINCT ON, which keeps a row for each of their values.
    fn distinct_on(&mut self, scope: &Scope) -> Vec<Expr> {
        let ty = self.flat_type(scope);
        let key = self.one_of(&scope.leaves, &ty);
        key.filter(|key| key.is_column() && !key.rough).into_iter().collect()
    }

    /// GROUP BY by the places of items, or by all, where the items are keys and aggregates and
    /// nothing else.
    fn group_by_items(&mut self, select: &mut Select, scope: &Scope) {
        let Group::Keys(keys) = &select.group else { return };
        let direct = select.items.iter().all(|item| scope.leaves.contains(&item.value));
        let place = |key: &Expr| select.items.iter().position(|item| item.value == *key);
        let places: Option<Vec<usize>> = keys.iter().map(place).collect();
        let Some(places) = places.filter(|_| direct && select.having.is_none()) else { return };
        // constants alone are keys to one engine, and none to the other
        let has_column = keys.iter().any(Expr::is_column);
        select.group = match self.random.chance(0.5) && has_column {
            true => Group::All,
            false => {
                let leaf = |place: usize| Expr::leaf(Type::Whole, (place + 1).to_string());
                Group::Keys(places.into_iter().map(leaf).collect())
            }
        };
    }

    /// Adds ORDER BY over all that tells rows apart, and with it mostly LIMIT and OFFSET.
    fn limit(&mut self, query: &mut Query, columns: &[Column], keys: Option<Vec<Expr>>) {
        if !self.random.chance(0.3) {
            return;
        }
        let named = |column: &Column| Expr::leaf(column.ty.clone(), column.name.clone());
        let mut order: Vec<Expr> = Vec::new();
        match keys {
            Some(keys) => {
                let sortable = columns.iter().filter(|column| column.ty.is_flat() && !column.rough);
                order.extend(sortable.take(self.random.below(3)).map(named));
                order.extend(keys);
            }
            None if columns.iter().all(|column| column.ty.is_flat() && !column.rough) => {
                order.extend(columns.iter().map(named));
            }
            None => return,
        }
        query.order = order.into_iter().map(|key| self.order(key)).collect();
        if self.random.chance(0.7) {
            query.limit = Some(*self.random.pick(&[0, 1, 2, 5, 10, 50]));
            query.offset = self.random.chance(0.3).then(|| 1 + self.random.below(4));
        }
    }

    pub(super) fn order(&mut self, key: Expr) -> Order {
        Order { key, descending: self.random.chance(0.4), nulls_first: self.random.chance(0.5) }
    }

    /// Returns GROUP BY over some keys, in one of its forms.
    pub(super) fn grouped(&mut self, keys: &[Expr]) -> Group {
        if keys.is_empty() {
            return Group::None;
        }
        let all = keys.to_vec();
        match self.random.below(12) {
            0 => Group::Function("ROLLUP", all),
            1 if keys.len() <= 3 => Group::Function("CUBE", all),
            2 => {
                let sets = 1 + self.random.below(3);
                let set = |_| keys.iter().filter(|_| self.random.chance(0.6)).cloned().collect();
                Group::Sets((0..sets).map(set).collect())
            }
            _ => Group::Keys(all),
        }
    }
}

/// Returns an aggregate, or a comparison with a count that stands for one of another type.
fn of_type(aggregate: Expr, ty: &Type) -> Expr {
    if aggregate.ty == *ty {
        return aggregate;
    }
    let count = Expr::leaf(Type::Whole, "count(*)");
    Expr::new(ty.clone(), "CASE WHEN $0 >= 0 THEN $1 END", vec![count, Expr::null(ty)])
}
