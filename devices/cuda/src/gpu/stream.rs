//! Queues of work for a GPU: copies and launches, in order within a stream.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::module::{Kernel, KernelCode};
use super::options::{MAX_PARAMS, MAX_THREADS};
use super::profile::{Label, SpanKind};
use super::runtime::{Inner, Runtime};
use crate::driver::{CudaEvent, CudaStream};
use crate::memory::Buffer;
use crate::{Error, Result};

/// A queue of work that runs in order. Clones are the same stream.
///
/// The host build runs everything at once: the work is done when the call returns.
#[derive(Clone)]
pub struct Stream {
    inner: Arc<Inner>,
    name: &'static str,
    queue: Queue,
}

#[derive(Clone)]
enum Queue {
    Host,
    Cuda(Arc<CudaStream>),
}

/// A point in a stream that another stream can wait for.
#[derive(Clone)]
pub struct Event {
    inner: Arc<Inner>,
    /// None for the host build, where work is done at once.
    cuda: Option<Arc<CudaEvent>>,
}

/// CUDA's maximum number of blocks in a launch.
const MAX_BLOCKS: u32 = i32::MAX as u32;

impl Stream {
    pub(crate) fn new(inner: &Arc<Inner>, name: &'static str) -> Result<Stream> {
        let queue = match &inner.runtime {
            Runtime::Host(_) => Queue::Host,
            Runtime::Cuda(cuda) => Queue::Cuda(CudaStream::new(&cuda.context)?),
        };
        Ok(Stream { inner: inner.clone(), name, queue })
    }

    /// Returns the name in the profile.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns CUDA's `CUstream`, for a library that queues work of its own; none for the host
    /// build. It lives as long as the stream.
    pub fn raw_handle(&self) -> Option<*mut c_void> {
        match &self.queue {
            Queue::Host => None,
            Queue::Cuda(stream) => Some(stream.handle()),
        }
    }

    /// Copies bytes into a buffer from `offset` on. `data` is kept until the copy is done.
    ///
    /// # Errors
    /// The bytes don't fit; or the device fails.
    pub fn upload(&self, to: &Buffer, offset: usize, data: Bytes) -> Result<()> {
        self.upload_batch(vec![(to, offset, data)])
    }

