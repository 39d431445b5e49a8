//! Rules about the properties of plans: order, constants, functional dependencies.

mod concatenate;
mod dependencies;
pub(super) mod hidden_properties;
mod misused_properties;
mod required_orders;
mod row_order;
mod sorts_above_limits;
mod union_constants;

pub(super) use dependencies::{KnownNodes, SoundDependencies};
pub(in crate::plan) use dependencies::{PlainRelations, without_nodes};
pub(in crate::plan) use misused_properties::misused_properties;
pub(in crate::plan) use required_orders::required_orders;
pub(in crate::plan) use row_order::KeepRowOrder;
pub(in crate::plan) use sorts_above_limits::sorts_above_limits;
pub(in crate::plan) use union_constants::HideUnionConstants;
