//! Bound on the work of parsing one statement.
//!
//! The parser tries several readings of a text such as `CAST(`, and each of them reads all that is
//! within. Nested texts that don't parse would take exponential time.

use std::cell::Cell;

use datafusion::sql::sqlparser::parser::ParserError;

/// Readings of an expression that every statement may take, and those for each token. Parsing
/// without a fault takes a few for each.
const STEPS: usize = 100_000;
const STEPS_PER_TOKEN: usize = 20;

thread_local! {
    /// Readings that are left to the statement that this thread parses.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Parses a text of some tokens; `None` if the budget was used up.
pub(super) fn within<T>(tokens: usize, parse: impl FnOnce() -> T) -> Option<T> {
    let outer = LEFT.replace(STEPS.saturating_add(tokens.saturating_mul(STEPS_PER_TOKEN)));
    let parsed = parse();
    // readings that fail for want of budget give way to others, which fail with other errors
    (LEFT.replace(outer) > 0).then_some(parsed)
}

/// Takes one reading from the budget.
///
/// # Errors
/// Nothing is left of it.
pub(super) fn step() -> Result<(), ParserError> {
    let left = LEFT.get().saturating_sub(1);
    LEFT.set(left);
    if left == 0 { Err(ParserError::RecursionLimitExceeded) } else { Ok(()) }
}
