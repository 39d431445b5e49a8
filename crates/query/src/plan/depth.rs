//! Expressions that are deeper than a thread's stack.
//!
//! `a + b + c` is a tree as deep as it has operators, and such trees are walked, copied and freed by functions that call
//! themselves. DataFusion limits what parentheses and subqueries nest, and grows the stack where it rewrites plans, but a
//! chain without parentheses gets past both.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use crate::error::{Error, Result};

/// The most operators that an expression may be deep. Generated conditions of some thousand terms are met in practice;
/// freeing a plan takes some 300 bytes of stack for each, 1.2 MB of the 2 MB that Rust's threads have.
pub(super) const MAX_DEPTH: usize = 4000;

/// Refuses a statement that is too deep to be worked on.
///
/// # Errors
/// It is.
pub(super) fn check(sql: &str) -> Result<()> {
    // Every level takes a token, and tokens are at least a byte.
    if sql.len() <= MAX_DEPTH {
        return Ok(());
    }
    // What the lexer can't read, the parser has words for.
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

/// At least the depth of the deepest expression: a chain counts all of its operators, and what is in parentheses comes on
/// top. A comma ends a chain.
fn depth(tokens: &[Token]) -> usize {
    // Of each open parenthesis: operators since the last comma, the deepest parentheses in them, the deepest before.
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
            token if deepens(token) => {
                if let Some(chain) = open.last_mut() {
                    chain.operators += 1;
                }
            }
            _ => {}
        }
    }
    // Parentheses that are never closed are an error of the parser's.
    open.iter().map(Chain::depth).sum()
}

/// What stands between two parentheses.
#[derive(Default)]
struct Chain {
    operators: usize,
    within: usize,
    before: usize,
}

impl Chain {
    fn depth(&self) -> usize {
        self.before.max(self.operators + self.within)
    }
}

/// Whether an expression or a query gets deeper by it: all but names, values, and words that begin a clause.
fn deepens(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_none()
                && matches!(
                    word.keyword,
                    Keyword::AND
                        | Keyword::OR
                        | Keyword::NOT
                        | Keyword::IS
                        | Keyword::LIKE
                        | Keyword::ILIKE
                        | Keyword::BETWEEN
                        | Keyword::COLLATE
                        | Keyword::AT
                        | Keyword::UNION
                        | Keyword::INTERSECT
                        | Keyword::EXCEPT
                        | Keyword::JOIN
                        | Keyword::CASE
                )
        }
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
mod tests {
    use super::*;

    fn of(sql: &str) -> usize {
        depth(&Tokenizer::new(&GenericDialect {}, sql).tokenize().expect("tokens"))
    }

    #[test]
    fn chains_count_their_operators_and_what_is_within() {
        assert_eq!(of("SELECT a"), 0);
        assert_eq!(of("SELECT a + b + c, a + b"), 2);
        assert_eq!(of("SELECT (a + b) * (c - d - e)"), 3);
        assert_eq!(of("SELECT f(a + 1, b), x || 'y'"), 1);
        assert_eq!(of("SELECT a FROM t WHERE a = 1 OR a = 2 OR NOT a IS NULL"), 6);
        assert_eq!(of("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"), 2);
        assert_eq!(of("SELECT - - - a"), 3);
    }

    #[test]
    fn lists_are_not_deep() {
        let list = vec!["-17"; 100_000].join(", ");
        assert!(check(&format!("SELECT * FROM t WHERE a IN ({list})")).is_ok());
        let rows = vec!["(1 + 2, 'x')"; 10_000].join(", ");
        assert!(check(&format!("SELECT * FROM (VALUES {rows})")).is_ok());
        assert!(check(&format!("SELECT '{}'", "+ a".repeat(10_000))).is_ok());
    }

    #[test]
    fn a_chain_beyond_the_limit_is_an_error_that_says_what_to_do() {
        assert!(check(&format!("SELECT a{}", "+a".repeat(MAX_DEPTH))).is_ok());
        let error = check(&format!("SELECT a{}", "+a".repeat(MAX_DEPTH + 1))).expect_err("too deep").to_string();
        assert!(error.contains("4001 operators deep") && error.contains("IN (...)"), "{error}");
    }
}
