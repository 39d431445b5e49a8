//! Rules that rewrite plans.

mod loop_joins;

pub(super) use loop_joins::SpillLoopJoins;
