//! A plan that runs once, and the places of its readers.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::common::Statistics;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::execution_plan::{EvaluationType, SchedulingType};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, SpillMetrics,
};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties};
use parking_lot::Mutex;

use super::channel::Channel;
use super::spool::{Account, Spool};

/// A plan that runs once for all [`SharedExec`]s over it.
#[derive(Debug)]
pub(in crate::plan) struct SharedPlan {
    /// Number for EXPLAIN.
    pub(super) number: usize,
    pub(super) plan: Arc<dyn ExecutionPlan>,
    pub(super) statistics: Arc<Statistics>,
    pub(super) properties: Arc<PlanProperties>,
    /// True if one of the readers shows the plan as its input.
    is_shown: AtomicBool,
    run: Mutex<Run>,
    metrics: ExecutionPlanMetricsSet,
}

/// The run of a shared plan.
#[derive(Default)]
struct Run {
    /// For each reader, whether it may still ask for rows.
    readers: Vec<bool>,
    account: Option<Arc<Account>>,
    /// The partitions that were opened.
    channels: Vec<Option<Arc<Channel>>>,
    /// The readers and partitions that were opened.
    opened: HashSet<(usize, usize)>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("readers", &self.readers).finish_non_exhaustive()
    }
}

impl SharedPlan {
    /// Returns a plan without readers, with a number for EXPLAIN.
    ///
    /// # Errors
    /// The plan has no statistics.
    pub fn new(number: usize, plan: Arc<dyn ExecutionPlan>) -> Result<Self> {
        let plan = with_independent_partitions(plan)?;
        let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new())?;
        let properties = PlanProperties::clone(plan.properties())
            .with_evaluation_type(EvaluationType::Lazy)
            .with_scheduling_type(SchedulingType::NonCooperative);
        Ok(Self {
            number,
            plan,
            statistics,
            properties: Arc::new(properties),
            is_shown: AtomicBool::new(false),
            run: Mutex::default(),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// Returns the place of a further reader.
    pub(super) fn with_reader(self: &Arc<Self>) -> Arc<Place> {
        let mut run = self.run.lock();
        run.readers.push(true);
        Arc::new(Place { shared: self.clone(), number: run.readers.len() - 1 })
    }

    /// Returns the channel of a partition for a reader; `None` if it was opened for it before.
    pub(super) fn open(
        &self,
        reader: usize,
        partition: usize,
        context: &Arc<TaskContext>,
    ) -> Result<Option<Arc<Channel>>> {
        let mut run = self.run.lock();
        if !run.opened.insert((reader, partition)) {
            return Ok(None);
        }
        if run.channels.is_empty() {
            run.channels.resize(self.plan.output_partitioning().partition_count(), None);
        }
        if let Some(Some(channel)) = run.channels.get(partition) {
            // one that was made later has no place in it
            return Ok(channel.has(reader).then(|| channel.clone()));
        }
        let rows = self.plan.execute(partition, context.clone())?;
        let new_account = || Arc::new(Account::new(context.memory_pool().clone()));
        let account = run.account.get_or_insert_with(new_account).clone();
        let metrics = SpillMetrics::new(&self.metrics, partition);
        let spill = SpillManager::new(context.runtime_env(), metrics, self.plan.schema())
            .with_compression_type(context.session_config().spill_compression());
        let spool = Spool::new(account, spill, self.count("batches_kept", partition));
        let places = run.readers.iter().map(|reads| reads.then_some(0)).collect();
        let channel = Arc::new(Channel::new(rows, spool, places));
        if let Some(place) = run.channels.get_mut(partition) {
            *place = Some(channel.clone());
        }
        Ok(Some(channel))
    }

    /// Returns whether the plan is shown for the first time.
    pub(super) fn show(&self) -> bool {
        !self.is_shown.swap(true, Ordering::Relaxed)
    }

    /// Returns the number of its readers.
    pub(super) fn readers(&self) -> usize {
        self.run.lock().readers.len()
    }

    /// Returns the counters of the run.
    pub(super) fn metrics(&self) -> MetricsSet {
        self.metrics.clone_inner()
    }

    /// Returns a counter of the plan.
    pub(super) fn count(&self, name: &'static str, partition: usize) -> Count {
        MetricBuilder::new(&self.metrics).counter(name, partition)
    }
}

/// Returns a plan with partitions that can be read one after the other, in any order.
///
/// The partitions of a hash join that sends a filter wait for each other. A reader may leave one of
/// them out, or read it after another reader that waits for the first. A repartition asks all of
/// them at once.
fn with_independent_partitions(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = plan.output_partitioning().partition_count();
    if partitions == 1 || !waits_for_others(&plan) {
        return Ok(plan);
    }
    Ok(Arc::new(RepartitionExec::try_new(plan, Partitioning::RoundRobinBatch(partitions))?))
}

/// Returns whether a partition of a plan may wait for another one.
fn waits_for_others(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let asks_for_all = plan.downcast_ref::<RepartitionExec>().is_some()
        || plan.output_partitioning().partition_count() == 1
        || plan.name() == "SharedExec";
    !asks_for_all
        && (plan.downcast_ref::<HashJoinExec>().is_some()
            || plan.children().into_iter().any(waits_for_others))
}

/// The place of a reader in a shared plan, until its operator and its rows are dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub shared: Arc<SharedPlan>,
    number: usize,
}

impl Place {
    /// Returns the reader's number.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let channels = {
            let mut run = self.shared.run.lock();
            if let Some(reads) = run.readers.get_mut(self.number) {
                *reads = false;
            }
            run.channels.clone()
        };
        channels.iter().flatten().for_each(|channel| channel.go_to(self.number, None));
    }
}
