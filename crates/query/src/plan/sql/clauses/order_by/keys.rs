//! Keys of ORDER BY that repeat a column of the result: `SELECT DISTINCT x % 2 … ORDER BY x % 2`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    CastKind, Distinct, Expr, GroupByExpr, Ident, ObjectNamePart, OrderByKind, Query, Select, SelectItem,
    SetExpr, SetQuantifier, Statement, TableFactor, TableWithJoins, VisitorMut,
};

use crate::error::{Error, Result};
use crate::plan::sql::clauses::expression_names;
use crate::plan::sql::walk::{WalkMut, each_expression};

/// Writes the names of columns of the result in place of the expressions that they have in SELECT.
/// DataFusion computes a key from the columns of FROM, which DISTINCT, GROUP BY ALL and set
/// operations leave none of.
///
/// A set operation sorts by the names and the expressions of all its sides, as in DuckDB. In any
/// query, a name within a key is a column of FROM before it is one of the result, while DataFusion
/// takes `x` in `SELECT -x AS x … ORDER BY abs(x)` for the result's.
///
/// The names of aggregates tell which queries have groups.
///
/// # Errors
/// A key of a set operation has a name that no side has.
pub(in crate::plan::sql) fn refer(
    statement: &mut Statement,
    is_aggregate: &dyn Fn(&str) -> bool,
) -> Result<()> {
    match statement.walk_mut(&mut Keys { is_aggregate }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(message) => Err(Error::Query(message)),
    }
}

struct Keys<'a> {
    /// Returns whether a function of a name is an aggregate.
    is_aggregate: &'a dyn Fn(&str) -> bool,
}

impl VisitorMut for Keys<'_> {
    type Break = String;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<String> {
        let Some(order_by) = &mut query.order_by else { return ControlFlow::Continue(()) };
        let OrderByKind::Expressions(keys) = &mut order_by.kind else { return ControlFlow::Continue(()) };
        let keys = keys.iter_mut().map(|key| &mut key.expr);
        match query.body.as_mut() {
            SetExpr::Select(select) => {
                of_select(select, keys, self.is_aggregate);
                ControlFlow::Continue(())
            }
            body => of_sides(body, keys),
        }
    }
}

