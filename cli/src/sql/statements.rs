//! Splitter of a script into statements at its semicolons, where DataFusion's own lexer sees them:
//! not those in strings, quoted names and comments.

use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::failure::Failure;

/// A script, cut up.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    /// The statements that a semicolon ends, without it. Those with nothing in them are left out.
    pub ended: Vec<&'a str>,
    /// Text after the last semicolon, if it is more than blanks and comments.
    pub rest: Option<&'a str>,
}

impl<'a> Script<'a> {
    /// Cuts a script up.
    ///
    /// # Errors
    /// A string, quoted name or comment has no end.
    pub fn cut(text: &'a str) -> Result<Self, Failure> {
        let mut tokens = Vec::new();
        // DataFusion's default dialect.
        Tokenizer::new(&GenericDialect {}, text)
            .tokenize_with_location_into_buf(&mut tokens)
            .map_err(|error| Failure::Error(format!("the query does not parse: {error}")))?;
        let mut script = Script::default();
        let (mut start, mut blank) = (0, true);
        let mut position = Position::new(text);
        for TokenWithSpan { token, span } in tokens {
            match token {
                Token::SemiColon => {
                    let end = position.offset(span.start);
                    if !blank {
                        script.ended.push(text[start..end].trim());
                    }
                    (start, blank) = (end + 1, true);
                }
                Token::Whitespace(_) => {}
                _ => blank = false,
            }
        }
        script.rest = (!blank).then(|| text[start..].trim());
        Ok(script)
    }

    /// Returns all statements.
    pub fn statements(self) -> impl Iterator<Item = &'a str> {
        self.ended.into_iter().chain(self.rest)
    }
}

/// Turns the lexer's lines and columns, both from 1 and counted in characters, into offsets;
/// forwards only.
struct Position<'a> {
    rest: std::str::CharIndices<'a>,
    line: u64,
    column: u64,
}

impl<'a> Position<'a> {
    fn new(text: &'a str) -> Self {
        Position { rest: text.char_indices(), line: 1, column: 1 }
    }

    fn offset(&mut self, location: Location) -> usize {
        while (self.line, self.column) < (location.line, location.column) {
            match self.rest.next() {
                Some((_, '\n')) => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
                None => break,
            }
        }
        self.rest.offset()
    }
}

#[cfg(test)]
mod tests;
