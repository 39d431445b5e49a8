//! The text of a query in each dialect.

use std::fmt::Write;

use super::{Argument, Body, Expr, Group, Order, Query, Select, Source};

/// Dialect of the written SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// DataFusion's, as Pelton takes it.
    Pelton,
    /// DuckDB's.
    DuckDb,
}

impl Query {
    /// Returns the text in a dialect.
    pub fn text(&self, dialect: Dialect) -> String {
        let mut out = String::new();
        Printer { dialect, out: &mut out }.query(self);
        out
    }
}

impl Expr {
    /// Returns the text in a dialect.
    pub fn text(&self, dialect: Dialect) -> String {
        let mut out = String::new();
        Printer { dialect, out: &mut out }.expr(self);
        out
    }
}

struct Printer<'a> {
    dialect: Dialect,
    out: &'a mut String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            one(self, item);
        }
    }

    fn query(&mut self, query: &Query) {
        if !query.ctes.is_empty() {
            let recursive = query.ctes.iter().any(|cte| cte.recursive);
            self.put(if recursive { "WITH RECURSIVE " } else { "WITH " });
            self.list(&query.ctes, |printer, cte| {
                printer.put(&cte.name);
                printer.columns(&cte.columns);
                printer.put(" AS (");
                printer.query(&cte.query);
                printer.put(")");
            });
            self.put(" ");
        }
        match &query.body {
            Body::Select(select) => self.select(select),
            Body::Set { words, left, right } => {
                self.operand(left);
                let _ = write!(self.out, " {words} ");
                self.operand(right);
            }
            Body::Values(rows) => {
                self.put("VALUES ");
                self.list(rows, |printer, row| {
                    printer.put("(");
                    printer.list(row, Self::expr);
                    printer.put(")");
                });
            }
        }
        if !query.order.is_empty() {
            self.put(" ORDER BY ");
            self.list(&query.order, Self::order);
        }
        if let Some(limit) = query.limit {
            let _ = write!(self.out, " LIMIT {limit}");
        }
        if let Some(offset) = query.offset {
            let _ = write!(self.out, " OFFSET {offset}");
        }
    }

    /// One side of a set operation.
    fn operand(&mut self, query: &Query) {
        let bare = matches!(query.body, Body::Select(_)) && query.ctes.is_empty();
        if bare && query.order.is_empty() && query.limit.is_none() && query.offset.is_none() {
            return self.query(query);
        }
        self.put("(");
        self.query(query);
        self.put(")");
    }

    fn columns(&mut self, names: &[String]) {
        if !names.is_empty() {
            let _ = write!(self.out, "({})", names.join(", "));
        }
    }

    fn order(&mut self, order: &Order) {
        self.expr(&order.key);
        self.put(if order.descending { " DESC" } else { " ASC" });
        self.put(if order.nulls_first { " NULLS FIRST" } else { " NULLS LAST" });
    }

    fn select(&mut self, select: &Select) {
        let from = |printer: &mut Self, before: &str| {
            if let Some(from) = &select.from {
                printer.put(before);
                printer.put("FROM ");
                printer.from(from);
            }
        };
        let first = select.from_first && select.from.is_some();
        if first {
            from(self, "");
            self.put(" ");
        }
        self.put("SELECT ");
        if select.distinct {
            self.put("DISTINCT ");
        }
        if !select.distinct_on.is_empty() {
            self.put("DISTINCT ON (");
            self.list(&select.distinct_on, Self::expr);
            self.put(") ");
        }
        self.list(&select.items, |printer, item| {
            printer.expr(&item.value);
            let _ = write!(printer.out, " AS {}", item.name);
        });
        if !first {
            from(self, " ");
        }
        self.clause(" WHERE ", select.filter.as_ref());
        match &select.group {
            Group::None => {}
            Group::All => self.put(" GROUP BY ALL"),
            Group::Keys(keys) => {
                self.put(" GROUP BY ");
                self.list(keys, Self::expr);
            }
            Group::Function(word, keys) => {
                let _ = write!(self.out, " GROUP BY {word} (");
                self.list(keys, Self::expr);
                self.put(")");
            }
            Group::Sets(sets) => {
                self.put(" GROUP BY GROUPING SETS (");
                self.list(sets, |printer, set| {
                    printer.put("(");
                    printer.list(set, Self::expr);
                    printer.put(")");
                });
                self.put(")");
            }
        }
        self.clause(" HAVING ", select.having.as_ref());
        self.clause(" QUALIFY ", select.qualify.as_ref());
    }

    fn clause(&mut self, words: &str, condition: Option<&Expr>) {
        if let Some(condition) = condition {
            self.put(words);
            self.expr(condition);
        }
    }

    fn from(&mut self, from: &Source) {
        match from {
            Source::Table { name, alias } => {
                let _ = write!(self.out, "{name} AS {alias}");
            }
            Source::Query { query, alias, columns, lateral } => {
                self.put(if *lateral { "LATERAL (" } else { "(" });
                self.query(query);
                let _ = write!(self.out, ") AS {alias}");
                self.columns(columns);
            }
            Source::Join { words, left, right, on, using } => {
                self.from(left);
                let words = match self.dialect {
                    Dialect::Pelton => words,
                    Dialect::DuckDb => {
                        words.strip_prefix("LEFT ").filter(|rest| *rest != "JOIN").unwrap_or(words)
                    }
                };
                let _ = write!(self.out, " {words} ");
                let nested = matches!(**right, Source::Join { .. });
                self.put(if nested { "(" } else { "" });
                self.from(right);
                self.put(if nested { ")" } else { "" });
                self.clause(" ON ", on.as_ref());
                if let Some(column) = using {
                    let _ = write!(self.out, " USING ({column})");
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let form = match (self.dialect, &expr.form.duckdb) {
            (Dialect::DuckDb, Some(text)) => text,
            _ => &expr.form.pelton,
        };
        let mut parts = form.split('$');
        self.put(parts.next().unwrap_or_default());
        for part in parts {
            let (digit, rest) = part.split_at(1);
            match digit.parse::<usize>().ok().and_then(|index| expr.arguments.get(index)) {
                Some(Argument::Expr(argument)) => self.expr(argument),
                Some(Argument::Query(query)) => self.query(query),
                None => unreachable!("the form {form:?} names an argument that is missing"),
            }
            self.put(rest);
        }
    }
}
