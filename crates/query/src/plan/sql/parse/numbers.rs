//! Numbers with separators: `1_000_000`.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// Takes the separators out of numbers.
pub(super) fn join(tokens: &mut [TokenWithSpan]) {
    for token in tokens {
        if let Token::Number(digits, _) = &mut token.token {
            digits.retain(|digit| digit != '_');
        }
    }
}
