//! Expansion of `*` to columns.

use std::collections::HashSet;

use datafusion::common::TableReference;
use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr,
    Statement as SqlStatement, TableWithJoins, WildcardAdditionalOptions, With,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::plan::sql::syntax::Scope;

/// Replaces every wildcard of a SELECT by its columns. A wildcard stays if its FROM can't be
/// planned by itself, or if it replaces or renames columns.
pub(in crate::plan::sql) async fn expand(state: &SessionState, select: &mut Select, scope: &Scope) {
    let mut items = Vec::new();
    for item in &select.projection {
        match columns(state, select, item, scope).await {
            Some(columns) => items.extend(columns.into_iter().map(SelectItem::UnnamedExpr)),
            None => items.push(item.clone()),
        }
    }
    select.projection = items;
}

async fn columns(
    state: &SessionState,
    select: &Select,
    item: &SelectItem,
    scope: &Scope,
) -> Option<Vec<Expr>> {
    let (SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options)) = item else {
        return None;
    };
    let WildcardAdditionalOptions { opt_replace, opt_rename, opt_alias, .. } = options;
    if opt_replace.is_some() || opt_rename.is_some() || opt_alias.is_some() || select.exclude.is_some() {
        return None;
    }
    let probe = Select {
        distinct: None,
        projection: vec![item.clone()],
        selection: None,
        group_by: GroupByExpr::Expressions(vec![], vec![]),
        having: None,
        qualify: None,
        named_window: vec![],
        sort_by: vec![],
        ..select.clone()
    };
    let query = query_of(SetExpr::Select(Box::new(probe)), scope);
    let statement = Statement::Statement(Box::new(SqlStatement::Query(Box::new(query))));
    let plan = state.statement_to_plan(statement).await.ok()?;
    let columns = plan.schema().iter().map(|(table, field)| column(table, field.name()));
    Some(columns.collect())
}

/// Returns the query that has every column of a relation; `None` if the parser has none.
pub(in crate::plan::sql) fn all_of(relation: TableWithJoins, scope: &Scope) -> Option<Query> {
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql("SELECT * FROM t").ok()?;
    let mut select = parser.parse_select().ok()?;
    select.from = vec![relation];
    Some(query_of(SetExpr::Select(Box::new(select)), scope))
}

fn query_of(body: SetExpr, scope: &Scope) -> Query {
    let with = With {
        with_token: AttachedToken::empty(),
        recursive: scope.is_recursive,
        cte_tables: scope.tables.clone(),
    };
    Query {
        with: (!with.cte_tables.is_empty()).then_some(with),
        body: Box::new(body),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: vec![],
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: vec![],
    }
}

/// Returns the columns that a `*` leaves out; `None` if it changes others.
pub(in crate::plan::sql) fn excluded(
    options: &WildcardAdditionalOptions,
    exclude: Option<&ExcludeSelectItem>,
) -> Option<HashSet<String>> {
    let WildcardAdditionalOptions { opt_replace, opt_rename, opt_alias, opt_ilike, .. } = options;
    if opt_replace.is_some() || opt_rename.is_some() || opt_alias.is_some() || opt_ilike.is_some() {
        return None;
    }
    let normalized = |name: &Ident| IdentNormalizer::new(true).normalize(name.clone());
    let mut names = HashSet::new();
    for part in [exclude, options.opt_exclude.as_ref()].into_iter().flatten() {
        let columns = match part {
            ExcludeSelectItem::Single(column) => std::slice::from_ref(column),
            ExcludeSelectItem::Multiple(columns) => columns,
        };
        let idents = columns.iter().filter_map(|column| column.0.last().and_then(|part| part.as_ident()));
        names.extend(idents.map(normalized));
    }
    if let Some(except) = &options.opt_except {
        names.insert(normalized(&except.first_element));
        names.extend(except.additional_elements.iter().map(normalized));
    }
    Some(names)
}

/// Returns a column by the name of its table and its own.
pub(in crate::plan::sql) fn column(table: Option<&TableReference>, name: &str) -> Expr {
    let quoted = |name: &str| Ident::with_quote('"', name);
    match table {
        None => Expr::Identifier(quoted(name)),
        Some(table) => {
            let mut parts = vec![];
            parts.extend(table.catalog().map(quoted));
            parts.extend(table.schema().map(quoted));
            parts.extend([quoted(table.table()), quoted(name)]);
            Expr::CompoundIdentifier(parts)
        }
    }
}
