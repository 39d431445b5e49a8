//! Handle that stops a query from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Stops a running query. Clones stop the same one.
#[derive(Debug, Clone, Default)]
pub struct CancelHandle {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    changed: Notify,
}

impl CancelHandle {
    /// Stops the query: a caller that waits for its next rows gets
    /// [`Error::Cancelled`](crate::Error::Cancelled). Safe to call at any time, from a signal
    /// handler's thread too.
    pub fn cancel(&self) {
        self.state.cancelled.store(true, Ordering::SeqCst);
        self.state.changed.notify_waiters();
    }

    /// Returns whether the query was stopped.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    /// Returns when the query is stopped.
    pub(crate) async fn cancelled(&self) {
        loop {
            let changed = self.state.changed.notified();
            if self.is_cancelled() {
                return;
            }
            changed.await;
        }
    }
}
