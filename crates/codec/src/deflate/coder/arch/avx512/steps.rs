//! The coder's steps in safe code, compiled for a processor that has wider vectors and shifts by any register.

use std::ops::Range;

use crate::deflate::coder::parse;
use crate::deflate::coder::quick::Chains;
use crate::deflate::coder::split;
use crate::deflate::coder::symbols::{Histogram, Token};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn walk(at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
    parse::walk(at_each, start, tokens)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn pays(block: &Histogram, next: &Histogram) -> bool {
    split::pays(block, next)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn link_near(chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    chains.link_near(buffer, range);
}
