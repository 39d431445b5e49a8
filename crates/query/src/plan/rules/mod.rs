//! Rules that rewrite plans.

mod aggregates;
mod comparison;
mod expressions;
mod filters;
mod gated_rule;
mod joins;
mod numbers;
mod properties;
mod subplans;
mod subqueries;
mod times;

use std::sync::Arc;

use datafusion::optimizer::{Analyzer, AnalyzerRule};

pub(super) use aggregates::{
    ClusteredGroups, DenseGroups, DistinctAggregates, EagerAggregation, GroupJoins, HideProperties,
    KeyRanges, LeadLag, LimitedAggregates, OrderInsensitiveAggregates, PeerFrames, RollUps, RunningWindows,
    UnlimitSortedDistinct, WindowTopK, computed_keys, filtered_totals,
};
pub(super) use comparison::{ComputedFloats, FloatKeys, SignedZeros};
pub(super) use expressions::rewrite_expressions;
pub(super) use filters::{GuardedFilters, RegexBackslashes, SimilarTo, gated};
pub(super) use joins::{
    CooperativeYield, JoinFilterBarrier, JoinKeyBitmaps, JoinOrder, LargeBroadcasts, SetJoins,
    SkippedPartitions, SpillLoopJoins, join_orders, optimizer_rules,
};
pub(super) use numbers::{CorrectedFunctions, ExclusiveOr, RoundedDecimals, as_operators};
pub(super) use properties::{
    CompactSorts, HideUnionConstants, KeepRowOrder, PackedSorts, PlainRelations, SortsForLargeLimits,
    misused_properties, required_orders, sorts_above_limits, without_nodes,
};
pub(super) use subplans::{CommonSubplans, resolved, without_sharing};
pub(super) use subqueries::TUPLE_FIELD;
pub(super) use times::{
    BareTimes, CommonTimes, Epochs, FarTimestamps, IntervalOperators, LocalTimes, MixedTimestamps,
};

use aggregates::{DistinctOnKeys, SetCounts, SlidingFrames, TotalRows};
use comparison::{NestedFloats, NestedOrder};
use filters::{Guards, ListsWithNull, VolatileConditions};
use numbers::{CheckedArithmetic, MixedNumbers, NullIfs, RewrittenTypes, RoundingCasts};
use properties::{KnownNodes, SoundDependencies};
use subqueries::UnnestSubqueries;
use times::IntervalLengths;

/// Returns DataFusion's analyzer rules together with this crate's. Types are those of rewritten
/// functions before a rule asks for them. Rules for written casts and for
/// mixed numbers run before type coercion adds casts of its own; arithmetic has types only after
/// it. Subqueries become joins while arithmetic still consists of operators.
pub(super) fn analyzer() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn AnalyzerRule + Send + Sync>> = vec![
        Arc::new(KnownNodes),
        Arc::new(RewrittenTypes),
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
    rules.push(Arc::new(SlidingFrames));
    rules
}