fn of_select<'a>(
    select: &mut Select,
    keys: impl Iterator<Item = &'a mut Expr>,
    is_aggregate: &dyn Fn(&str) -> bool,
) {
    let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
    let is_grouped_by_all = matches!(select.group_by, GroupByExpr::All(_));
    let has_no_from = is_distinct || is_grouped_by_all;
    let shadowed: Vec<String> = select.projection.iter().filter_map(shadowed).collect();
    if !has_no_from && shadowed.is_empty() {
        return;
    }
    let mut columns = Columns::of(&select.projection);
    if !has_no_from {
        columns.retain(|column| column.title.as_ref().is_some_and(|title| shadowed.contains(&title.value)));
    }
    let aggregates = |part: &Expr| match part {
        Expr::Function(call)
            if call.over.is_none() && is_aggregate(&call.name.to_string().to_lowercase()) =>
        {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    let has_groups =
        !is_plain(&select.group_by) || each_expression(&select.projection, aggregates).is_break();
    let table = if has_groups { None } else { only_table(&select.from) };
    for key in keys {
        match unnested(key) {
            Expr::Value(_) => continue,
            Expr::Identifier(name) if !has_no_from || columns.has_title(name) => continue,
            _ => {}
        }
        columns.replace_in(key, By::Forms);
        if let (Some(table), false) = (&table, has_no_from) {
            qualify(key, table, &shadowed);
        }
    }
    columns.write_titles(&mut select.projection);
}

fn of_sides<'a>(body: &mut SetExpr, keys: impl Iterator<Item = &'a mut Expr>) -> ControlFlow<String> {
    if is_by_name(body) {
        // the sides' places are not those of the result
        return ControlFlow::Continue(());
    }
    let mut sides = Vec::new();
    projections(body, &mut sides);
    let mut sides = sides.into_iter();
    let Some(first) = sides.next() else { return ControlFlow::Continue(()) };
    let mut columns = Columns::of(first);
    let is_known = columns.all.len() == first.len();
    for side in sides {
        columns.add(side);
    }
    let mut result = ControlFlow::Continue(());
    for key in keys {
        if let Expr::Value(_) = unnested(key) {
            continue;
        }
        columns.replace_in(key, By::NamesAndForms);
        if is_known && let Some(name) = columns.missing(key) {
            let titles: Vec<&str> = columns.titles().map(|title| title.value.as_str()).collect();
            result = ControlFlow::Break(format!(
                "there is no column {name} in the result that ORDER BY sorts: there are {}",
                titles.join(", ")
            ));
        }
    }
    columns.write_titles(first);
    result
}

/// Returns whether a set operation matches columns by name.
fn is_by_name(body: &SetExpr) -> bool {
    match body {
        SetExpr::Query(query) => is_by_name(&query.body),
        SetExpr::SetOperation { left, right, set_quantifier, .. } => {
            let by_name = matches!(
                set_quantifier,
                SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName
            );
            by_name || is_by_name(left) || is_by_name(right)
        }
        _ => false,
    }
}

/// Collects the lists of SELECT of a set operation, from left to right.
fn projections<'a>(body: &'a mut SetExpr, into: &mut Vec<&'a mut Vec<SelectItem>>) {
    match body {
        SetExpr::Select(select) => into.push(&mut select.projection),
        SetExpr::Query(query) => projections(&mut query.body, into),
        SetExpr::SetOperation { left, right, .. } => {
            projections(left, into);
            projections(right, into);
        }
        _ => {}
    }
}

/// A column of the result that keys can repeat.
struct Column {
    /// Its name; `None` until a key needs one.
    title: Option<Ident>,
    /// The names that the sides of a set operation have for it.
    names: Vec<Ident>,
    /// The expressions that make it, in one notation.
    forms: Vec<Expr>,
    /// Place in the list of SELECT.
    at: usize,
    is_used: bool,
}

/// The means by which an expression is known as a column.
#[derive(Clone, Copy)]
enum By {
    Forms,
    NamesAndForms,
}

/// The columns of the result.
struct Columns {
    all: Vec<Column>,
}

