//! A step in safe code, compiled for a processor that has wider vectors.

use crate::deflate::coder::split;
use crate::deflate::coder::symbols::Histogram;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn pays(block: &Histogram, next: &Histogram) -> bool {
    split::pays(block, next)
}
