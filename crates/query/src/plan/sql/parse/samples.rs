//! Sample clauses in DuckDB's forms: `TABLESAMPLE reservoir(20%)`, `USING SAMPLE 10 ROWS`.

use datafusion::sql::sqlparser::ast::{Select, SetExpr, TableFactor, TableSample, TableSampleKind};
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Whitespace};

use super::dialect::PeltonDialect;
use crate::error::{Error, Result};

/// Start of the hint behind SELECT that holds the sample of the whole FROM clause.
const HINT: &str = "pelton+";

/// Writes each sample clause as the parser reads it: `TABLESAMPLE BERNOULLI (10 PERCENT)`, with ROW
/// for a reservoir. USING SAMPLE, which the parser lacks, becomes a hint behind its SELECT.
///
/// # Errors
/// A clause does not continue as a sample does.
pub(super) fn normalize(tokens: &mut Vec<TokenWithSpan>) -> Result<()> {
    // the indices of the last SELECT, in each open pair of brackets
    let mut selects: Vec<Option<usize>> = vec![None];
    let mut hints = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        match &tokens[index].token {
            Token::LParen => selects.push(None),
            Token::RParen if selects.len() > 1 => drop(selects.pop()),
            token if is_word(token, "SELECT") => {
                if let Some(last) = selects.last_mut() {
                    *last = Some(index);
                }
            }
            token if is_word(token, "TABLESAMPLE") => {
                let mut reader = Reader { tokens, index: index + 1 };
                let (sample, end) = (reader.sample()?, reader.index);
                replace(tokens, index, end, &sample.to_string())?;
            }
            token if is_word(token, "USING") => {
                let mut reader = Reader { tokens, index: index + 1 };
                if reader.take_word("SAMPLE") && !matches!(reader.peek(), Token::RParen | Token::Comma) {
                    let (sample, end) = (reader.sample()?, reader.index);
                    let Some(Some(select)) = selects.last().copied() else {
                        return Err(Error::Query(
                            "USING SAMPLE belongs behind the tables of a SELECT: write FROM t TABLESAMPLE 10%"
                                .to_owned(),
                        ));
                    };
                    hints.push((select, sample.to_string()));
                    replace(tokens, index, end, "")?;
                    continue;
                }
            }
            _ => {}
        }
        index += 1;
    }
    hints.sort_unstable_by_key(|(select, _)| *select);
    for (select, hint) in hints.into_iter().rev() {
        let span = tokens[select].span;
        let comment = Token::Whitespace(Whitespace::MultiLineComment(format!("{HINT}{hint}")));
        tokens.insert(select + 1, TokenWithSpan::new(comment, span));
    }
    Ok(())
}

/// Returns the sample of everything in a FROM clause, and takes its hint out.
///
/// # Errors
/// The hint is no sample.
pub(in crate::plan::sql) fn sample_of(select: &mut Select) -> Option<Box<TableSample>> {
    let at = select.optimizer_hints.iter().position(|hint| hint.prefix == HINT.trim_end_matches('+'))?;
    let hint = select.optimizer_hints.remove(at);
    let text = format!("SELECT * FROM t {}", hint.text);
    let mut parser = Parser::new(&PeltonDialect).try_with_sql(&text).ok()?;
    let SetExpr::Select(mut parsed) = *parser.parse_query().ok()?.body else { return None };
    match parsed.from.pop()?.relation {
        TableFactor::Table { sample: Some(TableSampleKind::AfterTableAlias(sample)), .. } => Some(sample),
        _ => None,
    }
}

fn is_word(token: &Token, expected: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(expected))
}

/// Replaces the tokens of a range by those of a text.
fn replace(tokens: &mut Vec<TokenWithSpan>, start: usize, end: usize, text: &str) -> Result<()> {
    let span = tokens[start].span;
    let parsed = Tokenizer::new(&PeltonDialect, text).tokenize();
    let parsed = parsed.map_err(|error| Error::Query(error.to_string()))?;
    let new = parsed.into_iter().map(|token| TokenWithSpan::new(token, span));
    tokens.splice(start..end, new);
    Ok(())
}

