//! The links of `greedy::Chains`, a group of positions at a time: a gather from the table and a scatter to it.

use std::arch::x86_64::*;
use std::ops::Range;

use super::linker::{ALL, LOADED, Linker, load};
use super::set;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::greedy::{CHUNK, GROUP, MAX_BACKWARD};
use crate::deflate::encoder::symbols::WINDOW;

/// As `Chains::insert_range`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) unsafe fn insert_range(chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    let len = range.len();
    let places = chains.place(range.start)..chains.place(range.end);
    assert!(range.end <= buffer.len() && chains.distances.len() >= WINDOW + CHUNK);
    assert!(chains.table.len() == 1 << chains.bits && (1..=16).contains(&chains.bits));
    let linker = Linker::new(chains);
    let distances = chains.distances[places].as_mut_ptr();
    // Whole groups, of which the first has bytes before all of its positions.
    let start = if range.start < MAX_BACKWARD { len.min(GROUP) } else { 0 };
    let loaded = (buffer.len() + 1).saturating_sub(LOADED + range.start);
    let bulk = start..start + len.min(loaded).saturating_sub(start) / GROUP * GROUP;
    // SAFETY: positions are in the buffer, and there is a distance for each. LOADED bytes follow the start of each group of the bulk, and
    // only those are loaded whole. Nothing else has the table until the linker is gone.
    unsafe {
        if start > 0 {
            linker.link_part(distances, buffer, range.start..range.start + start);
        }
        // Hashed a group ahead: what is loaded after a scatter waits for it.
        let mut hash = if bulk.is_empty() { set(0) } else { linker.hash(load(buffer, range.start + start)) };
        for group in bulk.clone().step_by(GROUP) {
            let next = group + GROUP;
            let next = if next < bulk.end { linker.hash(load(buffer, range.start + next)) } else { hash };
            let links = linker.link(hash, range.start + group, ALL);
            _mm256_storeu_si256(distances.add(group).cast(), links);
            hash = next;
        }
        for group in (bulk.end..len).step_by(GROUP) {
            let positions = range.start + group..range.start + len.min(group + GROUP);
            linker.link_part(distances.add(group), buffer, positions);
        }
    }
}

/// Sets `found` for a chunk of which so many positions are in use.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn mark(chains: &mut Chains, len: usize) {
    let (vectors, _) = chains.distances[WINDOW..].as_chunks::<32>();
    let (found, _) = chains.found.as_chunks_mut::<4>();
    for (found, vector) in found.iter_mut().zip(&vectors[..len.div_ceil(32)]) {
        // SAFETY: a vector has 32 distances.
        let distances = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
        *found = _mm512_test_epi16_mask(distances, distances).to_le_bytes();
    }
}
