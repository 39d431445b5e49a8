//! The columns that `*` stands for.

use datafusion::common::TableReference;
use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, Statement as SqlStatement,
    WildcardAdditionalOptions, With,
};

use super::equal_names::Scope;

/// Puts columns in the place of every wildcard of a SELECT. One of a FROM that can't be planned by
/// itself, and one that replaces or renames columns, stays.
pub(super) async fn expand(state: &SessionState, select: &mut Select, scope: &Scope) {
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
    let with = With {
        with_token: AttachedToken::empty(),
        recursive: scope.is_recursive,
        cte_tables: scope.tables.clone(),
    };
    let query = Query {
        with: (!with.cte_tables.is_empty()).then_some(with),
        body: Box::new(SetExpr::Select(Box::new(probe))),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: vec![],
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: vec![],
    };
    let statement = Statement::Statement(Box::new(SqlStatement::Query(Box::new(query))));
    let plan = state.statement_to_plan(statement).await.ok()?;
    let columns = plan.schema().iter().map(|(table, field)| column(table, field.name()));
    Some(columns.collect())
}

fn column(table: Option<&TableReference>, name: &str) -> Expr {
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
