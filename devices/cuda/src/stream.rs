//! Queues of work for a GPU: copies and launches, in order within a stream.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::buffer::{Buffer, Memory};
use crate::gpu::{Gpu, Inner, Runtime};
use crate::module::{Kernel, KernelCode};
use crate::profile::{Label, SpanKind};
use crate::{Error, Result};

/// A queue of work that runs in order. Clones are the same stream.
///
/// The host build runs everything at once: what a call queued is done when the call returns.
#[derive(Clone)]
pub struct Stream {
    inner: Arc<Inner>,
    name: &'static str,
}

/// A point in a stream that another stream can wait for.
#[derive(Clone)]
pub struct Event {
    inner: Arc<Inner>,
}

/// Threads a block at most; `PELTON_MAX_THREADS` of the prelude.
pub(crate) const MAX_THREADS: u32 = 256;
/// Bytes of parameters at most; `PELTON_MAX_PARAMS` of the prelude.
const MAX_PARAMS: usize = 4000;

impl Stream {
    pub(crate) fn new(gpu: &Gpu, name: &'static str) -> Result<Stream> {
        match &gpu.inner.runtime {
            Runtime::Host(_) => Ok(Stream { inner: gpu.inner.clone(), name }),
        }
    }

    /// The name in the profile.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Copies bytes into a buffer from `offset` on. `data` is kept until that is done.
    ///
    /// # Errors
    /// They don't fit; or the device fails.
    pub fn upload(&self, to: &Buffer, offset: usize, data: Bytes) -> Result<()> {
        self.upload_batch(vec![(to, offset, data)])
    }

    /// Copies many pieces, as few operations as the driver can make of them. Nothing is copied if one does not fit.
    ///
    /// # Errors
    /// As [`Stream::upload`].
    pub fn upload_batch(&self, copies: Vec<(&Buffer, usize, Bytes)>) -> Result<()> {
        let mut bytes = 0;
        for (to, offset, data) in &copies {
            self.check("upload", to)?;
            to.range("upload", *offset, data.len())?;
            bytes += data.len();
        }
        self.timed(SpanKind::Copy, "upload", bytes, || {
            for (to, offset, data) in &copies {
                match to.memory() {
                    Memory::Host(memory) => memory.write(*offset, data),
                }
            }
        });
        Ok(())
    }

    /// Copies bytes from one buffer to another, or within one.
    ///
    /// # Errors
    /// They are not in the buffers; or the device fails.
    pub fn copy(
        &self,
        to: &Buffer,
        to_offset: usize,
        from: &Buffer,
        from_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        self.check("copy", to)?;
        self.check("copy", from)?;
        to.range("copy", to_offset, bytes)?;
        from.range("copy", from_offset, bytes)?;
        self.timed(SpanKind::Copy, "copy", bytes, || match (to.memory(), from.memory()) {
            (Memory::Host(to), Memory::Host(from)) => to.copy(to_offset, from, from_offset, bytes),
        });
        Ok(())
    }

    /// The bytes of a buffer after everything that was queued before. Waits.
    ///
    /// # Errors
    /// They are not in the buffer; or the device fails, now or at something that was queued before.
    pub fn download(&self, from: &Buffer, range: Range<usize>) -> Result<Vec<u8>> {
        self.check("download", from)?;
        let bytes = range.len();
        let range = from.range("download", range.start, bytes)?;
        Ok(self.timed(SpanKind::Copy, "download", bytes, || match from.memory() {
            Memory::Host(memory) => memory.read(range),
        }))
    }

    /// Sets each byte of a range.
    ///
    /// # Errors
    /// They are not in the buffer; or the device fails.
    pub fn fill(&self, buffer: &Buffer, range: Range<usize>, byte: u8) -> Result<()> {
        self.check("fill", buffer)?;
        let bytes = range.len();
        let range = buffer.range("fill", range.start, bytes)?;
        self.timed(SpanKind::Copy, "fill", bytes, || match buffer.memory() {
            Memory::Host(memory) => memory.fill(range, byte),
        });
        Ok(())
    }

    /// Runs a kernel: `blocks` of `threads` each. `params` are the bytes of its struct of parameters.
    /// Of no blocks nothing is run.
    ///
    /// # Errors
    /// Sizes that no device takes; or the device fails. A kernel's own failure shows at the next call that waits.
    ///
    /// # Safety
    /// With these parameters the kernel reads and writes only memory that the addresses in them own, and nothing else
    /// uses what it writes until the stream has been waited for.
    #[allow(unsafe_code)]
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        threads: u32,
        params: &[u8],
        label: Label,
    ) -> Result<()> {
        if !Arc::ptr_eq(&kernel.inner, &self.inner) {
            return Err(Error::bad_call(format!("the kernel {} is another GPU's", kernel.name())));
        }
        if threads == 0 || threads > MAX_THREADS {
            return Err(Error::bad_call(format!("{}: {threads} threads a block", kernel.name())));
        }
        if params.len() > MAX_PARAMS {
            return Err(Error::bad_call(format!("{}: parameters of {} bytes", kernel.name(), params.len())));
        }
        if blocks == 0 {
            return Ok(());
        }
        let start = Instant::now();
        match (&self.inner.runtime, &kernel.code) {
            (Runtime::Host(host), KernelCode::Host(code)) => {
                // SAFETY: the caller's promise.
                unsafe { host.launch(code, blocks, threads, params) }?;
            }
        }
        self.inner.profiler.add(self.name, label, start, Instant::now());
        Ok(())
    }

    /// The point after everything that was queued so far.
    ///
    /// # Errors
    /// The device fails.
    pub fn record(&self) -> Result<Event> {
        Ok(Event { inner: self.inner.clone() })
    }

    /// What is queued from now on begins after the event.
    ///
    /// # Errors
    /// The device fails.
    pub fn wait(&self, event: &Event) -> Result<()> {
        if !Arc::ptr_eq(&event.inner, &self.inner) {
            return Err(Error::bad_call("the event is another GPU's"));
        }
        Ok(())
    }

    /// Returns when everything that was queued is done.
    ///
    /// # Errors
    /// Something of it failed.
    pub fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    /// Holds a buffer until everything that is queued so far is done.
    pub fn keep(&self, buffer: Arc<Buffer>) {
        drop(buffer);
    }

    fn check(&self, what: &str, buffer: &Buffer) -> Result<()> {
        if buffer.belongs_to(&self.inner) {
            Ok(())
        } else {
            Err(Error::bad_call(format!("{what}: the buffer is another GPU's")))
        }
    }

    fn timed<T>(&self, kind: SpanKind, text: &str, bytes: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let label = Label { kind, text: text.into(), bytes: bytes as u64 };
        self.inner.profiler.add(self.name, label, start, Instant::now());
        result
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.name)
    }
}
