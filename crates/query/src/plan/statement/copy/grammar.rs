//! Grammar of COPY: the rows, the place, and the options with or without parentheses.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use pelton_pages::OptionValue;

use crate::error::{Error, Result};
use crate::plan::statement::tokens::{closing, keyword, slice};

/// A COPY statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::plan) struct Copy {
    pub(super) rows: Rows,
    pub(super) place: String,
    pub(super) options: Vec<Given>,
}

/// The side of a COPY statement that is not the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rows {
    /// Text of the query whose rows are written.
    Of(String),
    /// Text of the table, with its columns in parentheses if there are some, that gets rows.
    Into(String),
}

/// An option of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// Its name in lower case.
    pub name: String,
    pub value: OptionValue,
    /// The value as it was written, without outer parentheses.
    pub text: String,
}

const FORM: &str =
    "write COPY (SELECT ...) TO 'place' (FORMAT parquet), or COPY t TO 'place.csv', or COPY t FROM 'place'";

/// Options that may stand without a value, and words that are formats: what follows them outside of
/// parentheses is the next option.
const WORDS: [&str; 13] = [
    "csv",
    "parquet",
    "json",
    "ndjson",
    "arrow",
    "arrows",
    "header",
    "overwrite",
    "append",
    "array",
    "per_thread_output",
    "return_files",
    "write_partition_columns",
];

/// Options of two words, and the one that they mean.
const PAIRS: [([&str; 2], &str); 5] = [
    (["PARTITION", "BY"], "partition_by"),
    (["PARTITIONED", "BY"], "partition_by"),
    (["ORDER", "BY"], "order_by"),
    (["FORCE", "QUOTE"], "force_quote"),
    (["STORED", "AS"], "format"),
];

/// Reads a statement that begins with COPY.
///
/// # Errors
/// It continues differently than COPY does.
pub(super) fn parse(sql: &str, tokens: &[TokenWithSpan]) -> Result<Copy> {
    let tokens = &tokens[1..];
    let (rows, rest) = match keyword(tokens.first()).as_deref() {
        _ if is(tokens.first(), &Token::LParen) => {
            let end = closing(tokens).ok_or_else(|| bad("a parenthesis of COPY is not closed"))?;
            (Rows::Of(slice(sql, &tokens[1..end]).to_owned()), to(&tokens[end + 1..])?)
        }
        Some("SELECT" | "WITH" | "VALUES" | "FROM") => {
            // the query may have a TO of its own, and the place is the last text behind one
            let is_place = |pair: &[TokenWithSpan]| {
                keyword(pair.first()).as_deref() == Some("TO") && quoted(pair.get(1)).is_some()
            };
            let split = tokens.windows(2).rposition(is_place);
            let split = split.ok_or_else(|| bad("COPY of a query needs TO 'place'"))?;
            (Rows::Of(slice(sql, &tokens[..split]).to_owned()), &tokens[split + 1..])
        }
        _ => table(sql, tokens)?,
    };
    let place = place(rest.first())?;
    let options = options(sql, &rest[1..])?;
    Ok(Copy { rows, place, options })
}

fn bad(what: &str) -> Error {
    Error::Query(format!("{what}: {FORM}"))
}

fn is(token: Option<&TokenWithSpan>, other: &Token) -> bool {
    token.is_some_and(|token| token.token == *other)
}

/// Returns the tokens behind TO.
fn to(tokens: &[TokenWithSpan]) -> Result<&[TokenWithSpan]> {
    match keyword(tokens.first()).as_deref() {
        Some("TO") => Ok(&tokens[1..]),
        Some("FROM") => Err(bad("a query takes no rows: COPY FROM needs a table")),
        _ => Err(bad("COPY needs TO and a place behind the query")),
    }
}

