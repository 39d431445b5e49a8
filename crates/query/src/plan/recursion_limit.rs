//! Limits on the depth of expressions, which are trees that recursive functions walk.
//!
//! A chain such as `a + b + c` is a tree as deep as its number of operators, and recursive
//! functions walk, copy and free such trees. Limits are checked on the tokens of a text before it
//! is parsed, in one pass.

mod subqueries;

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use crate::error::nesting::{MAX_NESTING, too_nested};
use crate::error::{Error, Result};
pub(super) use subqueries::check as check_subqueries;

/// Depth limit of an expression, in operators. Generated conditions reach some thousand terms. A
/// larger limit would overflow the stack of a thread, which frees the plan recursively.
pub(super) const MAX_DEPTH: usize = 4000;

/// Limit of operators in one chain other than AND, OR and set operations, as DuckDB's
/// `max_expression_depth`. The time of planning grows with the square of their number.
const MAX_CHAIN: usize = 1000;

/// Limit of set operations in one query.
const MAX_SETS: usize = 10_000;

/// Limit of the parser's own levels. Up to eight of them belong to one level of nesting, such as
/// those of `OR NOT a = b + c * -(`.
pub(super) const PARSER: usize = 8 * MAX_NESTING;

/// Refuses a statement that is too deep.
///
/// # Errors
/// The statement is too deep.
pub(super) fn check(sql: &str) -> Result<()> {
    // every level takes a token, and every token at least a byte
    if sql.len() <= MAX_NESTING {
        return Ok(());
    }
    // The parser reports text that the lexer can't read.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return Ok(()) };
    let Depth { operators, chain, sets, nesting } = depth(&tokens);
    if nesting > MAX_NESTING {
        return Err(too_nested());
    }
    if chain > MAX_CHAIN {
        return Err(Error::Query(format!(
            "a chain of {chain} operators is longer than the limit of {MAX_CHAIN}: put the values into a table or a \
             list and aggregate them, or set parentheses around parts of the chain"
        )));
    }
    if sets > MAX_SETS {
        return Err(Error::Query(format!(
            "a chain of {sets} set operations is longer than the limit of {MAX_SETS}: write VALUES (...), or \
             CREATE TABLE and INSERT INTO"
        )));
    }
    match operators {
        deep if deep > MAX_DEPTH => Err(Error::Query(format!(
            "an expression is {deep} operators deep, and {MAX_DEPTH} is the limit: write column IN (...) for many \
             comparisons of one column, put the values into a table and join it, or set parentheses around halves of a \
             long chain"
        ))),
        _ => Ok(()),
    }
}

/// Upper bounds of a text's depths.
#[derive(Debug, Default, PartialEq, Eq)]
struct Depth {
    /// Operators above each other, but for set operations.
    operators: usize,
    /// The longest chain of operators other than AND and OR.
    chain: usize,
    /// Set operations.
    sets: usize,
    /// Parentheses, brackets, CASE and signs within each other.
    nesting: usize,
}

/// Returns the depths of a text. A chain of AND and OR counts each of them; the longest chain of
/// other operators between two of them is added, and so is the depth of parentheses. A comma ends a
/// chain, and so does a part of CASE.
fn depth(tokens: &[Token]) -> Depth {
    let mut depth = Depth::default();
    let mut open = vec![Chain::default()];
    // operators in front of an operand, such as those of NOT NOT a
    let mut signs = 0;
    for token in tokens {
        if matches!(token, Token::Whitespace(_)) {
            continue;
        }
        signs = if is_sign(token) { signs + 1 } else { 0 };
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => open.push(Chain::default()),
            Token::RParen | Token::RBracket | Token::RBrace => {
                while close(&mut open) {}
                if open.len() > 1 {
                    fold(&mut open);
                }
            }
            Token::Comma | Token::SemiColon => last(&mut open, Chain::end),
            token => match keyword(token) {
                Some(Keyword::CASE) => {
                    last(&mut open, |chain| chain.push(token, &mut depth.chain));
                    open.push(Chain { is_case: true, ..Chain::default() });
                }
                Some(Keyword::WHEN | Keyword::THEN | Keyword::ELSE) => last(&mut open, Chain::end),
                Some(Keyword::END) => {
                    close(&mut open);
                }
                Some(Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT) => {
                    depth.sets += 1;
                    last(&mut open, Chain::end);
                }
                _ => last(&mut open, |chain| chain.push(token, &mut depth.chain)),
            },
        }
        depth.nesting = depth.nesting.max(open.len() - 1 + signs);
    }
    // the parser reports unclosed parentheses
    depth.operators = open.iter().map(Chain::depth).sum();
    depth
}

