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

use pelton_device_dfltcc::hw::ParameterBlock;
use pelton_device_dfltcc::{Answer, Condition, Function, Operands};

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
