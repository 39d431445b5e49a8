//! `CREATE SECRET`, `DROP SECRET`: credentials of object stores.

use std::future::ready;
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tokens::keyword;
use crate::error::{Error, Result, wrap};
use crate::plan::executable::Plan;
use crate::plan::rows::RowsExec;
use crate::plan::session::Session;
use crate::stores::{Secret, SecretOptions, shown_option};

/// A statement about secrets.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum SecretStatement {
    /// `CREATE [OR REPLACE] [TEMPORARY] SECRET [IF NOT EXISTS] [name] (option value, …)`
    Create { name: Option<String>, replaces: bool, is_optional: bool, options: SecretOptions },
    /// `DROP SECRET [IF EXISTS] name`
    Drop { name: String, is_optional: bool },
}

impl std::fmt::Debug for SecretStatement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretStatement")
    }
}

/// Reads the tokens of a statement about secrets; `None` if it is another one. Messages never
/// repeat the statement's text.
///
/// # Errors
/// It begins as one of these and continues differently.
pub(super) fn parse(tokens: &[TokenWithSpan]) -> Result<Option<SecretStatement>> {
    let mut rest = Tokens(tokens);
    if rest.takes("DROP") {
        if !rest.takes("SECRET") {
            return Ok(None);
        }
        let is_optional = rest.takes_all(&["IF", "EXISTS"]);
        let name = rest.word().ok_or_else(|| expected("DROP SECRET needs a name: DROP SECRET name"))?;
        return match rest.0 {
            [] => Ok(Some(SecretStatement::Drop { name, is_optional })),
            _ => Err(expected("DROP SECRET takes one name: DROP SECRET name")),
        };
    }
    if !rest.takes("CREATE") {
        return Ok(None);
    }
    let replaces = rest.takes_all(&["OR", "REPLACE"]);
    let is_persistent = rest.takes("PERSISTENT");
    let _ = rest.takes("TEMPORARY") || rest.takes("TEMP");
    if !rest.takes("SECRET") {
        return Ok(None);
    }
    if is_persistent {
        let what = "secrets are not stored: a secret lasts as long as its session; use ~/.aws, the environment \
                    or ~/.config/pelton/init.sql for others";
        return Err(expected(what));
    }
    let is_optional = rest.takes_all(&["IF", "NOT", "EXISTS"]);
    let name = rest.word();
    let options = rest.options()?;
    Ok(Some(SecretStatement::Create { name, replaces, is_optional, options }))
}

/// Returns whether a statement is one about secrets, or begins as one.
pub(super) fn is_one(tokens: &[TokenWithSpan]) -> bool {
    !matches!(parse(tokens), Ok(None))
}

/// Checks that no statement about secrets is part of another one, before a parser repeats it in an
/// error, or the session keeps its text.
///
/// # Errors
/// One is.
pub(super) fn refuse_inside(tokens: &[TokenWithSpan]) -> Result<()> {
    let word = keyword(tokens.first());
    if !matches!(word.as_deref(), Some("EXPLAIN" | "PREPARE" | "CREATE" | "DESCRIBE" | "SUMMARIZE" | "COPY"))
    {
        return Ok(());
    }
    match (1..tokens.len()).find(|start| is_one(&tokens[*start..])) {
        None => Ok(()),
        Some(_) => Err(alone()),
    }
}

/// Checks that a text is no statement about secrets, which can't be kept.
///
/// # Errors
/// It is one.
pub(super) fn refuse(tokens: &[TokenWithSpan]) -> Result<()> {
    match parse(tokens) {
        Ok(None) => refuse_inside(tokens),
        Ok(Some(_)) | Err(_) => Err(alone()),
    }
}

fn alone() -> Error {
    expected("a secret is neither explained nor prepared, and is part of no other statement; write it alone")
}

/// Plans a statement about secrets; it takes effect when the plan runs.
///
/// # Errors
/// An option is unknown or refused.
pub(super) fn plan(session: &Session, statement: SecretStatement) -> Result<Plan> {
    let stores = session.stores().clone();
    Ok(Arc::new(match statement {
        SecretStatement::Create { name, replaces, is_optional, options } => {
            let secret = Secret::new(name.as_deref(), &options)?;
            RowsExec::text("secret", move || {
                let name = secret.name().to_owned();
                let exists = is_optional && stores.secrets().contains(&name);
                let added = match exists {
                    true => Ok(()),
                    false => stores.add_secret(secret.clone(), replaces),
                };
                ready(added.map(|()| vec![name]).map_err(wrap))
            })
        }
        SecretStatement::Drop { name, is_optional } => RowsExec::text("secret", move || {
            let is_dropped = stores.remove_secret(&name);
            ready(match (is_dropped, is_optional) {
                (true, _) => Ok(vec![name.clone()]),
                (false, true) => Ok(Vec::new()),
                (false, false) => Err(wrap(expected(&format!("there is no secret {name}")))),
            })
        }),
    }))
}

fn expected(what: &str) -> Error {
    Error::Query(what.to_owned())
}

/// The tokens that are not read yet.
struct Tokens<'a>(&'a [TokenWithSpan]);

impl<'a> Tokens<'a> {
    fn takes(&mut self, word: &str) -> bool {
        let found = keyword(self.0.first()).as_deref() == Some(word);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn takes_all(&mut self, words: &[&str]) -> bool {
        let found =
            words.iter().zip(self.0).filter(|(word, token)| keyword(Some(token)).as_deref() == Some(word));
        let found = found.count() == words.len();
        if found {
            self.0 = &self.0[words.len()..];
        }
        found
    }

    fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(&first.token)
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.0.first().map(|token| &token.token) else { return None };
        let word = word.value.clone();
        self.0 = &self.0[1..];
        Some(word)
    }

    /// Reads `(name value, …)`.
    fn options(&mut self) -> Result<SecretOptions> {
        let shape =
            || expected("a secret is written as CREATE SECRET name (TYPE s3, KEY_ID '…', SECRET '…')");
        if self.next() != Some(&Token::LParen) {
            return Err(shape());
        }
        let mut options = SecretOptions::new();
        loop {
            let name = self.word().ok_or_else(shape)?;
            let shown = shown_option(options.len() + 1, &name);
            let value = match self.next() {
                Some(Token::SingleQuotedString(text) | Token::DoubleQuotedString(text)) => text.clone(),
                Some(Token::Word(word)) => word.value.clone(),
                Some(Token::Number(number, _)) => number.clone(),
                _ => return Err(expected(&format!("the {shown} of a secret has no value in quotes"))),
            };
            if options.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name)) {
                return Err(expected(&format!("the {shown} of a secret is given twice")));
            }
            options.push((name, value));
            match self.next() {
                Some(Token::Comma) => {}
                Some(Token::RParen) if self.0.is_empty() => return Ok(options),
                _ => return Err(shape()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
