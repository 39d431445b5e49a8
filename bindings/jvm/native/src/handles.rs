//! Handles: numbers that Java holds for streams of this library.
//!
//! A handle names a slot and the slot's generation. After a close the generation is another one, so
//! a handle that is used too late, or twice at once, is an error and not a wrong address. Handles
//! are odd, and so differ from the addresses that the JDK's own natives return.
//!
//! A slot also counts the calls of its stream, so that threads share no counter.

use std::array::from_fn;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::stream::Stream;

/// Slots of a chunk. Chunks are never freed, so that a slot can be looked up without a lock.
const CHUNK: usize = 1 << 6;
/// Largest number of chunks.
const CHUNKS: usize = 1 << 14;
/// Bits of a handle that name its slot.
const INDEX_BITS: u32 = 20;
const _: () = assert!(CHUNK * CHUNKS == 1 << INDEX_BITS);

/// Flags below the generation in a slot's state: a call uses the stream; it was closed meanwhile.
const BUSY: u64 = 1;
const CLOSING: u64 = 2;
const FLAGS: u32 = 2;

/// Generations, which keep handles positive.
const MAX_GENERATION: u64 = (1 << (62 - INDEX_BITS)) - 1;

/// Owner of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Owner {
    /// A class of `org.pelton`.
    Pelton,
    /// `java.util.zip.Deflater`.
    Deflater,
    /// `java.util.zip.Inflater`.
    Inflater,
}

const OWNERS: usize = 3;

/// Counters of an owner's streams, of calls and of their bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    pub streams: u64,
    pub calls: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
}

/// Counters of a stream's calls, which its user alone writes.
#[derive(Default)]
pub struct Tally {
    calls: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

impl Tally {
    /// Counts a call.
    pub fn count(&self, bytes_in: usize, bytes_out: usize) {
        let add = |counter: &AtomicU64, more: u64| {
            // One writer at a time needs no atomic addition.
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&self.calls, 1);
        add(&self.bytes_in, bytes_in as u64);
        add(&self.bytes_out, bytes_out as u64);
    }

    fn add_to(&self, totals: &mut Totals) {
        totals.calls += self.calls.load(Ordering::Relaxed);
        totals.bytes_in += self.bytes_in.load(Ordering::Relaxed);
        totals.bytes_out += self.bytes_out.load(Ordering::Relaxed);
    }

    fn clear(&self) {
        for counter in [&self.calls, &self.bytes_in, &self.bytes_out] {
            counter.store(0, Ordering::Relaxed);
        }
    }
}

/// Place of a stream. It fills a cache line, so that threads with neighboring streams do not slow
/// each other down.
#[derive(Default)]
#[repr(align(64))]
struct Slot {
    /// Generation and flags.
    state: AtomicU64,
    stream: AtomicPtr<Stream>,
    owner: AtomicUsize,
    tally: Tally,
}

type Chunk = [Slot; CHUNK];

static TABLE: [AtomicPtr<Chunk>; CHUNKS] = [const { AtomicPtr::new(null_mut()) }; CHUNKS];

/// State of all slots together.
struct Registry {
    /// Free slots.
    free: Vec<u32>,
    /// Number of slots that were ever used.
    used: usize,
    /// Counters of closed streams, by owner. Open streams are counted among the streams.
    totals: [Totals; OWNERS],
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    free: Vec::new(),
    used: 0,
    totals: [Totals { streams: 0, calls: 0, bytes_in: 0, bytes_out: 0 }; OWNERS],
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reason for which a handle can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It is closed, or was never one.
    Closed,
    /// Another thread uses the stream.
    Busy,
}

/// Stores a stream and returns its handle; `None` if there are too many.
pub fn open(owner: Owner, stream: Box<Stream>) -> Option<i64> {
    let (index, slot) = {
        let mut registry = registry();
        let index = match registry.free.pop() {
            Some(index) => index as usize,
            None if registry.used == CHUNK * CHUNKS => return None,
            None => {
                if registry.used.is_multiple_of(CHUNK) {
                    let chunk: Box<Chunk> = Box::new(from_fn(|_| Slot::default()));
                    TABLE[registry.used / CHUNK].store(Box::into_raw(chunk), Ordering::Release);
                }
                registry.used += 1;
                registry.used - 1
            }
        };
        let slot = slot(index)?;
        slot.owner.store(owner as usize, Ordering::Relaxed);
        registry.totals[owner as usize].streams += 1;
        (index, slot)
    };
    slot.stream.store(Box::into_raw(stream), Ordering::Relaxed);
    let generation = slot.state.load(Ordering::Relaxed) >> FLAGS | 1;
    slot.state.store(generation << FLAGS, Ordering::Release);
    Some(((generation << INDEX_BITS | index as u64) << 1 | 1) as i64)
}

/// Returns the counters of an owner's streams, open and closed.
pub fn totals(owner: Owner) -> Totals {
    // A stream that is being closed moves its counters under the same lock.
    let registry = registry();
    let mut totals = registry.totals[owner as usize];
    for slot in (0..registry.used).filter_map(slot) {
        if slot.owner.load(Ordering::Relaxed) == owner as usize {
            slot.tally.add_to(&mut totals);
        }
    }
    totals
}

fn slot(index: usize) -> Option<&'static Slot> {
    // SAFETY: null, or a chunk that is never freed.
    let chunk = unsafe { TABLE.get(index / CHUNK)?.load(Ordering::Acquire).as_ref() }?;
    chunk.get(index % CHUNK)
}

