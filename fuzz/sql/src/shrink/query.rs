//! Smaller queries: without clauses, with parts of expressions in place of the whole.

use crate::generate::{Generated, keeps_order};
use crate::tree::{Argument, Body, Expr, Group, Item, Query, Select, Source, Type};

/// Returns the rules for comparing the rows of a query.
pub fn generated(query: Query) -> Generated {
    let rough = match &query.body {
        Body::Select(select) => select.items.iter().map(|item| item.value.rough).collect(),
        Body::Set { left, right, .. } => {
            let (left, right) = (generated((**left).clone()).rough, generated((**right).clone()).rough);
            left.iter().zip(&right).map(|(left, right)| *left || *right).collect()
        }
        Body::Values(_) => Vec::new(),
    };
    let ordered = !query.order.is_empty() || keeps_order(&query);
    Generated { query, rough, ordered }
}

/// Queries with one thing less each, the largest first. Not all of them are valid.
pub fn smaller(query: &Query) -> Vec<Query> {
    let mut out = parts(query);
    for index in 0..query.ctes.len() {
        out.push(changed(query, |query| drop(query.ctes.remove(index))));
    }
    let by_order = matches!(&query.body, Body::Select(select) if !select.distinct_on.is_empty());
    if !query.order.is_empty() && !by_order {
        // the order says which rows LIMIT leaves
        out.push(changed(query, |query| {
            (query.order, query.limit, query.offset) = (Vec::new(), None, None);
        }));
    }
    if query.limit.is_some() {
        out.push(changed(query, |query| query.limit = None));
    }
    if query.offset.is_some() {
        out.push(changed(query, |query| query.offset = None));
    }
    for column in 0..columns(query) {
        out.extend(without_column(query, column));
    }
    match &query.body {
        Body::Select(select) => {
            let body = |select| Body::Select(Box::new(select));
            out.extend(
                selects(select).into_iter().map(|smaller| Query { body: body(smaller), ..query.clone() }),
            );
        }
        Body::Set { words, left, right } => {
            let set = |left: Query, right: Query| Query {
                body: Body::Set { words, left: Box::new(left), right: Box::new(right) },
                ..query.clone()
            };
            out.extend(smaller_of(left).into_iter().map(|left| set(left, (**right).clone())));
            out.extend(smaller_of(right).into_iter().map(|right| set((**left).clone(), right)));
        }
        Body::Values(rows) => {
            for row in 0..rows.len().saturating_sub(1) {
                let mut fewer = rows.clone();
                fewer.remove(row);
                out.push(Query { body: Body::Values(fewer), ..query.clone() });
            }
        }
    }
    for (index, cte) in query.ctes.iter().enumerate() {
        let with = |smaller: Query| changed(query, |query| query.ctes[index].query = smaller);
        out.extend(smaller(&cte.query).into_iter().map(with));
    }
    out.retain(|smaller| smaller != query);
    out
}

fn smaller_of(query: &Query) -> Vec<Query> {
    smaller(query)
}

fn changed(query: &Query, change: impl FnOnce(&mut Query)) -> Query {
    let mut query = query.clone();
    change(&mut query);
    query
}

/// Queries inside this one, in its place.
fn parts(query: &Query) -> Vec<Query> {
    let mut out = Vec::new();
    match &query.body {
        Body::Select(select) => {
            if let Some(from) = &select.from {
                queries_of(from, &mut out);
            }
        }
        Body::Set { left, right, .. } => out.extend([(**left).clone(), (**right).clone()]),
        Body::Values(_) => {}
    }
    for part in &mut out {
        part.ctes = query.ctes.iter().chain(&part.ctes).cloned().collect();
    }
    out.extend(query.ctes.iter().map(|cte| cte.query.clone()));
    out
}

fn queries_of(source: &Source, out: &mut Vec<Query>) {
    match source {
        Source::Query { query, .. } => out.push((**query).clone()),
        Source::Join { left, right, .. } => {
            queries_of(left, out);
            queries_of(right, out);
        }
        Source::Table { .. } => {}
    }
}

fn columns(query: &Query) -> usize {
    match &query.body {
        Body::Select(select) => select.items.len(),
        Body::Set { left, .. } => columns(left),
        Body::Values(rows) => rows.first().map_or(0, Vec::len),
    }
}

/// Without a column, and without the key of ORDER BY that is it.
fn without_column(query: &Query, column: usize) -> Option<Query> {
    if columns(query) < 2 {
        return None;
    }
    let mut query = query.clone();
    let name = match &mut query.body {
        Body::Select(select) => select.items.remove(column).name,
        Body::Set { left, right, .. } => {
            **left = without_column(left, column)?;
            **right = without_column(right, column)?;
            format!("c{column}")
        }
        Body::Values(_) => return None,
    };
    query.order.retain(|order| order.key.form.pelton != name);
    Some(query)
}

