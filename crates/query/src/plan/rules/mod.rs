//! Rules that rewrite plans.

mod careful;
mod checked_arithmetic;
mod computed_keys;
mod dependencies;
mod distinct_aggregates;
mod distinct_limits;
mod distinct_on;
mod epochs;
mod exclusive_or;
mod expressions;
mod far_timestamps;
mod filtered_totals;
mod floats;
mod gated_pushdown;
mod grouping_sets;
mod guards;
mod in_lists;
mod interval_operators;
mod intervals;
mod join_orders;
mod local_times;
mod loop_joins;
mod misused_claims;
mod mixed_numbers;
mod mixed_timestamps;
mod moving_frames;
mod nested_floats;
mod nested_order;
mod null_ifs;
mod null_safe_joins;
mod orderless;
mod peer_frames;
mod regex_backslashes;
mod required_orders;
mod rounded_decimals;
mod rounding_casts;
mod row_order;
mod set_counts;
mod shifts;
mod similar_to;
mod skipped_partitions;
mod sorts_above_limits;
mod subqueries;
mod times;
mod total_rows;
mod unclaimed;
mod union_constants;
mod volatile_conditions;
mod whole_partitions;

use std::sync::Arc;

use datafusion::optimizer::{Analyzer, AnalyzerRule};

pub(super) use careful::CarefulFunctions;
pub(super) use checked_arithmetic::as_operators;
pub(super) use computed_keys::computed_keys;
pub(super) use dependencies::{PlainRelations, without_nodes};
pub(super) use distinct_aggregates::DistinctAggregates;
pub(super) use distinct_limits::UnlimitSortedDistinct;
pub(super) use epochs::Epochs;
pub(super) use exclusive_or::ExclusiveOr;
pub(super) use expressions::rewrite_expressions;
pub(super) use far_timestamps::FarTimestamps;
pub(super) use filtered_totals::filtered_totals;
pub(super) use floats::{ComputedFloats, FloatKeys};
pub(super) use gated_pushdown::gated;
pub(super) use grouping_sets::HideClaims;
pub(super) use guards::GuardedFilters;
pub(super) use interval_operators::IntervalOperators;
pub(super) use join_orders::join_orders;
pub(super) use local_times::LocalTimes;
pub(super) use loop_joins::SpillLoopJoins;
pub(super) use misused_claims::misused_claims;
pub(super) use mixed_timestamps::MixedTimestamps;
pub(super) use null_safe_joins::optimizer_rules;
pub(super) use orderless::OrderlessAggregates;
pub(super) use peer_frames::PeerFrames;
pub(super) use regex_backslashes::RegexBackslashes;
pub(super) use required_orders::required_orders;
pub(super) use rounded_decimals::RoundedDecimals;
pub(super) use row_order::KeepRowOrder;
pub(super) use shifts::Shifts;
pub(super) use similar_to::SimilarTo;
pub(super) use skipped_partitions::SkippedPartitions;
pub(super) use sorts_above_limits::sorts_above_limits;
pub(super) use subqueries::TUPLE_FIELD;
pub(super) use times::{BareTimes, CommonTimes};
pub(super) use union_constants::HideUnionConstants;

use checked_arithmetic::CheckedArithmetic;
use dependencies::{KnownNodes, SoundDependencies};
use distinct_on::DistinctOnKeys;
use guards::Guards;
use in_lists::ListsWithNull;
use intervals::IntervalLengths;
use mixed_numbers::MixedNumbers;
use moving_frames::MovingFrames;
use nested_floats::NestedFloats;
use nested_order::NestedOrder;
use null_ifs::NullIfs;
use rounding_casts::RoundingCasts;
use set_counts::SetCounts;
use subqueries::UnnestSubqueries;
use total_rows::TotalRows;
use volatile_conditions::VolatileConditions;

/// DataFusion's analyzer rules with those of our own. Casts that are written are told from those
/// that type coercion makes, and mixed numbers are made alike, before it; arithmetic has types only
/// after. Subqueries become joins while arithmetic is still operators.
pub(super) fn analyzer() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn AnalyzerRule + Send + Sync>> = vec![
        Arc::new(KnownNodes),
        Arc::new(NullIfs),
        Arc::new(RoundingCasts),
        Arc::new(MixedNumbers),
        Arc::new(IntervalLengths),
    ];
    rules.extend(Analyzer::new().rules);
    rules.push(Arc::new(ListsWithNull));

    rules.push(Arc::new(VolatileConditions));
    rules.push(Arc::new(DistinctOnKeys));
    rules.push(Arc::new(SetCounts));
    rules.push(Arc::new(UnnestSubqueries));
    rules.push(Arc::new(Guards));
    rules.push(Arc::new(CheckedArithmetic));
    rules.push(Arc::new(TotalRows));
    rules.push(Arc::new(SoundDependencies));
    rules.push(Arc::new(NestedFloats));
    rules.push(Arc::new(NestedOrder));
    rules.push(Arc::new(MovingFrames));
    rules
}
