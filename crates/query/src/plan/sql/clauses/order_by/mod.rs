//! Keys of ORDER BY that refer to columns of the result: by number, by name, or by repeating them.

pub(in crate::plan::sql) mod keys;
pub(in crate::plan::sql) mod ordinals;
