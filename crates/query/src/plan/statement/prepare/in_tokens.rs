//! Parameters of statements that are read from the lexer's tokens: SET and those about secrets.

use std::iter::once;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Expr, SelectItem, Value};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{Parameters, projection};
use crate::error::{Error, Result};
use crate::plan::session::Session;
use crate::plan::sql;

/// Returns a query with a column for each parameter among some tokens, behind a first one.
///
/// # Errors
/// A parameter does not parse.
pub(in crate::plan::statement) fn query(session: &Session, tokens: &[TokenWithSpan]) -> Result<Statement> {
    let names = tokens.iter().filter_map(parameter);
    let columns: Vec<&str> = once("0").chain(names).collect();
    Ok(sql::parse(&session.context.state(), &format!("SELECT {}", columns.join(", ")))?)
}

/// Returns tokens with the values of a [`query`], in which parameters have values.
///
/// # Errors
/// A value has no text.
pub(in crate::plan::statement) fn with_values(
    tokens: &[TokenWithSpan],
    mut query: Statement,
) -> Result<Vec<TokenWithSpan>> {
    let mut values = projection(&mut query).into_iter().flatten().skip(1);
    let written = |token: &TokenWithSpan| {
        let Some(name) = parameter(token) else { return Ok(token.clone()) };
        let text = match values.next() {
            Some(SelectItem::UnnamedExpr(value)) => text(value),
            _ => None,
        };
        let text = text.ok_or_else(|| {
            Error::Query(format!(
                "the value of {name} is none that this statement takes: give text, a number, true or false"
            ))
        })?;
        Ok(TokenWithSpan::new(Token::SingleQuotedString(text), token.span))
    };
    tokens.iter().map(written).collect()
}

/// Returns tokens with values in place of the parameters among them.
///
/// # Errors
/// A parameter has no value, or a value no parameter.
pub(in crate::plan::statement) fn bound(
    session: &Session,
    tokens: &[TokenWithSpan],
    parameters: &Parameters,
) -> Result<Vec<TokenWithSpan>> {
    let mut query = query(session, tokens)?;
    parameters.bind(&mut query)?;
    with_values(tokens, query)
}

fn parameter(token: &TokenWithSpan) -> Option<&str> {
    match &token.token {
        Token::Placeholder(name) => Some(name),
        _ => None,
    }
}

/// Returns the text of a constant, and of the elements of a list with commas between them; `None`
/// for others and NULL.
fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) | Value::SingleQuotedString(text) => Some(text.clone()),
            Value::Boolean(value) => Some(value.to_string()),
            _ => None,
        },
        Expr::Cast { expr, .. } => text(expr),
        Expr::Array(list) => Some(list.elem.iter().map(text).collect::<Option<Vec<_>>>()?.join(", ")),
        _ => None,
    }
}
