//! Rules over joins.

mod group_joins;
mod join_key_bitmaps;
mod join_order;
mod outer_joins;
mod set_joins;