    /// Copies several pieces, which don't overlap. Nothing is copied if one does not fit.
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
        self.timed(copy_label("upload", bytes), || match &self.queue {
            Queue::Host => {
                for (to, offset, data) in &copies {
                    to.memory().host()?.write(*offset, data);
                }
                Ok(())
            }
            Queue::Cuda(stream) => {
                let copies =
                    copies.into_iter().map(|(to, offset, data)| Ok((to.memory().cuda()?, offset, data)));
                stream.upload(copies.collect::<Result<_>>()?)
            }
        })
    }

    /// Copies bytes from one buffer to another, or within one if the ranges don't overlap.
    ///
    /// # Errors
    /// The ranges are not in the buffers, or overlap; or the device fails.
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
        if std::ptr::eq(to, from) && to_offset.abs_diff(from_offset) < bytes {
            return Err(Error::bad_call("a copy onto itself"));
        }
        self.timed(copy_label("copy", bytes), || match &self.queue {
            Queue::Host => {
                to.memory().host()?.copy(to_offset, from.memory().host()?, from_offset, bytes);
                Ok(())
            }
            Queue::Cuda(stream) => {
                stream.copy(to.address() + to_offset as u64, from.address() + from_offset as u64, bytes)
            }
        })
    }

    /// Returns the bytes of a buffer after all queued work. Waits.
    ///
    /// # Errors
    /// The range is not in the buffer; or the device fails, now or at earlier work.
    pub fn download(&self, from: &Buffer, range: Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        self.download_to(from, range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies the bytes from `offset` on to host memory: at full speed if it is
    /// [pinned](crate::Gpu::pinned). Waits for them, and for all work that was queued before.
    ///
    /// # Errors
    /// As [`Stream::download`].
    pub fn download_to(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        self.check("download", from)?;
        let range = from.range("download", offset, to.len())?;
        self.timed(copy_label("download", to.len()), || match &self.queue {
            Queue::Host => {
                from.memory().host()?.read(range.start, to);
                Ok(())
            }
            Queue::Cuda(stream) => stream.download(from.memory().cuda()?, range.start, to),
        })
    }

    /// Sets each byte of a range.
    ///
    /// # Errors
    /// The range is not in the buffer; or the device fails.
    pub fn fill(&self, buffer: &Buffer, range: Range<usize>, byte: u8) -> Result<()> {
        self.check("fill", buffer)?;
        let bytes = range.len();
        let range = buffer.range("fill", range.start, bytes)?;
        self.timed(copy_label("fill", bytes), || match &self.queue {
            Queue::Host => {
                buffer.memory().host()?.fill(range, byte);
                Ok(())
            }
            Queue::Cuda(stream) => stream.fill(buffer.memory().cuda()?, range, byte),
        })
    }

    /// Runs a kernel: `blocks` of `threads` each. `params` are the bytes of its struct of
    /// parameters. Does nothing without blocks.
    ///
    /// # Errors
    /// Sizes that no device takes; or the device fails. A kernel's own failure shows at the next
    /// call that waits.
    ///
    /// # Safety
    /// With these parameters the kernel accesses only memory that the addresses in them own.
    /// Nothing else uses the memory that it writes until the stream has been waited for.
    #[allow(unsafe_code)]
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        blocks: u32,
        threads: u32,
        params: &[u8],
        label: Label,
    ) -> Result<()> {
        let refuse = |what: String| Err(Error::bad_call(format!("{}: {what}", kernel.name())));
        if !Arc::ptr_eq(&kernel.inner, &self.inner) {
            return refuse("the kernel is another GPU's".into());
        }
        if threads == 0 || threads > MAX_THREADS || blocks > MAX_BLOCKS {
            return refuse(format!("{blocks} blocks of {threads} threads"));
        }
        if params.len() > MAX_PARAMS {
            return refuse(format!("parameters of {} bytes", params.len()));
        }
        if blocks == 0 {
            return Ok(());
        }
        self.timed(label, || match (&self.inner.runtime, &self.queue, &kernel.code) {
            (Runtime::Host(host), _, KernelCode::Host(code)) => {
                // SAFETY: the caller's promise.
                unsafe { host.launch(code, blocks, threads, params) }
            }
            (_, Queue::Cuda(stream), KernelCode::Cuda(code)) => {
                if code.params().is_some_and(|bytes| bytes != params.len()) {
                    return refuse(format!(
                        "parameters of {} bytes, and it takes {:?}",
                        params.len(),
                        code.params()
                    ));
                }
                // SAFETY: the caller's promise.
                unsafe { stream.launch(code, blocks, threads, params) }
            }
            _ => refuse("the kernel is another GPU's".into()),
        })
    }

    /// Returns the point after all work that was queued so far.
    ///
    /// # Errors
    /// The device fails.
    pub fn record(&self) -> Result<Event> {
        let cuda = match &self.queue {
            Queue::Host => None,
            Queue::Cuda(stream) => Some(stream.record()?),
        };
        Ok(Event { inner: self.inner.clone(), cuda })
    }

    /// Lets the work that is queued from now on begin after the event.
    ///
    /// # Errors
    /// The device fails.
    pub fn wait(&self, event: &Event) -> Result<()> {
        if !Arc::ptr_eq(&event.inner, &self.inner) {
            return Err(Error::bad_call("the event is another GPU's"));
        }
        match (&self.queue, &event.cuda) {
            (Queue::Cuda(stream), Some(event)) => stream.wait(event),
            _ => Ok(()),
        }
    }

    /// Waits for all queued work.
    ///
    /// # Errors
    /// Some of the work failed.
    pub fn synchronize(&self) -> Result<()> {
        match &self.queue {
            Queue::Host => Ok(()),
            Queue::Cuda(stream) => stream.synchronize(),
        }
    }

    /// Holds a buffer until all work queued so far is done.
    pub fn keep(&self, buffer: Arc<Buffer>) {
        // a buffer's memory is freed after the work that is queued on any stream at that time
        drop(buffer);
    }

    fn check(&self, what: &str, buffer: &Buffer) -> Result<()> {
        if buffer.belongs_to(&self.inner) {
            Ok(())
        } else {
            Err(Error::bad_call(format!("{what}: the buffer is another GPU's")))
        }
    }

    /// Does the work, and records its span if the profiler is on.
    fn timed<T>(&self, label: Label, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let profiler = &self.inner.profiler;
        if !profiler.is_on() {
            return work();
        }
        match &self.queue {
            Queue::Host => {
                let start = Instant::now();
                let result = work()?;
                profiler.add(self.name, label, start, Instant::now());
                Ok(result)
            }
            Queue::Cuda(stream) => {
                let start = stream.mark()?;
                let result = work()?;
                profiler.add_queued(self.name, label, start, stream.mark()?);
                Ok(result)
            }
        }
    }
}

fn copy_label(text: &str, bytes: usize) -> Label {
    Label { kind: SpanKind::Copy, text: text.into(), bytes: bytes as u64 }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stream({})", self.name)
    }
}
