//! Functions of the instruction, over a parameter block and slices.
//!
//! - `checks`: ending codes, and the rules of the parameter block.
//! - `window`: history in its circular buffer.
//! - `state`: the state that the model keeps in the parameter block between two calls.
//! - `table`, `compress`, `expand`: GDHT, CMPR and XPND.

mod checks;
mod compress;
mod expand;
mod state;
mod table;
mod window;

use std::cell::Cell;

use pelton_device_dfltcc::hw::ParameterBlock;
use pelton_device_dfltcc::{Answer, Condition, Function, Operands};
use pelton_nxu::{Config, Matcher};

use super::config::Plan;
pub use checks::ending_code;
pub(super) use checks::fail;

/// Runs a function once, if the parameter block keeps the rules.
pub(super) fn run(
    plan: &Plan,
    function: Function,
    block: &mut ParameterBlock,
    operands: Operands<'_>,
) -> Answer {
    if let Err(code) = checks::check(block) {
        return fail(block, code);
    }
    match function {
        Function::QueryAvailable => Answer { condition: Condition::Done, written: 0, read: 0 },
        Function::GenerateTable => table::generate(plan, block, operands.source, operands.history),
        Function::Compress => compress::compress(plan, block, operands),
        Function::Expand => expand::expand(plan, block, operands),
    }
}

thread_local! {
    /// The matcher of this thread's calls, between two of them.
    static MATCHER: Cell<Option<Matcher>> = const { Cell::new(None) };
}

/// Returns a matcher whose hash table has contents of a seed.
fn matcher(seed: u64) -> Matcher {
    let kept = MATCHER.try_with(Cell::take).ok().flatten();
    let mut matcher = kept.unwrap_or_else(|| Matcher::new(Config::Z15, 0));
    matcher.reset(seed);
    matcher
}

/// Keeps a matcher for the next call.
fn keep(matcher: Matcher) {
    // At the end of a thread there is no next call.
    let _ = MATCHER.try_with(|kept| kept.set(Some(matcher)));
}
