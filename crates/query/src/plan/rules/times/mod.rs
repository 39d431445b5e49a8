//! Rules about times of day, timestamps and intervals.

mod far_timestamps;
mod interval_operators;
mod intervals;
mod local_times;
mod mixed_timestamps;
mod times_of_day;

pub(in crate::plan) use far_timestamps::FarTimestamps;
pub(in crate::plan) use interval_operators::{Epochs, IntervalOperators};
pub(super) use intervals::IntervalLengths;
pub(in crate::plan) use local_times::LocalTimes;
pub(in crate::plan) use mixed_timestamps::MixedTimestamps;
pub(in crate::plan) use times_of_day::{BareTimes, CommonTimes};
