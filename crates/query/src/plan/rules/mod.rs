//! Rules that rewrite plans.

mod grouping_sets;
mod loop_joins;
mod row_order;
mod shifts;
mod similar_to;
mod unclaimed;

pub(super) use grouping_sets::HideClaims;
pub(super) use loop_joins::SpillLoopJoins;
pub(super) use row_order::KeepRowOrder;
pub(super) use shifts::Shifts;
pub(super) use similar_to::SimilarTo;
