//! The rows of a shared plan for one reader.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures::{Stream, StreamExt};

use super::channel::Channel;
use super::plan::Place;
use super::spool::Found;

/// A reader of one partition.
pub(super) struct Reader {
    channel: Arc<Channel>,
    place: Arc<Place>,
    schema: SchemaRef,
    file: Option<File>,
    /// Whether the reader had an error, behind which nothing comes.
    has_failed: bool,
    metrics: BaselineMetrics,
}

/// A file of batches that the reader is in.
struct File {
    rows: SendableRecordBatchStream,
    /// Batches that the reader has had already.
    skipped: usize,
    /// The position behind the file.
    end: usize,
}

impl Reader {
    /// Returns the reader of a place.
    pub fn new(
        channel: Arc<Channel>,
        place: Arc<Place>,
        schema: SchemaRef,
        metrics: BaselineMetrics,
    ) -> Self {
        Self { channel, place, schema, file: None, has_failed: false, metrics }
    }

    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        loop {
            if let Some(file) = &mut self.file {
                match ready!(file.rows.poll_next_unpin(context)) {
                    Some(Ok(_)) if file.skipped > 0 => file.skipped -= 1,
                    Some(batch) => return Poll::Ready(Some(batch)),
                    None => {
                        self.channel.go_to(self.place.number(), Some(file.end));
                        self.file = None;
                    }
                }
                continue;
            }
            match ready!(self.channel.poll_next(self.place.number(), context)) {
                Ok(None) => return Poll::Ready(None),
                Ok(Some(Found::Batch(batch))) => return Poll::Ready(Some(Ok(batch))),
                Ok(Some(Found::File { rows, skipped, end })) => {
                    self.file = Some(File { rows, skipped, end });
                }
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl Stream for Reader {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        let batch = self.poll_batch(context);
        self.has_failed = matches!(batch, Poll::Ready(Some(Err(_))));
        self.metrics.record_poll(batch)
    }
}

impl RecordBatchStream for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.channel.go_to(self.place.number(), None);
    }
}
