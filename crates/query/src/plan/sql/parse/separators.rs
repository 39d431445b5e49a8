//! Notations of numbers, `1_000_000` and `0x1F`, and commas behind the last element of a list, as
//! in `SELECT a, b, FROM t`.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// Takes the separators out of numbers, and writes hexadecimal ones with decimal digits.
pub(super) fn plain_numbers(tokens: &mut [TokenWithSpan]) {
    for token in tokens {
        let is_number = is_number_of_hex_digits(token);
        match &mut token.token {
            Token::Number(digits, _) => digits.retain(|digit| digit != '_'),
            Token::HexStringLiteral(digits) if is_number => {
                token.token = Token::Number(in_decimal(digits), false);
            }
            _ => {}
        }
    }
}

/// Returns whether a token is `0x1F` and not `X'1F'`, for which the lexer has one token: the former
/// is shorter by a quote.
fn is_number_of_hex_digits(token: &TokenWithSpan) -> bool {
    let Token::HexStringLiteral(digits) = &token.token else { return false };
    let length = token.span.end.column.saturating_sub(token.span.start.column);
    !digits.is_empty() && usize::try_from(length).is_ok_and(|length| length == digits.len() + "0x".len())
}

/// Returns a number of any length with decimal digits.
fn in_decimal(hex: &str) -> String {
    // the least digit first
    let mut decimal = vec![0u8];
    for digit in hex.chars().filter_map(|digit| digit.to_digit(16)) {
        let mut carry = digit;
        for place in &mut decimal {
            let value = u32::from(*place) * 16 + carry;
            (*place, carry) = ((value % 10) as u8, value / 10);
        }
        while carry > 0 {
            decimal.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    decimal.iter().rev().map(|digit| char::from(b'0' + digit)).collect()
}

/// Takes out each comma that the end of a list follows: a closing bracket, the end of the
/// statement, or a keyword that begins a clause and is no name of a column.
pub(super) fn drop_trailing_commas(tokens: &mut Vec<TokenWithSpan>) {
    let mut ends = true;
    let mut kept = Vec::with_capacity(tokens.len());
    for token in std::mem::take(tokens).into_iter().rev() {
        match &token.token {
            Token::Whitespace(_) => {}
            Token::Comma if ends => continue,
            token => ends = is_end(token),
        }
        kept.push(token);
    }
    kept.reverse();
    *tokens = kept;
}

fn is_end(token: &Token) -> bool {
    match token {
        Token::EOF | Token::SemiColon | Token::RParen | Token::RBracket | Token::RBrace => true,
        Token::Word(word) if word.quote_style.is_none() => matches!(
            word.keyword,
            Keyword::FROM
                | Keyword::WHERE
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::QUALIFY
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::UNION
                | Keyword::EXCEPT
                | Keyword::INTERSECT
        ),
        _ => false,
    }
}
