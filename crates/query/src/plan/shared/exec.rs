//! A plan that runs once, and the operator that reads its rows.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    ChildrenPropertiesMode, EvaluationType, ReplaceChildrenOptions, SchedulingType, reset_plan_states,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, SpillMetrics,
};
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use parking_lot::Mutex;

use super::channel::Channel;
use super::reader::Reader;
use super::spool::{Account, Spool};

/// A plan that runs once for all [`SharedExec`]s over it.
#[derive(Debug)]
pub(in crate::plan) struct SharedPlan {
    number: usize,
    plan: Arc<dyn ExecutionPlan>,
    statistics: Arc<Statistics>,
    properties: Arc<PlanProperties>,
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

    fn with_reader(self: &Arc<Self>) -> Arc<Place> {
        let mut run = self.run.lock();
        run.readers.push(true);
        Arc::new(Place { shared: self.clone(), number: run.readers.len() - 1 })
    }

    /// Returns the channel of a partition for a reader; `None` if it was opened for it before.
    fn open(
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

    fn count(&self, name: &'static str, partition: usize) -> Count {
        MetricBuilder::new(&self.metrics).counter(name, partition)
    }
}

/// The place of a reader in a shared plan, until its operator and its rows are dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<SharedPlan>,
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

/// Reads the rows of a [`SharedPlan`].
///
/// It has no input while a plan is optimised, so that no rule moves conditions or sorts of one
/// reader into the plan of all. The finished plan shows the input at one of the readers.
#[derive(Debug, Clone)]
pub(in crate::plan) struct SharedExec {
    place: Arc<Place>,
    shows_input: bool,
    metrics: ExecutionPlanMetricsSet,
}

impl SharedExec {
    /// Returns a further reader of a plan.
    pub fn new(shared: Arc<SharedPlan>) -> Self {
        Self { place: shared.with_reader(), shows_input: false, metrics: ExecutionPlanMetricsSet::new() }
    }

    /// Returns the operator with its input, if no other one shows it.
    pub(super) fn showing_input(&self) -> Option<Self> {
        let is_shown = self.shared().is_shown.swap(true, Ordering::Relaxed);
        (!is_shown).then(|| Self { shows_input: true, ..self.clone() })
    }

    fn shared(&self) -> &SharedPlan {
        &self.place.shared
    }

    /// Returns the only reader of another plan.
    fn alone(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let alone = Self::new(Arc::new(SharedPlan::new(self.shared().number, plan)?));
        Ok(Arc::new(Self { shows_input: self.shows_input, ..alone }))
    }
}

impl DisplayAs for SharedExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.shared().number;
        match form {
            DisplayFormatType::TreeRender => write!(f, "subplan={number}"),
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                let readers = self.shared().run.lock().readers.len();
                write!(f, "SharedExec: subplan={number}, reader={} of {readers}", self.place.number + 1)
            }
        }
    }
}

impl ExecutionPlan for SharedExec {
    fn name(&self) -> &str {
        "SharedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.shared().properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        if self.shows_input { vec![&self.shared().plan] } else { Vec::new() }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(other) if !Arc::ptr_eq(&other, &self.shared().plan) => self.alone(other),
            _ => Ok(self),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    /// Returns a reader that shares nothing: only one of them may run again.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.shared().plan.clone();
        match self.shows_input {
            // reset already
            true => self.alone(plan),
            false => self.alone(reset_plan_states(plan)?),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let shared = self.shared();
        let Some(channel) = shared.open(self.place.number, partition, &context)? else {
            // the same partition again
            return reset_plan_states(shared.plan.clone())?.execute(partition, context);
        };
        shared.count("reads", partition).add(1);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        Ok(Box::pin(Reader::new(channel, self.place.clone(), self.schema(), metrics)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut metrics = self.metrics.clone_inner();
        if self.shows_input {
            let of_plan = self.shared().metrics.clone_inner();
            of_plan.iter().for_each(|metric| metrics.push(metric.clone()));
        }
        Some(metrics)
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        arguments: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(match arguments.partition() {
            Some(_) => Arc::new(Statistics::new_unknown(&self.schema())),
            None => self.shared().statistics.clone(),
        })
    }
}
