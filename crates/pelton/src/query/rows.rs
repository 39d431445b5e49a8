//! Rows of a running query, computed on a thread that the caller can leave.
//!
//! An operator may compute for long without yielding, and so may a function over one batch. A
//! caller that computed the rows itself could not be stopped meanwhile.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc as std_mpsc;
use std::task::Poll;
use std::time::Duration;

use arrow::record_batch::RecordBatch;
use futures::StreamExt;
use pelton_query::{Error, Result, RowStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::cancel::CancelHandle;
use crate::threads::{Begun, Threads};

/// Maximum time that a caller waits for the end of a stopped query, which frees its memory and its
/// files. A query inside of a longer step ends by itself, after that step.
const PATIENCE: Duration = Duration::from_millis(200);

/// The same for a statement that writes: its files are removed meanwhile, and a store is asked to
/// drop their parts.
const PATIENCE_OF_WRITERS: Duration = Duration::from_secs(5);

type Next = Option<Result<RecordBatch>>;

/// Rows that are computed on demand. Dropping them stops the query.
pub(crate) enum Rows {
    /// On a thread of their own.
    There(There),
    /// On the caller's thread, as the system has no more.
    Here(RowStream),
    Ended,
}

/// The caller's end of a thread that computes rows.
pub(crate) struct There {
    /// `None` tells the thread to stop.
    requests: Option<UnboundedSender<()>>,
    results: UnboundedReceiver<Next>,
    /// Disconnected when the thread has dropped its rows.
    over: std_mpsc::Receiver<()>,
    work: Option<Begun>,
    requested: bool,
    /// Maximum time that the caller waits for the end of the thread.
    patience: Duration,
}

impl Rows {
    /// Starts the thread of a stream of rows, of a statement that `writes` or of a query.
    pub fn of(stream: RowStream, threads: &Arc<Threads>, writes: bool) -> Self {
        let (requests, asked) = unbounded_channel();
        let (give, results) = unbounded_channel();
        let (alive, over) = std_mpsc::channel();
        let input = (stream, threads.clone());
        let work = move |(stream, threads): (RowStream, Arc<Threads>)| {
            threads.block_on(serve(stream, asked, &give));
            // the engine's end waits for tasks that clean up if the engine has the last of these
            drop(threads);
            drop::<std_mpsc::Sender<()>>(alive);
        };
        match threads.begin(input, work) {
            Ok(begun) => Self::There(There {
                requests: Some(requests),
                results,
                over,
                work: Some(begun),
                requested: false,
                patience: if writes { PATIENCE_OF_WRITERS } else { PATIENCE },
            }),
            Err(Some((stream, _))) => Self::Here(stream),
            Err(None) => Self::Ended,
        }
    }

    /// Waits for the next rows until `patience` is over, for ever without one.
    pub fn next(
        &mut self,
        threads: &Threads,
        cancel: &CancelHandle,
        patience: Option<Duration>,
    ) -> Poll<Next> {
        if matches!(self, Self::Ended) {
            return Poll::Ready(None);
        }
        let is_computed_here = matches!(self, Self::Here(_));
        let next = async {
            let patience = async {
                match patience {
                    Some(patience) => tokio::time::sleep(patience).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => Poll::Ready(Some(Err(Error::Cancelled))),
                next = self.computed() => Poll::Ready(next),
                () = patience => Poll::Pending,
            }
        };
        let next = if is_computed_here { threads.block_on(next) } else { threads.wait(next) };
        if matches!(next, Poll::Ready(None | Some(Err(_)))) {
            *self = Self::Ended;
        }
        next
    }

    async fn computed(&mut self) -> Next {
        match self {
            Self::There(there) => there.computed().await,
            Self::Here(stream) => stream.next().await.map(|batch| batch.map_err(Error::from)),
            Self::Ended => None,
        }
    }
}

impl There {
    async fn computed(&mut self) -> Next {
        if !self.requested {
            // a thread that is gone gives no result either
            self.requested = self.requests.as_ref().is_some_and(|requests| requests.send(()).is_ok());
        }
        let Some(next) = self.results.recv().await else {
            if let Some(Err(panic)) = self.work.take().map(Begun::join) {
                resume_unwind(panic);
            }
            return None;
        };
        self.requested = false;
        next
    }
}

impl Drop for There {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.over.recv_timeout(self.patience);
    }
}

/// Computes rows as they are requested, up to their end, an error, or the end of the requests.
async fn serve(stream: RowStream, mut asked: UnboundedReceiver<()>, give: &UnboundedSender<Next>) {
    let mut stream = Some(stream);
    while let Some(rows) = &mut stream
        && asked.recv().await.is_some()
    {
        let next = tokio::select! {
            biased;
            _ = asked.recv() => return,
            next = rows.next() => next.map(|batch| batch.map_err(Error::from)),
        };
        if !matches!(next, Some(Ok(_))) {
            // what the rows hold is free when the caller learns of their end
            stream = None;
        }
        if give.send(next).is_err() {
            return;
        }
    }
}
