//! The error of a statement that is nested too deep.

use super::Error;

/// Limit of parentheses, brackets, CASE and signs within each other. Each is several levels of the
/// parser, of the plan, and of the rules for it.
pub(crate) const MAX_NESTING: usize = 100;

/// Returns the error of a text with too many levels.
pub(crate) fn too_nested() -> Error {
    Error::Query(format!(
        "the statement is nested too deep: parentheses, calls, lists, CASE, NOT and subqueries may be {MAX_NESTING} \
         levels within each other; name inner parts WITH name AS (...)"
    ))
}
