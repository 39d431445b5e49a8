use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;
use pelton_random::Random;

use super::super::symbols::{MAX_LENGTH, MIN_LENGTH, Token};
use super::{Rules, parse};

fn tokens(input: &[u8], literals_only: bool, mini_block: Option<usize>) -> Vec<Token> {
    let mut tokens = Vec::new();
    parse(input, Rules { literals_only, mini_block }, |token| tokens.push(token));
    tokens
}

/// Returns the bytes of tokens, after a check of each token against the limits.
fn replay(tokens: &[Token], mini_block: Option<usize>) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for token in tokens {
        match *token {
            Token::Literal(byte) => out.push(byte),
            Token::Match { length, distance } => {
                assert!(
                    (MIN_LENGTH..=MAX_LENGTH).contains(&length) && (1..=HISTORY_BYTES).contains(&distance)
                );
                let from = out.len() - distance;
                if let Some(bytes) = mini_block {
                    assert_eq!(from / bytes, (out.len() + length - 1) / bytes);
                }
                (from..from + length).for_each(|at| out.push(out[at]));
            }
        }
    }
    out
}

/// "abcabcabc" has three literals, then a match that overlaps its output.
#[test]
fn a_match_may_overlap_itself() {
    let found = tokens(b"abcabcabc", false, None);
    let literals = b"abc".map(Token::Literal);
    assert_eq!(found[..3], literals);
    assert_eq!(found[3..], [Token::Match { length: 6, distance: 3 }]);
}

/// At "bcde" the match "bcd" of "abcd" would do; one byte later there is "cdefg".
#[test]
fn a_longer_match_one_later_is_taken() {
    let found = tokens(b"bcd-cdefg-bcdefg", false, None);
    assert_eq!(found[10..], [Token::Literal(b'b'), Token::Match { length: 5, distance: 7 }]);
}

/// The four bytes occur again at the edge of the window, and, in the second text, one byte after
/// it.
#[test]
fn the_history_is_4096_bytes() {
    let text = |distance: usize| {
        let mut text = b"WXYZ".to_vec();
        // Bytes of a counter without capital letters, so that no other match is as long or ends in
        // the marks.
        text.extend((0u32..).flat_map(|n| [n as u8 % 64, (n >> 6) as u8 % 64 + 128]).take(distance - 4));
        text.extend(b"WXYZ");
        text
    };
    let last = |text: &[u8]| tokens(text, false, None).last().copied();
    assert_eq!(last(&text(4096)), Some(Token::Match { length: 4, distance: 4096 }));
    assert_eq!(last(&text(4097)), Some(Token::Literal(b'Z')));
}

#[test]
fn literals_only() {
    let found = tokens(&[7; 100], true, None);
    assert_eq!(found, [Token::Literal(7); 100]);
}

/// Runs of one byte become the longest match, then the rest.
#[test]
fn the_longest_match() {
    let found = tokens(&[7; 1 + 258 + 3], false, None);
    let copy = |length| Token::Match { length, distance: 1 };
    assert_eq!(found, [Token::Literal(7), copy(258), copy(3)]);
}

#[test]
fn tokens_replay_to_the_input() {
    let mut random = Random::new(1);
    for round in 0..200 {
        let mut next = || random.next();
        let letters = [2, 4, 30, 256][round % 4];
        let input: Vec<u8> = (0..next() % 9000).map(|_| (next() % letters) as u8).collect();
        for mini_block in [None, Some(512), Some(4096)] {
            let found = tokens(&input, false, mini_block);
            assert!(replay(&found, mini_block) == input, "round {round}, {mini_block:?}");
        }
    }
}
