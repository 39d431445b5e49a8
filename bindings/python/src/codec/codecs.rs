//! The coders that a thread keeps: to allocate and set them up costs more than a small buffer does.

use std::cell::RefCell;

use pelton_codec::{BatchInflater, Decoder, Encoder};

/// The most bytes of scratch memory that a thread keeps for the next call.
const KEPT: usize = 4 << 20;

/// See the module. Each is made when it is first used.
#[derive(Default)]
pub struct Codecs {
    pub decoder: Decoder,
    pub encoder: Encoder,
    inflater: Option<BatchInflater>,
    scratch: Vec<u8>,
}

impl Codecs {
    /// The decoder of batches.
    pub fn inflater(&mut self) -> &mut BatchInflater {
        self.inflater.get_or_insert_default()
    }

    /// Takes memory of at least `len` bytes for results whose size is not known before; none if there isn't any.
    pub fn take_scratch(&mut self, len: usize) -> Option<Vec<u8>> {
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.len() < len {
            // Fresh memory of the system is zero already; growing would copy and write.
            scratch = Vec::new();
            scratch.try_reserve_exact(len).ok()?;
            scratch.resize(len, 0);
        }
        Some(scratch)
    }

    /// Gives it back.
    pub fn give_scratch(&mut self, scratch: Vec<u8>) {
        if scratch.len() <= KEPT {
            self.scratch = scratch;
        }
    }
}

thread_local! {
    static CODECS: RefCell<Codecs> = RefCell::default();
}

/// Does something with the thread's coders, and with new ones where the thread is ending and has none any more.
pub fn with<T>(run: impl FnOnce(&mut Codecs) -> T) -> T {
    let mut run = Some(run);
    let done = CODECS.try_with(|codecs| match codecs.try_borrow_mut() {
        Ok(mut codecs) => run.take().map(|run| run(&mut codecs)),
        Err(_) => None,
    });
    match (done, run) {
        (Ok(Some(done)), _) => done,
        (_, Some(run)) => run(&mut Codecs::default()),
        (_, None) => unreachable!("what was run has given its result"),
    }
}
