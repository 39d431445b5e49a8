//! What the router would do with a job, for submitters that have two ways to one end.

use std::time::{Duration, Instant};

use crate::job::JobView;
use crate::router::Router;
use crate::router::select::Rank;

impl Router {
    /// Whether any device looks dictionary codes up while it decompresses them. Where none does, nobody need ask
    /// [`Router::prefers_fused_filter`].
    pub fn has_fused_filter(&self) -> bool {
        self.entries().iter().any(|entry| entry.one_step)
    }

    /// Whether a block of codes had better be handed in as `members`, an [`Operation::TestMembership`](crate::Operation::TestMembership),
    /// than as `decompress`, after which the submitter looks them up itself: if a device that does both in one step would get
    /// the first, and either would get the second too or be done with the first no later than another with the second.
    ///
    /// The submitter's own look-up counts for nothing here. Nothing is counted or reserved, so by the time that the job is handed in
    /// another device may get it, with the same result.
    pub fn prefers_fused_filter(&self, members: &JobView<'_>, decompress: &JobView<'_>) -> bool {
        let Some((place, device)) = self.soonest(members).filter(|&(_, device)| self.entry(device).one_step)
        else {
            return false;
        };
        match self.soonest(decompress) {
            // What is learned of either operation's cost is off by more than the step that is saved.
            Some((_, other)) if other == device => true,
            Some((other, _)) => place <= other,
            None => true,
        }
    }

    /// The device that a job would go to now, and when that would be done.
    pub(crate) fn soonest(&self, job: &JobView<'_>) -> Option<((Rank, Duration), usize)> {
        let now = Instant::now();
        let takers = self.entries().iter().enumerate().filter(|(_, entry)| entry.supports(job).is_ok());
        let places = takers.map(|(device, entry)| {
            let expected = entry.predict(job.operation, job.uncompressed_len());
            ((Rank::of(entry, now), entry.queue().finish(expected)), device)
        });
        places.min()
    }
}
