//! Stream of the groups of one partition, up to the rows that are passed on.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, Count, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};

use super::remaining;
use crate::plan::rules::aggregates::output::Output;

/// Partial results of a partition's rows, by groups that a method finds.
pub(in crate::plan::rules::aggregates) trait Groups:
    Send + 'static
{
    /// Adds a batch that has rows. Groups that are not kept go to `output`.
    ///
    /// # Errors
    /// A key or an argument can't be computed.
    fn add(&mut self, batch: RecordBatch, output: &mut Output) -> Result<Added>;

    /// Returns the bytes that are held.
    fn size(&self) -> usize;

    /// Gives memory back: the limit refused [`Groups::size`].
    ///
    /// # Errors
    /// Groups can't be emitted.
    fn shrink(&mut self, output: &mut Output) -> Result<Added>;

    /// Emits all groups.
    ///
    /// # Errors
    /// The results can't be computed.
    fn emit(&mut self, output: &mut Output) -> Result<()>;

    /// Executes the operator for the remaining rows.
    ///
    /// # Errors
    /// The operator can't start.
    fn pass_on(&self, rows: SendableRecordBatchStream) -> Result<SendableRecordBatchStream>;
}

/// Outcome of adding a batch.
pub(in crate::plan::rules::aggregates) enum Added {
    /// Its rows have groups.
    All,
    /// Its rows have groups, which may take more memory than before.
    Grown,
    /// The next operator takes this batch, and those behind it.
    Remaining(Option<RecordBatch>),
}

/// The state of a stream of groups.
pub(in crate::plan::rules::aggregates) struct GroupStream<G> {
    groups: G,
    /// `None` at its end, and if the remaining rows are passed on.
    input: Option<SendableRecordBatchStream>,
    /// Rows for the next operator, which starts when all groups were taken.
    remaining: Option<SendableRecordBatchStream>,
    /// Groups of the remaining rows.
    rest: Option<SendableRecordBatchStream>,
    output: Output,
    /// `None` once all groups were taken: the next operator has its own share of a limit.
    memory: Option<MemoryReservation>,
    metrics: BaselineMetrics,
    passed_on: Count,
}

impl<G: Groups> GroupStream<G> {
    /// Returns a stream without groups yet. `name` is the consumer's of memory, `metrics` count
    /// output and time, and `passed_on` the remaining rows.
    pub fn new(
        groups: G,
        input: SendableRecordBatchStream,
        name: String,
        metrics: BaselineMetrics,
        passed_on: Count,
        context: &TaskContext,
    ) -> Self {
        let memory = MemoryConsumer::new(name).with_can_spill(true).register(context.memory_pool());
        Self {
            groups,
            input: Some(input),
            remaining: None,
            rest: None,
            output: Output::new(context.session_config().batch_size()),
            memory: Some(memory),
            metrics,
            passed_on,
        }
    }

    /// Returns the batches of the groups of a partial aggregate.
    pub fn into_stream(self, aggregate: &Arc<AggregateExec>) -> SendableRecordBatchStream {
        let batches = stream::try_unfold(self, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Box::pin(RecordBatchStreamAdapter::new(aggregate.schema(), batches))
    }

    /// Adds the first rows. Returns all rows if the groups don't take these.
    ///
    /// # Errors
    /// The input fails, or a key or an argument can't be computed.
    pub async fn start(&mut self) -> Result<Option<SendableRecordBatchStream>> {
        let Some(batch) = self.read().await? else { return Ok(None) };
        let compute = self.metrics.elapsed_compute().clone();
        let _timer = compute.timer();
        match self.groups.add(batch, &mut self.output)? {
            Added::Remaining(Some(batch)) => Ok(self.take_remaining(Some(batch))),
            added => self.follow(added).map(|()| None),
        }
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            if let Some(rest) = &mut self.rest {
                let batch = rest.next().await.transpose()?;
                return Ok(batch.map(|batch| batch.record_output(&self.metrics)));
            }
            if self.input.is_none() {
                self.memory = None;
                let Some(rows) = self.remaining.take() else { return Ok(None) };
                self.rest = Some(self.groups.pass_on(rows)?);
                continue;
            }
            let batch = self.read().await?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) => {
                    let added = self.groups.add(batch, &mut self.output)?;
                    self.follow(added)?;
                }
                None => self.groups.emit(&mut self.output)?,
            }
        }
    }

    /// Returns the next batch that has rows. `None` at the end of the input.
    async fn read(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(input) = &mut self.input {
            match input.next().await.transpose()? {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => return Ok(Some(batch)),
                None => self.input = None,
            }
        }
        Ok(None)
    }

    /// Counts memory, or passes the remaining rows on.
    fn follow(&mut self, added: Added) -> Result<()> {
        let added = match added {
            Added::Grown if self.is_refused() => self.groups.shrink(&mut self.output)?,
            added => added,
        };
        if let Added::Remaining(first) = added {
            self.groups.emit(&mut self.output)?;
            self.remaining = self.take_remaining(first);
        }
        Ok(())
    }

    fn is_refused(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.try_resize(self.groups.size()).is_err())
    }

    fn take_remaining(&mut self, first: Option<RecordBatch>) -> Option<SendableRecordBatchStream> {
        self.input.take().map(|input| remaining(first, input, self.passed_on.clone()))
    }
}
