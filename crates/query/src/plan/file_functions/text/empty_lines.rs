//! Empty lines of CSV files with one column: each is a row with NULL, as DuckDB writes and reads
//! it.
//!
//! Arrow's reader passes over empty lines, so they get quotes in front of it.

use bytes::Bytes;

/// Characters of a file that have a meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub delimiter: u8,
    pub quote: u8,
    /// Character before a quote in a value, in place of another quote.
    pub escape: Option<u8>,
    pub comment: Option<u8>,
}

/// Place in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    StartOfLine,
    /// Behind a carriage return, whose line feed may follow.
    CarriageReturn,
    StartOfField,
    Unquoted,
    Quoted,
    Escaped,
    /// Behind a quote within quotes: the last one, or the first of two.
    Quote,
    Comment,
}

/// Text of a file in pieces, with quotes in its empty lines.
#[derive(Debug)]
pub(super) struct EmptyLines {
    marks: Marks,
    state: State,
    /// Empty lines in front of the first other line are no rows.
    has_row: bool,
}

impl EmptyLines {
    pub fn new(marks: Marks) -> Self {
        Self { marks, state: State::StartOfLine, has_row: false }
    }

    /// Returns the next piece of the text, with quotes in its empty lines.
    pub fn quoted(&mut self, piece: Bytes) -> Bytes {
        let mut changed = Vec::new();
        let mut copied = 0;
        for (at, &byte) in piece.iter().enumerate() {
            let is_empty_line = match self.state {
                State::StartOfLine => byte == b'\n' || byte == b'\r',
                State::CarriageReturn => byte == b'\r',
                _ => false,
            };
            if is_empty_line && self.has_row {
                changed.extend_from_slice(&piece[copied..at]);
                changed.extend_from_slice(&[self.marks.quote; 2]);
                copied = at;
            }
            self.state = self.next(byte);
            self.has_row |=
                !matches!(self.state, State::StartOfLine | State::CarriageReturn | State::Comment);
        }
        if copied == 0 && changed.is_empty() {
            return piece;
        }
        changed.extend_from_slice(&piece[copied..]);
        changed.into()
    }

    /// Returns the state behind a byte, by the rules of Arrow's reader.
    fn next(&self, byte: u8) -> State {
        let Marks { delimiter, quote, escape, comment } = self.marks;
        let unquoted = || match byte {
            b'\n' => State::StartOfLine,
            b'\r' => State::CarriageReturn,
            _ if byte == delimiter => State::StartOfField,
            _ => State::Unquoted,
        };
        match self.state {
            State::StartOfLine | State::CarriageReturn if Some(byte) == comment => State::Comment,
            State::StartOfLine | State::CarriageReturn | State::StartOfField if byte == quote => {
                State::Quoted
            }
            State::Quoted if Some(byte) == escape => State::Escaped,
            State::Quoted if byte == quote => State::Quote,
            State::Quoted | State::Escaped => State::Quoted,
            State::Quote if byte == quote => State::Quoted,
            State::Comment if byte != b'\n' => State::Comment,
            _ => unquoted(),
        }
    }
}

#[cfg(test)]
mod tests;
