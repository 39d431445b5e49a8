//! Functions of dates, times, timestamps and intervals.

pub(super) mod date_trunc;
mod interval_products;
mod intervals;
pub(super) mod last_day;
pub(super) mod now;
pub(super) mod time_zone;
pub(super) mod to_timestamp;
pub(super) mod zone_offsets;

pub(crate) use interval_products::{interval_product, interval_quotient};
pub(crate) use intervals::interval_length;
