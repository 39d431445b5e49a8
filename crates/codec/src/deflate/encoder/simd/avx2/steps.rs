//! The coder's steps in safe code, compiled for a processor that has wider vectors and shifts by any register.

use std::ops::Range;

use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::lazy;
use crate::deflate::encoder::symbols::{Histogram, Token};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn walk(at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
    lazy::walk(at_each, start, tokens)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn should_split(block: &Histogram, next: &Histogram) -> bool {
    splitter::should_split(block, next)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn link_near(chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    chains.link_near(buffer, range);
}
