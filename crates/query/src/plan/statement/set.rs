//! SET, RESET, SHOW and PRAGMA of a setting.
//!
//! They are read from the lexer's tokens, so that values need no quotes, and that no parser repeats
//! a secret in an error.

use std::future::ready;
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::Ident;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use futures::FutureExt;
use pelton_settings::{Definition, Kind, SETTINGS, SettingError, TIMEZONE, Value, did_you_mean, find};

use super::Parameters;
use super::tokens::keyword;
use crate::error::{Error, Result};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;

/// Statement that lists all settings.
const LIST: &str = "SELECT name, value, description FROM pelton_settings() ORDER BY name";

impl From<SettingError> for Error {
    fn from(error: SettingError) -> Self {
        Error::Query(error.to_string())
    }
}

/// Plans SET, RESET or PRAGMA, given its tokens.
///
/// # Errors
/// There is no such setting, or the value is out of range.
pub(super) fn plan(session: &Session, tokens: &[TokenWithSpan]) -> Result<Plan> {
    let verb = keyword(tokens.first()).unwrap_or_default();
    let changes = match verb.as_str() {
        "RESET" => reset(&tokens[1..])?,
        _ => vec![set(&verb, &tokens[1..])?],
    };
    let session = session.clone();
    let run =
        move || changes.iter().try_for_each(|(definition, value)| session.set(definition, value.clone()));
    Ok(Arc::new(RowsExec::effect(&verb, run)))
}

/// Plans SHOW of a setting or all settings. SHOW of a table describes it, as in DuckDB.
///
/// # Errors
/// There is neither a setting nor a table of this name.
pub(super) async fn show(session: &Session, words: &[Ident]) -> Result<Plan> {
    let name = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
    if name.eq_ignore_ascii_case("ALL") {
        return session.plan(&session.text(LIST).await?).await;
    }
    let Ok((definition, is_opposite)) = find(&name) else {
        let quoted = words.iter().map(|word| word.to_string()).collect::<Vec<_>>().join(" ");
        let described = format!("DESCRIBE {quoted}");
        let described = super::plan(session, &described, &Parameters::none()).boxed().await;
        return described.map_err(|_| unknown(session, &name));
    };
    let values = session.settings();
    let shown = match is_opposite {
        true => (!values.is_on(definition)).to_string(),
        false => values.shown(definition),
    };
    let column = name.to_lowercase();
    Ok(Arc::new(RowsExec::text(&column, move || ready(Ok(vec![shown.clone()])))))
}

/// Returns the error for SHOW of an unknown name.
fn unknown(session: &Session, name: &str) -> Error {
    let tables = session.tables();
    let names = SETTINGS.iter().map(|definition| definition.name).chain(["tables", "functions", "all"]);
    let hint = did_you_mean(name, names.chain(tables.iter().map(String::as_str)));
    let hint = hint.unwrap_or_else(|| "SHOW TABLES lists tables, SHOW ALL settings".to_owned());
    Error::Query(format!("there is no setting or table {name}: {hint}"))
}

/// A setting and its new value; `None` for the value at the session's start.
type Change = (&'static Definition, Option<Value>);

fn reset(tokens: &[TokenWithSpan]) -> Result<Vec<Change>> {
    let name = written(tokens);
    match name.to_ascii_uppercase().as_str() {
        "" => Err(expected("RESET needs a name: RESET threads, or RESET ALL")),
        "ALL" => Ok(SETTINGS.iter().map(|definition| (*definition, None)).collect()),
        _ => Ok(vec![(find(&name)?.0, None)]),
    }
}

fn set(verb: &str, tokens: &[TokenWithSpan]) -> Result<Change> {
    let tokens = match keyword(tokens.first()).as_deref() {
        Some("SESSION" | "GLOBAL") => &tokens[1..],
        Some("LOCAL") => {
            return Err(expected("SET LOCAL is for transactions, which there are none of: write SET"));
        }
        Some("VARIABLE") => {
            return Err(expected(
                "SET VARIABLE is not supported: write PREPARE with a parameter $1 or $name",
            ));
        }
        Some("TIME") => return time_zone(&tokens[1..]),
        _ => tokens,
    };
    let Some(first) = tokens.first() else {
        return Err(expected(&format!("{verb} needs a name and a value: {verb} threads = 4")));
    };
    let is_sign =
        |token: &TokenWithSpan| token.token == Token::Eq || keyword(Some(token)).as_deref() == Some("TO");
    let split = tokens.iter().position(is_sign);
    let name = written(&tokens[..split.unwrap_or(1)]);
    let (definition, is_opposite) = find(&name)?;
    let value = split.map_or(&[][..], |split| &tokens[split + 1..]);
    let is_default = matches!(value, [only] if keyword(Some(only)).as_deref() == Some("DEFAULT"));
    if is_default {
        return Ok((definition, None));
    }
    if value.is_empty() {
        return Err(expected(&format!("{first} needs a value: {verb} {first} = ...")));
    }
    let value = definition.parse(&one_value(definition, value)?)?;
    Ok((definition, Some(if is_opposite { negated(value) } else { value })))
}

/// Reads `SET TIME ZONE 'UTC'`, behind TIME.
fn time_zone(tokens: &[TokenWithSpan]) -> Result<Change> {
    let definition = &TIMEZONE;
    match (keyword(tokens.first()).as_deref(), &tokens[1.min(tokens.len())..]) {
        (Some("ZONE"), [only]) if matches!(keyword(Some(only)).as_deref(), Some("DEFAULT" | "LOCAL")) => {
            Ok((definition, None))
        }
        (Some("ZONE"), value @ [_, ..]) => {
            Ok((definition, Some(definition.parse(&one_value(definition, value)?)?)))
        }
        _ => Err(expected("SET TIME ZONE needs a zone: SET TIME ZONE 'UTC'")),
    }
}

fn negated(value: Value) -> Value {
    match value {
        Value::Switch(is_on) => Value::Switch(!is_on),
        other => other,
    }
}

/// Returns the text of a value. Its tokens touch each other, apart from lists such as `cpu, cuda`
/// and sizes such as `2 GB`.
///
/// # Errors
/// Something follows the value.
fn one_value(definition: &Definition, tokens: &[TokenWithSpan]) -> Result<String> {
    let is_one = |pair: &[TokenWithSpan]| match (&pair[0].token, &pair[1].token) {
        (Token::Comma, _) | (_, Token::Comma) => true,
        (Token::Number(..), Token::Word(_)) if definition.kind == Kind::Size && tokens.len() == 2 => true,
        _ => pair[0].span.end == pair[1].span.start,
    };
    match tokens.windows(2).all(is_one) {
        true => Ok(written(tokens)),
        false => Err(expected(&format!(
            "SET {} has more than one value: write one, or put it in quotes",
            definition.name
        ))),
    }
}

/// Returns tokens as text, strings and quoted names without their quotes.
fn written(tokens: &[TokenWithSpan]) -> String {
    let part = |token: &TokenWithSpan| match &token.token {
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => text.clone(),
        Token::Word(word) => word.value.clone(),
        other => other.to_string(),
    };
    tokens.iter().map(part).collect()
}

fn expected(what: &str) -> Error {
    Error::Query(what.to_owned())
}