impl Columns {
    /// Returns the columns in front of the first wildcard, and those behind it that a statement
    /// names.
    fn of(items: &[SelectItem]) -> Self {
        let mut all = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let Some((name, expr)) = parts(item) else { continue };
            let title = name.as_ref().map(|name| Ident::with_quote('"', name.value.clone()));
            let names = name.into_iter().collect();
            all.push(Column { title, names, forms: vec![in_one_notation(expr)], at, is_used: false });
        }
        let titles: Vec<_> = all.iter().map(|column| column.title.clone()).collect();
        let is_twice = |title: &Option<Ident>| {
            title.is_some() && titles.iter().filter(|other| *other == title).count() > 1
        };
        let has_wildcard = all.len() != items.len();
        // a wildcard may have a column of the same name
        let is_unsure = |column: &Column| {
            has_wildcard && !column.title.as_ref().is_some_and(|title| is_text_of(title, items, column.at))
        };
        let mut columns = Self { all };
        columns.retain(|column| !is_twice(&column.title) && !is_unsure(column));
        columns
    }

    fn retain(&mut self, is_kept: impl Fn(&Column) -> bool) {
        self.all.retain(is_kept);
    }

    fn titles(&self) -> impl Iterator<Item = &Ident> {
        self.all.iter().filter_map(|column| column.title.as_ref())
    }

    /// Adds the names and expressions of another side of a set operation.
    fn add(&mut self, items: &[SelectItem]) {
        for (at, item) in items.iter().enumerate() {
            // a wildcard stands for any number of columns
            let Some((name, expr)) = parts(item) else { break };
            if let Some(column) = self.all.iter_mut().find(|column| column.at == at) {
                column.names.extend(name);
                column.forms.push(in_one_notation(expr));
            }
        }
    }

    fn has_title(&self, name: &Ident) -> bool {
        self.titles().any(|title| title.value == folded(name).value)
    }

    /// Writes names in place of the parts of a key that repeat a column.
    fn replace_in(&mut self, key: &mut Expr, by: By) {
        _ = each_outside(key, |part| {
            if let Some(column) = self.find(part, by) {
                let text = expression_names::text(part);
                let title = column.title.get_or_insert_with(|| Ident::with_quote('"', text));
                *part = Expr::Identifier(title.clone());
                column.is_used = true;
            }
            ControlFlow::<()>::Continue(())
        });
    }

    /// Returns the column that an expression repeats.
    fn find(&mut self, expr: &Expr, by: By) -> Option<&mut Column> {
        let expr = in_one_notation(expr);
        if let Expr::Value(_) = expr {
            return None;
        }
        let place = |is_meant: &dyn Fn(&Column) -> bool| self.all.iter().position(is_meant);
        let name = match (&expr, by) {
            (Expr::Identifier(name), By::NamesAndForms) => Some(name),
            _ => None,
        };
        let at = name.and_then(|name| {
            let first = place(&|column| column.names.first() == Some(name));
            first.or_else(|| place(&|column| column.names.contains(name)))
        });
        let at = at.or_else(|| place(&|column| column.forms.contains(&expr)));
        let at = at.or_else(|| {
            let bare = unqualified(&expr);
            place(&|column| column.forms.iter().any(|form| unqualified(form) == bare))
        });
        self.all.get_mut(at?)
    }

    /// Returns a name in a key that is none of a column.
    fn missing(&self, key: &mut Expr) -> Option<String> {
        let missing = each_outside(key, |part| match part {
            Expr::Identifier(name) if !self.has_title(name) => ControlFlow::Break(folded(name).value),
            _ => ControlFlow::Continue(()),
        });
        missing.break_value()
    }

    /// Names the items that keys refer to and that had no names.
    fn write_titles(&self, items: &mut [SelectItem]) {
        for column in self.all.iter().filter(|column| column.is_used) {
            if let (Some(item), Some(title)) = (items.get_mut(column.at), &column.title)
                && let SelectItem::UnnamedExpr(expr) = item
                && !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
            {
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: title.clone() };
            }
        }
    }
}

/// Returns the name and the expression of an item of SELECT; `None` for a wildcard.
fn parts(item: &SelectItem) -> Option<(Option<Ident>, &Expr)> {
    match item {
        SelectItem::ExprWithAlias { expr, alias } => Some((Some(folded(alias)), expr)),
        SelectItem::UnnamedExpr(expr) => Some(match expr {
            Expr::Identifier(name) => (Some(folded(name)), expr),
            Expr::CompoundIdentifier(parts) => (parts.last().map(folded), expr),
            expr => (None, expr),
        }),
        _ => None,
    }
}

/// Returns whether a title is the text of its expression, which no column of a table has as a name.
fn is_text_of(title: &Ident, items: &[SelectItem], at: usize) -> bool {
    match items.get(at).and_then(parts) {
        Some((_, Expr::Identifier(_) | Expr::CompoundIdentifier(_))) => false,
        Some((_, expr)) => title.value == expression_names::text(expr),
        None => false,
    }
}

/// Returns a name in the notation that all names are compared in.
fn folded(name: &Ident) -> Ident {
    match name.quote_style {
        None => Ident::new(name.value.to_lowercase()),
        Some(_) => Ident::new(name.value.clone()),
    }
}

fn unnested(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => unnested(inner),
        other => other,
    }
}