/// Reads the table, its columns, and the direction.
fn table<'a>(sql: &str, tokens: &'a [TokenWithSpan]) -> Result<(Rows, &'a [TokenWithSpan])> {
    let is_direction = |token: &TokenWithSpan| matches!(keyword(Some(token)).as_deref(), Some("TO" | "FROM"));
    let split = tokens.iter().position(is_direction).filter(|&split| split > 0);
    let split = split.ok_or_else(|| bad("COPY needs a table or a query, and TO or FROM"))?;
    let (source, rest) = (&tokens[..split], &tokens[split + 1..]);
    let name = source.iter().position(|token| token.token == Token::LParen).unwrap_or(source.len());
    let (name, columns) = (slice(sql, &source[..name]), &source[name..]);
    if name.is_empty() || (!columns.is_empty() && closing(columns) != Some(columns.len() - 1)) {
        return Err(bad(&format!("COPY {}: this is no table", slice(sql, source))));
    }
    let rows = match keyword(tokens.get(split)).as_deref() {
        Some("TO") if columns.is_empty() => Rows::Of(format!("SELECT * FROM {name}")),
        Some("TO") => Rows::Of(format!("SELECT {} FROM {name}", slice(sql, &columns[1..columns.len() - 1]))),
        _ => Rows::Into(slice(sql, source).to_owned()),
    };
    Ok((rows, rest))
}

fn place(token: Option<&TokenWithSpan>) -> Result<String> {
    match (quoted(token), keyword(token).as_deref()) {
        (Some(place), _) if place.is_empty() => Err(bad("the place is empty")),
        (Some(place), _) => Ok(place),
        (None, Some("STDOUT")) => Ok("/dev/stdout".to_owned()),
        (None, Some("STDIN")) => Ok("/dev/stdin".to_owned()),
        _ => Err(bad("COPY needs a place in single quotes")),
    }
}

/// Returns a text in single quotes.
fn quoted(token: Option<&TokenWithSpan>) -> Option<String> {
    match &token?.token {
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => Some(text.clone()),
        _ => None,
    }
}

fn options(sql: &str, tokens: &[TokenWithSpan]) -> Result<Vec<Given>> {
    let with = usize::from(keyword(tokens.first()).as_deref() == Some("WITH"));
    let mut rest = &tokens[with..];
    let mut all = Vec::new();
    while let Some(first) = rest.first() {
        let word = keyword(Some(first));
        if first.token == Token::LParen || word.as_deref() == Some("OPTIONS") {
            let list = &rest[usize::from(first.token != Token::LParen)..];
            let end = closing(list).filter(|_| is(list.first(), &Token::LParen));
            let end = end.ok_or_else(|| bad("a parenthesis of the options is not closed"))?;
            for option in pieces(&list[1..end]) {
                all.push(option_of(sql, option)?);
            }
            rest = &list[end + 1..];
        } else if first.token == Token::Comma {
            rest = &rest[1..];
        } else {
            let length = bare(rest);
            all.push(option_of(sql, &rest[..length])?);
            rest = &rest[length..];
        }
    }
    Ok(all)
}

/// Splits tokens at commas outside of parentheses. A trailing comma has no piece behind it.
fn pieces(tokens: &[TokenWithSpan]) -> Vec<&[TokenWithSpan]> {
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        match tokens[at].token {
            Token::Comma => {
                all.push(&tokens[start..at]);
                start = at + 1;
            }
            Token::LParen | Token::LBracket | Token::LBrace => {
                at += closing(&tokens[at..]).unwrap_or(tokens.len());
            }
            _ => {}
        }
        at += 1;
    }
    if start < tokens.len() {
        all.push(&tokens[start..]);
    }
    all
}