/// Changes the innermost chain.
fn last(open: &mut [Chain], change: impl FnOnce(&mut Chain)) {
    if let Some(chain) = open.last_mut() {
        change(chain);
    }
}

/// Closes a CASE; `false` if none is innermost.
fn close(open: &mut Vec<Chain>) -> bool {
    let is_case = open.last().is_some_and(|chain| chain.is_case);
    if is_case {
        fold(open);
    }
    is_case
}

/// Ends the innermost chain, and adds its depth to the one around it.
fn fold(open: &mut Vec<Chain>) {
    let inner = open.pop().unwrap_or_default().depth();
    last(open, |outer| outer.within = outer.within.max(inner));
}

/// Returns whether a token can precede an operand, and another such token.
fn is_sign(token: &Token) -> bool {
    matches!(token, Token::Minus | Token::Plus | Token::Tilde) || keyword(token) == Some(Keyword::NOT)
}

/// The tokens read so far between two parentheses, or between CASE and its END.
#[derive(Default)]
struct Chain {
    is_case: bool,
    /// Depth before the last comma.
    before: usize,
    /// AND and OR since then.
    loose: usize,
    /// The greatest depth of an operand of these.
    terms: usize,
    /// Other operators since the last of these.
    tight: usize,
    /// The deepest parentheses among them.
    within: usize,
    /// BETWEEN without its AND so far.
    between: usize,
}

impl Chain {
    /// Adds a token. `longest` is the longest chain of operators other than AND and OR.
    fn push(&mut self, token: &Token, longest: &mut usize) {
        match keyword(token) {
            Some(Keyword::AND) if self.between > 0 => self.between -= 1,
            Some(Keyword::AND | Keyword::OR) => {
                self.loose += 1;
                self.terms = self.terms.max(self.tight + self.within);
                (self.tight, self.within) = (0, 0);
            }
            word => {
                self.between += usize::from(word == Some(Keyword::BETWEEN));
                self.tight += usize::from(deepens(token));
                *longest = (*longest).max(self.tight);
            }
        }
    }

    /// Begins another expression.
    fn end(&mut self) {
        *self = Self { is_case: self.is_case, before: self.depth(), ..Self::default() };
    }

    fn depth(&self) -> usize {
        self.before.max(self.loose + self.terms.max(self.tight + self.within))
    }
}

fn keyword(token: &Token) -> Option<Keyword> {
    match token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
        _ => None,
    }
}

/// Returns whether a token deepens an expression or a query: all do except names, values, and words
/// that begin a clause.
fn deepens(token: &Token) -> bool {
    match token {
        Token::Word(_) => matches!(
            keyword(token),
            Some(
                Keyword::NOT
                    | Keyword::IS
                    | Keyword::LIKE
                    | Keyword::ILIKE
                    | Keyword::BETWEEN
                    | Keyword::COLLATE
                    | Keyword::AT
                    | Keyword::JOIN
                    | Keyword::CASE
            )
        ),
        Token::Whitespace(_)
        | Token::EOF
        | Token::Number(..)
        | Token::Char(_)
        | Token::SingleQuotedString(_)
        | Token::NationalStringLiteral(_)
        | Token::EscapedStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::Placeholder(_)
        | Token::Period => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