/// Returns a column without the name of its table, and other expressions unchanged.
fn unqualified(expr: &Expr) -> Expr {
    match expr {
        Expr::CompoundIdentifier(parts) if parts.len() > 1 => {
            parts.last().map_or_else(|| expr.clone(), |name| Expr::Identifier(name.clone()))
        }
        other => other.clone(),
    }
}

/// Returns an expression without parentheses, with names in small letters, and one notation of
/// casts.
fn in_one_notation(expr: &Expr) -> Expr {
    struct Fold;

    impl VisitorMut for Fold {
        type Break = ();

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            match expr {
                Expr::Nested(inner) => *expr = (**inner).clone(),
                Expr::Identifier(name) => *name = folded(name),
                Expr::CompoundIdentifier(names) => names.iter_mut().for_each(|name| *name = folded(name)),
                Expr::Function(call) => {
                    for part in &mut call.name.0 {
                        if let ObjectNamePart::Identifier(name) = part {
                            *name = folded(name);
                        }
                    }
                }
                Expr::Cast { kind: kind @ CastKind::DoubleColon, .. } => *kind = CastKind::Cast,
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }

    let mut expr = expr.clone();
    _ = expr.walk_mut(&mut Fold);
    expr
}

/// Returns the name of an item that is computed from a column of the same name: `-x AS x`.
fn shadowed(item: &SelectItem) -> Option<String> {
    let SelectItem::ExprWithAlias { expr, alias } = item else { return None };
    let alias = folded(alias);
    if matches!(unnested(expr), Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return None;
    }
    let found = each_expression(expr, |part| match part {
        Expr::Identifier(name) if folded(name) == alias => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break().then_some(alias.value)
}

fn is_plain(group_by: &GroupByExpr) -> bool {
    matches!(group_by, GroupByExpr::Expressions(keys, modifiers) if keys.is_empty() && modifiers.is_empty())
}

/// Returns the name of the only table of FROM.
fn only_table(from: &[TableWithJoins]) -> Option<Ident> {
    let [TableWithJoins { relation, joins }] = from else { return None };
    if !joins.is_empty() {
        return None;
    }
    match relation {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(alias.name.clone())
        }
        // the table of a call has a name of its own
        TableFactor::Table { name, args: None, .. } => name.0.last()?.as_ident().cloned(),
        _ => None,
    }
}

/// Writes a table's name in front of names within a key that the result hides.
fn qualify(key: &mut Expr, table: &Ident, hidden: &[String]) {
    let mut is_key = true;
    _ = each_outside(key, |part| {
        let is_whole = std::mem::take(&mut is_key);
        if let Expr::Identifier(name) = part
            // names with quotes are those of the result
            && (!is_whole && name.quote_style.is_none() && hidden.contains(&folded(name).value))
        {
            *part = Expr::CompoundIdentifier(vec![table.clone(), name.clone()]);
        }
        ControlFlow::<()>::Continue(())
    });
}

/// Calls a function for each expression of a key outside of subqueries and lambdas, outer ones
/// first, until it breaks.
fn each_outside<B>(key: &mut Expr, each: impl FnMut(&mut Expr) -> ControlFlow<B>) -> ControlFlow<B> {
    struct Outside<F> {
        each: F,
        depth: usize,
    }

    impl<B, F: FnMut(&mut Expr) -> ControlFlow<B>> VisitorMut for Outside<F> {
        type Break = B;

        fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<B> {
            self.depth += 1;
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<B> {
            self.depth -= 1;
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<B> {
            match expr {
                Expr::Lambda(_) => self.depth += 1,
                expr if self.depth == 0 => return (self.each)(expr),
                _ => {}
            }
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<B> {
            if let Expr::Lambda(_) = expr {
                self.depth -= 1;
            }
            ControlFlow::Continue(())
        }
    }

    key.walk_mut(&mut Outside { each, depth: 0 })
}
