//! Look-up of dictionary indices in a dictionary.

use crate::steps::Steps;

/// Indices in a turn of the loop: the loads that a few cycles start.
const TURN: usize = 8;

/// Appends the value that each code numbers. Returns whether there is one for each; nothing is
/// appended otherwise.
///
/// One by one: gather instructions take as long as the loads that they are made of, or longer
/// (AMD). Without a look at each code TPC-H in DuckDB took 2 to 3% less time than by Arrow's
/// `take`, which has one.
pub(crate) fn gather<S: Steps, T: Copy>(steps: S, codes: &[u32], values: &[T], to: &mut Vec<T>) -> bool {
    if !codes.is_empty() && steps.greatest(codes) as usize >= values.len() {
        return false;
    }
    to.reserve(codes.len());
    let out = to.as_mut_ptr().wrapping_add(to.len());
    // SAFETY: no code is above the greatest, which is below the number of values.
    let value = |code: u32| unsafe { *values.get_unchecked(code as usize) };
    let (turns, rest) = codes.as_chunks::<TURN>();
    for (turn, codes) in turns.iter().enumerate() {
        for (i, &code) in codes.iter().enumerate() {
            // SAFETY: there is room for a value for each code.
            unsafe { out.add(turn * TURN + i).write(value(code)) };
        }
    }
    for (i, &code) in rest.iter().enumerate() {
        // SAFETY: as above.
        unsafe { out.add(turns.len() * TURN + i).write(value(code)) };
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + codes.len()) };
    true
}