fn selects(select: &Select) -> Vec<Select> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Select)| {
        let mut smaller = select.clone();
        change(&mut smaller);
        out.push(smaller);
    };
    with(&|select| select.filter = None);
    with(&|select| select.having = None);
    with(&|select| select.qualify = None);
    with(&|select| select.distinct = false);
    with(&|select| select.distinct_on = Vec::new());
    with(&|select| select.from_first = false);
    with(&|select| select.group = Group::None);
    for source in select.from.iter().flat_map(sources) {
        with(&|select| select.from = Some(source.clone()));
    }
    for group in groups(&select.group) {
        with(&|select| select.group = group.clone());
    }
    for condition in select.filter.iter().flat_map(exprs) {
        with(&|select| select.filter = Some(condition.clone()));
    }
    for condition in select.having.iter().flat_map(exprs) {
        with(&|select| select.having = Some(condition.clone()));
    }
    for condition in select.qualify.iter().flat_map(exprs) {
        with(&|select| select.qualify = Some(condition.clone()));
    }
    for (index, Item { value, .. }) in select.items.iter().enumerate() {
        for value in exprs(value) {
            with(&|select| select.items[index].value = value.clone());
        }
    }
    out
}

fn groups(group: &Group) -> Vec<Group> {
    let without = |keys: &[Expr], index: usize| {
        let mut rest = keys.to_vec();
        rest.remove(index);
        rest
    };
    match group {
        Group::None | Group::All => Vec::new(),
        Group::Keys(keys) => (0..keys.len())
            .filter(|_| keys.len() > 1)
            .map(|index| Group::Keys(without(keys, index)))
            .collect(),
        Group::Function(word, keys) => {
            let fewer = (0..keys.len()).filter(|_| keys.len() > 1);
            let fewer = fewer.map(|index| Group::Function(word, without(keys, index)));
            std::iter::once(Group::Keys(keys.clone())).chain(fewer).collect()
        }
        Group::Sets(sets) => {
            let one = |index: usize| {
                let mut rest = sets.clone();
                rest.remove(index);
                Group::Sets(rest)
            };
            let fewer = (0..sets.len()).filter(|_| sets.len() > 1).map(one);
            sets.iter().map(|set| Group::Keys(set.clone())).chain(fewer).collect()
        }
    }
}

fn sources(source: &Source) -> Vec<Source> {
    match source {
        Source::Table { .. } => Vec::new(),
        Source::Query { query, alias, columns, lateral } => {
            let with = |query| Source::Query {
                query: Box::new(query),
                alias: alias.clone(),
                columns: columns.clone(),
                lateral: *lateral,
            };
            smaller(query).into_iter().map(with).collect()
        }
        Source::Join { words, left, right, on, using } => {
            let join = |left: Source, right: Source, on: Option<Expr>, words| Source::Join {
                words,
                left: Box::new(left),
                right: Box::new(right),
                on,
                using: *using,
            };
            let (l, r) = (|| (**left).clone(), || (**right).clone());
            let mut out = vec![l(), r()];
            if (on.is_some() || using.is_some()) && *words != "JOIN" {
                out.push(join(l(), r(), on.clone(), "JOIN"));
            }
            out.extend(sources(left).into_iter().map(|left| join(left, r(), on.clone(), words)));
            out.extend(sources(right).into_iter().map(|right| join(l(), right, on.clone(), words)));
            let conditions = on.iter().flat_map(exprs);
            out.extend(conditions.map(|on| join(l(), r(), Some(on), words)));
            out
        }
    }
}

/// Returns expressions of the same type with less in them.
fn exprs(expr: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    for argument in expr.arguments.iter().take(expr.fixed) {
        if let Argument::Expr(argument) = argument
            && argument.ty == expr.ty
        {
            out.push(argument.clone());
        }
    }
    for form in &expr.simpler {
        out.push(Expr { form: form.clone(), simpler: Vec::new(), ..expr.clone() });
    }
    if !expr.is_leaf() {
        out.extend(constants(&expr.ty));
    }
    for (index, argument) in expr.arguments.iter().enumerate().take(expr.fixed) {
        let mut with = |argument: Argument| {
            let mut smaller = expr.clone();
            smaller.arguments[index] = argument;
            out.push(smaller);
        };
        match argument {
            Argument::Expr(argument) => {
                exprs(argument).into_iter().for_each(|smaller| with(Argument::Expr(smaller)));
            }
            Argument::Query(query) => {
                smaller(query).into_iter().for_each(|smaller| with(Argument::Query(Box::new(smaller))));
            }
        }
    }
    out
}

/// Returns the simplest constants of a type.
fn constants(ty: &Type) -> Vec<Expr> {
    let text = match ty {
        Type::Bool => "TRUE",
        Type::Whole => "1",
        Type::Double => "1e0",
        Type::Decimal => "1.5",
        Type::Text => "'a'",
        Type::Date => "DATE '2020-01-01'",
        Type::Stamp => "TIMESTAMP '2020-01-01 00:00:00'",
        _ => return Vec::new(),
    };
    vec![Expr::leaf(ty.clone(), text), Expr::null(ty)]
}
