//! Handles: numbers that Java holds for streams of this library.
//!
//! A handle names a slot and the slot's generation. After a close the generation is another one, so
//! a handle that is used too late, or twice at once, is an error and not a wrong address. Handles
//! are odd, and so differ from the addresses that the JDK's own natives return.

use std::array::from_fn;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::stream::Stream;

/// Slots of a chunk. Chunks are never freed, so that a slot can be looked up without a lock.
const CHUNK: usize = 1 << 10;
/// Largest number of chunks.
const CHUNKS: usize = 1 << 10;
/// Bits of a handle that name its slot.
const INDEX_BITS: u32 = 20;
const _: () = assert!(CHUNK * CHUNKS == 1 << INDEX_BITS);

/// Flags below the generation in a slot's state: a call uses the stream; it was closed meanwhile.
const BUSY: u64 = 1;
const CLOSING: u64 = 2;
const FLAGS: u32 = 2;

/// Generations, which keep handles positive.
const MAX_GENERATION: u64 = (1 << (62 - INDEX_BITS)) - 1;

struct Slot {
    /// Generation and flags.
    state: AtomicU64,
    stream: AtomicPtr<Stream>,
}

type Chunk = [Slot; CHUNK];

static TABLE: [AtomicPtr<Chunk>; CHUNKS] = [const { AtomicPtr::new(null_mut()) }; CHUNKS];

/// Free slots, and the number of slots that were ever used.
static FREE: Mutex<(Vec<u32>, usize)> = Mutex::new((Vec::new(), 0));

/// Reason for which a handle can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It is closed, or was never one.
    Closed,
    /// Another thread uses the stream.
    Busy,
}

/// Stores a stream and returns its handle; `None` if there are too many.
pub fn open(stream: Box<Stream>) -> Option<i64> {
    let index = {
        let mut free = FREE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match free.0.pop() {
            Some(index) => index as usize,
            None if free.1 == CHUNK * CHUNKS => return None,
            None => {
                if free.1.is_multiple_of(CHUNK) {
                    let slot = |_| Slot { state: AtomicU64::new(0), stream: AtomicPtr::new(null_mut()) };
                    let chunk: Box<Chunk> = Box::new(from_fn(slot));
                    TABLE[free.1 / CHUNK].store(Box::into_raw(chunk), Ordering::Release);
                }
                free.1 += 1;
                free.1 - 1
            }
        }
    };
    let slot = slot(index)?;
    slot.stream.store(Box::into_raw(stream), Ordering::Relaxed);
    let generation = slot.state.load(Ordering::Relaxed) >> FLAGS | 1;
    slot.state.store(generation << FLAGS, Ordering::Release);
    Some(((generation << INDEX_BITS | index as u64) << 1 | 1) as i64)
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
    let (index, slot, generation) = parts(handle).ok_or(Refused::Closed)?;
    let idle = generation << FLAGS;
    match slot.state.compare_exchange(idle, idle | BUSY, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => {}
        Err(state) if state >> FLAGS == generation && state & CLOSING == 0 => return Err(Refused::Busy),
        Err(_) => return Err(Refused::Closed),
    }
    let _leave = Leave { index, slot, idle };
    // SAFETY: the stream is alive in this generation, and the flag keeps other users out.
    Ok(call(unsafe { &mut *slot.stream.load(Ordering::Relaxed) }))
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
    // Even, for a slot without a stream. A slot whose generations are used up is not used again.
    let next = generation + 1;
    slot.state.store(next << FLAGS, Ordering::Release);
    if next < MAX_GENERATION {
        FREE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0.push(index as u32);
    }
}
