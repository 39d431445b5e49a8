//! Recursion limit for expressions, which are trees that recursive functions walk.
//!
//! A chain such as `a + b + c` is a tree as deep as its number of operators, and recursive
//! functions walk, copy and free such trees. DataFusion limits the nesting of parentheses and
//! subqueries, and grows the stack where it rewrites plans, but a chain without parentheses gets
//! past both.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use crate::error::{Error, Result};

/// Depth limit of an expression, in operators. Generated conditions reach some thousand terms. A
/// larger limit would overflow the stack of the caller's thread, which frees the plan recursively.
pub(super) const MAX_DEPTH: usize = 4000;

/// Refuses a statement that is too deep.
///
/// # Errors
/// The statement is too deep.
pub(super) fn check(sql: &str) -> Result<()> {
    // every level takes a token, and every token at least a byte
    if sql.len() <= MAX_DEPTH {
        return Ok(());
    }
    // The parser reports text that the lexer can't read.
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return Ok(()) };
    match depth(&tokens) {
        deep if deep > MAX_DEPTH => Err(Error::Query(format!(
            "an expression is {deep} operators deep, and {MAX_DEPTH} is the limit: write column IN (...) for many \
             comparisons of one column, put the values into a table and join it, or set parentheses around halves of a \
             long chain"
        ))),
        _ => Ok(()),
    }
}

/// Returns an upper bound of the deepest expression's depth. A chain of AND and OR counts each of
/// them; the longest chain of other operators between two of them is added, and so is the depth of
/// parentheses. A comma ends a chain.
fn depth(tokens: &[Token]) -> usize {
    let mut open = vec![Chain::default()];
    for token in tokens {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => open.push(Chain::default()),
            Token::RParen | Token::RBracket | Token::RBrace if open.len() > 1 => {
                let inner = open.pop().unwrap_or_default().depth();
                if let Some(outer) = open.last_mut() {
                    outer.within = outer.within.max(inner);
                }
            }
            Token::Comma | Token::SemiColon => {
                if let Some(chain) = open.last_mut() {
                    *chain = Chain { before: chain.depth(), ..Chain::default() };
                }
            }
            token => {
                if let Some(chain) = open.last_mut() {
                    chain.push(token);
                }
            }
        }
    }
    // the parser reports unclosed parentheses
    open.iter().map(Chain::depth).sum()
}

/// The tokens read so far between two parentheses.
#[derive(Default)]
struct Chain {
    /// Depth before the last comma.
    before: usize,
    /// AND, OR and set operations since then.
    loose: usize,
    /// The greatest depth of an operand of these.
    terms: usize,
    /// Other operators since the last of these.
    tight: usize,
    /// The deepest parentheses among them.
    within: usize,
}

impl Chain {
    fn push(&mut self, token: &Token) {
        match keyword(token) {
            Some(Keyword::AND | Keyword::OR | Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT) => {
                self.loose += 1;
                self.terms = self.terms.max(self.tight + self.within);
                (self.tight, self.within) = (0, 0);
            }
            _ => self.tight += usize::from(deepens(token)),
        }
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