/// Splits a handle into its slot and generation. Generations of streams are odd.
fn parts(handle: i64) -> Option<(usize, &'static Slot, u64)> {
    let (index, generation) = (handle as u64 >> 1, handle as u64 >> 1 >> INDEX_BITS);
    let index = (index & ((1 << INDEX_BITS) - 1)) as usize;
    (handle > 0 && handle & 1 == 1 && generation & 1 == 1).then_some(())?;
    Some((index, slot(index)?, generation))
}

/// Runs `call` with the stream of a handle, as its only user.
pub fn with<T>(handle: i64, call: impl FnOnce(&mut Stream) -> T) -> Result<T, Refused> {
    with_tally(handle, |stream, _| call(stream))
}

/// As [`with`], for a call that counts itself.
pub fn with_tally<T>(handle: i64, call: impl FnOnce(&mut Stream, &Tally) -> T) -> Result<T, Refused> {
    let (index, slot, generation) = parts(handle).ok_or(Refused::Closed)?;
    let idle = generation << FLAGS;
    match slot.state.compare_exchange(idle, idle | BUSY, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => {}
        Err(state) if state >> FLAGS == generation && state & CLOSING == 0 => return Err(Refused::Busy),
        Err(_) => return Err(Refused::Closed),
    }
    let _leave = Leave { index, slot, idle };
    // SAFETY: the stream is alive in this generation, and the flag keeps other users out.
    Ok(call(unsafe { &mut *slot.stream.load(Ordering::Relaxed) }, &slot.tally))
}

/// Ends the use of a stream, also after a panic.
struct Leave {
    index: usize,
    slot: &'static Slot,
    idle: u64,
}

impl Drop for Leave {
    fn drop(&mut self) {
        let left = self.slot.state.compare_exchange(
            self.idle | BUSY,
            self.idle,
            Ordering::Release,
            Ordering::Relaxed,
        );
        if left.is_err() {
            free(self.index, self.slot, self.idle >> FLAGS);
        }
    }
}

/// Closes a handle. A stream in use is freed when its call ends. Closing again does nothing.
pub fn close(handle: i64) {
    let Some((index, slot, generation)) = parts(handle) else { return };
    let idle = generation << FLAGS;
    loop {
        let closing = idle | BUSY | CLOSING;
        match slot.state.compare_exchange(idle, closing, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return free(index, slot, generation),
            Err(state) if state == idle | BUSY => {
                if slot.state.compare_exchange(state, closing, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// Frees the stream of a slot that is being closed and has no user.
fn free(index: usize, slot: &Slot, generation: u64) {
    let stream = slot.stream.swap(null_mut(), Ordering::Relaxed);
    // SAFETY: it came from `open`; the flags keep others out until the state below is stored.
    drop(unsafe { Box::from_raw(stream) });
    let mut registry = registry();
    if let Some(totals) = registry.totals.get_mut(slot.owner.load(Ordering::Relaxed)) {
        slot.tally.add_to(totals);
    }
    slot.tally.clear();
    // Even, for a slot without a stream. A slot whose generations are used up is not used again.
    let next = generation + 1;
    slot.state.store(next << FLAGS, Ordering::Release);
    if next < MAX_GENERATION {
        registry.free.push(index as u32);
    }
}

#[cfg(test)]
mod tests;
