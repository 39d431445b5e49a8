//! Rules about the properties of plans: order, constants, functional dependencies.

mod compact_sorts;
mod concatenate;
mod dependencies;
pub(super) mod hidden_properties;
mod large_limits;
mod misused_properties;
mod packed_sorts;
mod repeated_keys;
mod required_orders;
mod row_order;
mod sorts_above_limits;
mod union_constants;

pub(in crate::plan) use compact_sorts::CompactSorts;
pub(super) use dependencies::{KnownNodes, SoundDependencies};
pub(in crate::plan) use dependencies::{PlainRelations, without_nodes};
pub(in crate::plan) use large_limits::SortsForLargeLimits;
pub(in crate::plan) use misused_properties::misused_properties;
pub(in crate::plan) use packed_sorts::PackedSorts;
pub(super) use repeated_keys::repeated_keys;
pub(in crate::plan) use required_orders::required_orders;
pub(in crate::plan) use row_order::KeepRowOrder;
pub(in crate::plan) use sorts_above_limits::sorts_above_limits;
pub(in crate::plan) use union_constants::HideUnionConstants;
