//! PIVOT and UNPIVOT of a table of FROM, as groups and as lists.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::physical_plan::collect;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, ExprWithAlias, GroupByExpr, Ident, NullInclusion, PivotValueSource, Query, Select, SelectItem,
    Statement as SqlStatement, TableAlias, TableFactor, Value, VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::scopes::Scopes;
use super::stars::names_of;
use crate::error::{Error, wrap};
use crate::plan::sql::parse::PeltonDialect;
use crate::plan::sql::walk::{WalkMut, each_expression};

/// Most columns that a PIVOT makes of values.
const MAX_COLUMNS: usize = 10_000;

/// Replaces PIVOT and UNPIVOT by subqueries. The values of a PIVOT without a list of them are read
/// from its table, now.
///
/// # Errors
/// The table can't be planned, or has too many values.
pub(in crate::plan::sql) async fn write_out(
    state: &SessionState,
    statement: &mut SqlStatement,
) -> Result<()> {
    // each round replaces one
    loop {
        let mut find = Find::default();
        let ControlFlow::Break((factor, group_by, scopes)) = statement.walk_mut(&mut find) else {
            return Ok(());
        };
        let written = match &factor {
            TableFactor::Pivot { .. } => pivot(state, &factor, group_by.as_deref(), &scopes).await?,
            _ => unpivot(state, &factor, &scopes).await?,
        };
        let mut parser = Parser::new(&PeltonDialect).try_with_sql(&written).map_err(DataFusionError::from)?;
        let subquery = parser.parse_query().map_err(DataFusionError::from)?;
        let alias = alias_of(&factor);
        let new = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
        let mut put = Put { factor: &factor, new: Some(new) };
        let _ = statement.walk_mut(&mut put);
        if put.new.is_some() {
            return Err(refused("can't stand here"));
        }
    }
}

fn refused(what: &str) -> DataFusionError {
    wrap(Error::Query(format!("this PIVOT {what}: write PIVOT t ON column USING sum(value) GROUP BY key")))
}

fn alias_of(factor: &TableFactor) -> Option<TableAlias> {
    match factor {
        TableFactor::Pivot { alias, .. } | TableFactor::Unpivot { alias, .. } => alias.clone(),
        _ => None,
    }
}

/// Finds a PIVOT or UNPIVOT, the inner ones of a statement last.
#[derive(Default)]
struct Find {
    scopes: Scopes,
}

/// The keys of the GROUP BY behind a PIVOT.
type Keys = Option<Vec<Expr>>;