/// Returns the number of tokens of the first option, which stands without parentheses.
fn bare(tokens: &[TokenWithSpan]) -> usize {
    let is_word = |token: Option<&TokenWithSpan>| {
        keyword(token).is_some_and(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
    };
    let name = name(tokens).map_or(1, |(_, length)| length);
    let value = name + usize::from(is_sign(tokens.get(name)));
    let is_list = |token: &TokenWithSpan| matches!(token.token, Token::LParen | Token::LBracket);
    let next = tokens.get(value);
    match next {
        // HEADER OVERWRITE are two options, and FORMAT csv is one
        Some(_) if value == name && is_word(tokens.first()) => match next.map(|next| &next.token) {
            Some(Token::SingleQuotedString(_) | Token::Number(..)) => value + 1,
            Some(Token::Word(word))
                if ["TRUE", "FALSE", "ON", "OFF"].contains(&word.value.to_ascii_uppercase().as_str()) =>
            {
                value + 1
            }
            _ => name,
        },
        Some(next) if is_list(next) => {
            value + closing(&tokens[value..]).map_or(tokens.len() - value, |end| end + 1)
        }
        Some(next) if next.token != Token::Comma => value + 1,
        _ => value,
    }
    .min(tokens.len())
}

/// Returns whether a token may stand between a name and its value.
fn is_sign(token: Option<&TokenWithSpan>) -> bool {
    is(token, &Token::Eq) || is(token, &Token::Assignment) || keyword(token).as_deref() == Some("AS")
}

/// Reads the name of an option, and returns it with the number of its tokens.
fn name(tokens: &[TokenWithSpan]) -> Option<(String, usize)> {
    let words = [keyword(tokens.first()), keyword(tokens.get(1))];
    let words = words.each_ref().map(|word| word.as_deref().unwrap_or_default());
    if let Some((_, meaning)) = PAIRS.iter().find(|(pair, _)| *pair == words) {
        return Some(((*meaning).to_owned(), 2));
    }
    match &tokens.first()?.token {
        Token::Word(word) => Some((word.value.to_ascii_lowercase(), 1)),
        Token::SingleQuotedString(text) => Some((text.to_ascii_lowercase(), 1)),
        _ => None,
    }
}

fn option_of(sql: &str, tokens: &[TokenWithSpan]) -> Result<Given> {
    let shown = || slice(sql, tokens);
    let (name, length) = name(tokens).ok_or_else(|| bad(&format!("{}: this is no option", shown())))?;
    let rest = &tokens[length..];
    let rest = &rest[usize::from(is_sign(rest.first()))..];
    let value = value(sql, rest);
    let value = value.ok_or_else(|| bad(&format!("{}: this is no value of option {name}", shown())))?;
    let is_list = is(rest.first(), &Token::LParen) && closing(rest) == Some(rest.len() - 1);
    let text = slice(sql, if is_list { &rest[1..rest.len() - 1] } else { rest });
    Ok(match (name.as_str(), &value) {
        // a format's name alone, as in WITH CSV HEADER
        ("csv" | "parquet" | "json" | "ndjson" | "arrow" | "arrows", OptionValue::Absent) => {
            Given { value: OptionValue::Text(name.clone()), text: name, name: "format".to_owned() }
        }
        _ => Given { text: text.to_owned(), name, value },
    })
}

/// Reads the value of an option; `None` if it is not a text, a number, a word or a list.
fn value(sql: &str, tokens: &[TokenWithSpan]) -> Option<OptionValue> {
    match tokens {
        [] => Some(OptionValue::Absent),
        [one] => match &one.token {
            Token::Word(word) => Some(OptionValue::Text(word.value.clone())),
            Token::Number(number, _) => Some(OptionValue::Other(number.clone())),
            Token::Mul => Some(OptionValue::Text("*".to_owned())),
            _ => quoted(Some(one)).map(OptionValue::Text),
        },
        [minus, TokenWithSpan { token: Token::Number(number, _), .. }] if minus.token == Token::Minus => {
            Some(OptionValue::Other(format!("-{number}")))
        }
        [open, inner @ .., _]
            if matches!(open.token, Token::LParen | Token::LBracket)
                && closing(tokens) == Some(tokens.len() - 1) =>
        {
            let element = |tokens: &[TokenWithSpan]| match value(sql, tokens) {
                Some(OptionValue::Text(text) | OptionValue::Other(text)) => text,
                _ => slice(sql, tokens).to_owned(),
            };
            Some(OptionValue::List(pieces(inner).into_iter().map(element).collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
