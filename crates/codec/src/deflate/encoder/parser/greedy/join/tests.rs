use super::*;
use crate::deflate::encoder::symbols::literal;

/// A match of `len` bytes from `distance` back.
fn matched(len: usize, distance: usize) -> Token {
    symbols::match_of(len, distance - 1)
}

/// The tokens after those of a lane that begins at `start` and has the tokens from `first` on were
/// joined to what is before it.
fn joined(uncompressed: &[u8], start: usize, tokens: &[Token], first: usize) -> Vec<Token> {
    let mut tokens = tokens.to_vec();
    join(uncompressed, start..uncompressed.len(), &mut tokens, first);
    tokens
}

/// Returns the bytes that tokens stand for.
fn uncompressed_of(tokens: &[Token]) -> Vec<u8> {
    let mut uncompressed = Vec::new();
    for &token in tokens {
        match token & LITERAL {
            0 => (0..len_of(token)).for_each(|_| {
                uncompressed.push(uncompressed[uncompressed.len() - 1 - (token & 0x7fff) as usize])
            }),
            _ => uncompressed.push(token as u8),
        }
    }
    uncompressed
}

#[test]
fn a_match_goes_on_over_what_it_covers() {
    let uncompressed = b"abcdefghabcdefghX";
    let start: Vec<Token> = uncompressed[..8].iter().map(|&byte| literal(byte)).collect();
    let tokens = |cut: &[Token]| [&start[..], cut].concat();
    // Cut after three bytes: the extension covers two literals and a match of three.
    let after = [matched(3, 8), literal(b'd'), literal(b'e'), matched(3, 8), literal(b'X')];
    let found = joined(uncompressed, 11, &tokens(&after), 9);
    assert_eq!(found, tokens(&[matched(8, 8), literal(b'X')]));
    assert_eq!(uncompressed_of(&found), uncompressed);
}

#[test]
fn a_token_that_is_covered_in_part_stays() {
    let uncompressed = b"abcdefghabcdefgXgXgX";
    let start: Vec<Token> = uncompressed[..8].iter().map(|&byte| literal(byte)).collect();
    let tokens = |cut: &[Token]| [&start[..], cut].concat();
    // The match would go on for four bytes: it takes three literals, and not the next one's first.
    let rest = [literal(b'g'), literal(b'X'), matched(4, 2)];
    let after = [&[matched(3, 8), literal(b'd'), literal(b'e'), literal(b'f')][..], &rest].concat();
    assert_eq!(
        joined(uncompressed, 11, &tokens(&after), 9),
        tokens(&[&[matched(7, 8)], &rest[1..]].concat())
    );
    let whole = [matched(3, 8), literal(b'd'), matched(5, 8)];
    assert_eq!(joined(uncompressed, 11, &tokens(&whole), 9), tokens(&[matched(4, 8), matched(5, 8)]));
    let none = [matched(3, 8), matched(5, 8)];
    assert_eq!(joined(uncompressed, 11, &tokens(&none), 9), tokens(&none));
}

#[test]
fn a_match_is_no_longer_than_the_format_allows() {
    let uncompressed = [7; 600];
    let tokens = [&[literal(7), matched(255, 1)][..], &[literal(7); 344]].concat();
    let found = joined(&uncompressed, 256, &tokens, 2);
    assert_eq!(found[..2], [literal(7), matched(258, 1)]);
    assert_eq!(uncompressed_of(&found), uncompressed);
}

#[test]
fn what_ends_with_a_literal_or_begins_the_stream_is_left() {
    let uncompressed = b"aaaaaaaa";
    let literals = [literal(b'a'); 8];
    assert_eq!(joined(uncompressed, 3, &literals, 3), literals);
    assert_eq!(joined(uncompressed, 0, &literals, 0), literals);
}

/// A lane that is covered whole leaves a match that ends where the lane after it begins.
#[test]
fn a_match_goes_on_over_several_lanes() {
    let uncompressed: Vec<u8> = b"abcdefgh".repeat(4);
    let mut tokens: Vec<Token> = uncompressed[..8].iter().map(|&byte| literal(byte)).collect();
    tokens.push(matched(3, 8));
    for positions in [11..16, 16..16, 16..20, 20..32] {
        let first = tokens.len();
        tokens.extend(uncompressed[positions.clone()].iter().map(|&byte| literal(byte)));
        join(&uncompressed, positions, &mut tokens, first);
    }
    assert_eq!(tokens[8..], [matched(24, 8)]);
    assert_eq!(uncompressed_of(&tokens), uncompressed);
}