impl VisitorMut for Find {
    type Break = (TableFactor, Keys, Scopes);

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        self.scopes.push(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Self::Break> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Self::Break> {
        let [tables] = select.from.as_mut_slice() else { return ControlFlow::Continue(()) };
        if !matches!(tables.relation, TableFactor::Pivot { .. }) || !tables.joins.is_empty() {
            return ControlFlow::Continue(());
        }
        // a GROUP BY beside a bare * belongs to the PIVOT
        let is_bare = matches!(select.projection.as_slice(), [SelectItem::Wildcard(_)]);
        let keys = match &mut select.group_by {
            GroupByExpr::Expressions(keys, _) if is_bare && !keys.is_empty() => Some(std::mem::take(keys)),
            _ => None,
        };
        ControlFlow::Break((tables.relation.clone(), keys, std::mem::take(&mut self.scopes)))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        match factor {
            TableFactor::Unpivot { .. } => {
                ControlFlow::Break((factor.clone(), None, std::mem::take(&mut self.scopes)))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Puts a subquery in the place of a PIVOT or UNPIVOT.
struct Put<'a> {
    factor: &'a TableFactor,
    new: Option<TableFactor>,
}

impl VisitorMut for Put<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if factor == self.factor
            && let Some(new) = self.new.take()
        {
            *factor = new;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn parsed(sql: &str, scopes: &Scopes) -> Result<Statement> {
    let mut parser = Parser::new(&PeltonDialect).try_with_sql(sql).map_err(DataFusionError::from)?;
    let mut query = parser.parse_query().map_err(DataFusionError::from)?;
    query.with = scopes.with();
    Ok(Statement::Statement(Box::new(SqlStatement::Query(query))))
}

/// Returns the names of a table's columns.
async fn columns(state: &SessionState, table: &TableFactor, scopes: &Scopes) -> Result<Vec<String>> {
    let plan = state.statement_to_plan(parsed(&format!("SELECT * FROM {table}"), scopes)?).await?;
    Ok(plan.schema().fields().iter().map(|field| field.name().clone()).collect())
}

fn quoted(name: &str) -> String {
    Ident::with_quote('"', name).to_string()
}

fn literal(text: &str) -> String {
    Value::SingleQuotedString(text.to_owned()).to_string()
}

/// Adds the names of the columns in an expression.
fn add_names(expr: &Expr, names: &mut HashSet<String>) {
    let normalized = |name: &Ident| IdentNormalizer::new(true).normalize(name.clone());
    let _ = each_expression(expr, |part| {
        match part {
            Expr::Identifier(name) => drop(names.insert(normalized(name))),
            Expr::CompoundIdentifier(parts) => names.extend(parts.last().map(normalized)),
            _ => {}
        }
        ControlFlow::Continue(())
    });
}

/// Returns the groups of a PIVOT: an aggregate for each value, of the rows that have it.
async fn pivot(
    state: &SessionState,
    factor: &TableFactor,
    keys: Option<&[Expr]>,
    scopes: &Scopes,
) -> Result<String> {
    let TableFactor::Pivot {
        table, aggregate_functions, value_column, value_source, default_on_null, ..
    } = factor
    else {
        return Err(refused("is none"));
    };
    let [column] = value_column.as_slice() else {
        return Err(refused("has several columns of values, and one is supported"));
    };
    if default_on_null.is_some() {
        return Err(refused("has no DEFAULT ON NULL: write coalesce around it"));
    }
    // each value: the condition for it, and its name
    let mut values: Vec<(String, String)> = Vec::new();
    match value_source {
        PivotValueSource::List(list) => {
            for ExprWithAlias { expr, alias } in list {
                let name = match (alias, expr) {
                    (Some(alias), _) => alias.value.clone(),
                    (None, Expr::Value(value)) => match value.value.clone().into_string() {
                        Some(text) => text,
                        None => expr.to_string(),
                    },
                    (None, expr) => expr.to_string(),
                };
                values.push((format!("{column} = {expr}"), name));
            }
        }
        PivotValueSource::Any(_) => {
            for text in distinct(state, column, table, scopes).await? {
                values.push((format!("CAST({column} AS VARCHAR) = {}", literal(&text)), text));
            }
        }
        PivotValueSource::Subquery(_) => {
            return Err(refused("has its values from a subquery: leave IN out for all"));
        }
    }
    let keys: Vec<String> = match keys {
        Some(keys) => keys.iter().map(ToString::to_string).collect(),
        None => {
            let mut used = HashSet::new();
            add_names(column, &mut used);
            aggregate_functions.iter().for_each(|aggregate| add_names(&aggregate.expr, &mut used));
            let columns = columns(state, table, scopes).await?;
            columns.iter().filter(|name| !used.contains(*name)).map(|name| quoted(name)).collect()
        }
    };
    let mut items = keys.clone();
    for (condition, name) in &values {
        for ExprWithAlias { expr, alias } in aggregate_functions {
            let name = match (aggregate_functions.len(), alias) {
                (1, None) => name.clone(),
                (_, None) => format!("{name}_{expr}"),
                (_, Some(alias)) => format!("{name}_{}", alias.value),
            };
            items.push(format!("{} AS {}", filtered(expr, condition)?, quoted(&name)));
        }
    }
    let groups = if keys.is_empty() { String::new() } else { format!(" GROUP BY {}", keys.join(", ")) };
    Ok(format!("SELECT {} FROM {table}{groups}", items.join(", ")))
}

/// Returns an aggregate of the rows that fulfil a condition.
fn filtered(aggregate: &Expr, condition: &str) -> Result<String> {
    match aggregate {
        Expr::Function(call) => {
            let mut call = call.clone();
            let own = call.filter.take();
            let condition = match own {
                Some(own) => format!("({condition}) AND ({own})"),
                None => condition.to_owned(),
            };
            Ok(format!("{call} FILTER (WHERE {condition})"))
        }
        Expr::Nested(inner) => filtered(inner, condition),
        other => Err(refused(&format!("computes {other}, and needs an aggregate"))),
    }
}

/// Returns the different values of a column as text, in their order.
async fn distinct(
    state: &SessionState,
    column: &Expr,
    table: &TableFactor,
    scopes: &Scopes,
) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT CAST(value AS VARCHAR) AS title FROM (SELECT DISTINCT {column} AS value FROM {table}) WHERE value IS NOT \
         NULL ORDER BY value LIMIT {}",
        MAX_COLUMNS + 1
    );
    let plan = state.statement_to_plan(parsed(&sql, scopes)?).await?;
    let plan = state.create_physical_plan(&plan).await?;
    let mut texts = Vec::new();
    for batch in collect(plan, state.task_ctx()).await? {
        let formatter = ArrayFormatter::try_new(batch.column(0), &FormatOptions::default())?;
        texts.extend((0..batch.num_rows()).map(|row| formatter.value(row).to_string()));
    }
    match texts.len() {
        0..=MAX_COLUMNS => Ok(texts),
        _ => Err(refused(&format!("has more than {MAX_COLUMNS} values"))),
    }
}

/// Returns the rows of an UNPIVOT: one for each of the columns.
async fn unpivot(state: &SessionState, factor: &TableFactor, scopes: &Scopes) -> Result<String> {
    let TableFactor::Unpivot { table, value, name, columns: chosen, null_inclusion, .. } = factor else {
        return Err(refused("is none"));
    };
    let all = columns(state, table, scopes).await?;
    let mut names = Vec::new();
    for ExprWithAlias { expr, alias } in chosen {
        let found = names_of(expr, &all).map_err(|message| wrap(Error::Query(message)))?;
        names.extend(found.into_iter().map(|column| {
            let title = alias.as_ref().map_or_else(|| column.clone(), |alias| alias.value.clone());
            (column, title)
        }));
    }
    let chosen: HashMap<&String, ()> = names.iter().map(|(column, _)| (column, ())).collect();
    let rest = all.iter().filter(|column| !chosen.contains_key(column)).map(|column| quoted(column));
    let titles: Vec<String> = names.iter().map(|(_, title)| literal(title)).collect();
    let values: Vec<String> = names.iter().map(|(column, _)| quoted(column)).collect();
    let items: Vec<String> = rest
        .chain([
            format!("unnest([{}]) AS {name}", titles.join(", ")),
            format!("unnest([{}]) AS {value}", values.join(", ")),
        ])
        .collect();
    let rows = format!("SELECT {} FROM {table}", items.join(", "));
    Ok(match null_inclusion {
        Some(NullInclusion::IncludeNulls) => rows,
        _ => format!("SELECT * FROM ({rows}) WHERE {value} IS NOT NULL"),
    })
}
