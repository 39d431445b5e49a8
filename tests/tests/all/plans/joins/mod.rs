//! Rules over joins with a setting each.

mod group_joins;
mod join_key_bitmaps;
mod join_order;
mod set_joins;