/// A sample clause, in the form of the parser.
struct Sample {
    method: &'static str,
    number: String,
    is_percent: bool,
    seed: Option<String>,
}

impl std::fmt::Display for Sample {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unit = if self.is_percent { "PERCENT" } else { "ROWS" };
        write!(to, "TABLESAMPLE {} ({} {unit})", self.method, self.number)?;
        match &self.seed {
            Some(seed) => write!(to, " REPEATABLE ({seed})"),
            None => Ok(()),
        }
    }
}

/// Reader of a sample clause.
struct Reader<'a> {
    tokens: &'a [TokenWithSpan],
    index: usize,
}

impl Reader<'_> {
    fn sample(&mut self) -> Result<Sample> {
        let mut method = self.method()?;
        let is_in_brackets = self.take(&Token::LParen);
        let number = self.number("a number of rows or a percentage")?;
        let is_percent = self.take(&Token::Mod) || self.take_word("PERCENT");
        if !is_percent {
            self.take_word("ROWS");
        }
        if is_in_brackets {
            self.close()?;
        }
        let mut seed = None;
        if method.is_none() && self.take(&Token::LParen) {
            method = self.method()?;
            if self.take(&Token::Comma) {
                seed = Some(self.number("a seed")?);
            }
            self.close()?;
        }
        if self.take_word("REPEATABLE") {
            self.expect(&Token::LParen)?;
            seed = Some(self.number("a seed")?);
            self.close()?;
        }
        let method = method.unwrap_or(if is_percent { "SYSTEM" } else { "ROW" });
        if method != "ROW" && !is_percent {
            return Err(Error::Query(format!(
                "a sample of {number} rows is drawn by reservoir: write TABLESAMPLE reservoir({number} ROWS), or a \
                 percentage for {}",
                method.to_ascii_lowercase()
            )));
        }
        Ok(Sample { method, number, is_percent, seed })
    }

    /// Reads the name of a method, if one follows.
    fn method(&mut self) -> Result<Option<&'static str>> {
        let Token::Word(word) = self.peek() else { return Ok(None) };
        let method = match word.value.to_ascii_lowercase().as_str() {
            "bernoulli" => "BERNOULLI",
            "system" => "SYSTEM",
            "reservoir" | "row" => "ROW",
            other => {
                return Err(Error::Query(format!(
                    "{other} is no method of sampling: write bernoulli, system or reservoir"
                )));
            }
        };
        self.index += 1;
        Ok(Some(method))
    }

    fn number(&mut self, expected: &str) -> Result<String> {
        match self.peek() {
            Token::Number(number, _) => {
                self.index += 1;
                Ok(number)
            }
            found => Err(wanted(expected, &found)),
        }
    }

    fn close(&mut self) -> Result<()> {
        self.expect(&Token::RParen)
    }

    fn expect(&mut self, token: &Token) -> Result<()> {
        match self.take(token) {
            true => Ok(()),
            false => Err(wanted(&token.to_string(), &self.peek())),
        }
    }

    fn take(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == *token;
        self.index += usize::from(is_next);
        is_next
    }

    fn take_word(&mut self, expected: &str) -> bool {
        let is_next = is_word(&self.peek(), expected);
        self.index += usize::from(is_next);
        is_next
    }

    /// Returns the next token that is no white space.
    fn peek(&mut self) -> Token {
        while let Some(TokenWithSpan { token: Token::Whitespace(_), .. }) = self.tokens.get(self.index) {
            self.index += 1;
        }
        self.tokens.get(self.index).map_or(Token::EOF, |token| token.token.clone())
    }
}

fn wanted(expected: &str, found: &Token) -> Error {
    Error::Query(format!(
        "a sample needs {expected}, and {found} is there: write TABLESAMPLE 10%, TABLESAMPLE bernoulli(10%) or \
         TABLESAMPLE reservoir(100 ROWS) REPEATABLE (42)"
    ))
}
