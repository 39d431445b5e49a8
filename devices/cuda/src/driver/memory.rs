//! A device's memory, and pinned host memory.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::result::{self, device, mem_pool};
use cudarc::driver::sys::{CUdeviceptr, CUmemPool_attribute, CUmemoryPool, CUresult};

use super::handles::{Context, RawStream};
use super::result::{In, to_error};
use crate::{Error, Result};

/// The device's own pool of memory. Once it has grown, allocation costs microseconds.
pub(crate) struct Pool {
    pool: CUmemoryPool,
    /// A stream without other work, so that an allocation never waits.
    allocating: RawStream,
    /// Waits for all other streams before each piece is freed.
    freeing: RawStream,
    context: Arc<Context>,
}

// SAFETY: handles of the driver, as for `Context`.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// Opens the pool; `keep` is the number of unused bytes that it keeps.
    pub fn new(context: &Arc<Context>, keep: usize) -> Result<Arc<Pool>> {
        context.bind()?;
        // SAFETY: the context's device. The pool is the driver's, and lives as long as the device.
        let pool =
            unsafe { device::get_default_mem_pool(context.device()) }.in_call("cuDeviceGetDefaultMemPool")?;
        let mut keep = keep as u64;
        // Memory whose free is still queued would make an allocation wait; take new memory instead.
        let mut no: c_int = 0;
        let attributes = [
            (
                CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                std::ptr::from_mut(&mut keep).cast::<c_void>(),
            ),
            (
                CUmemPool_attribute::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
                std::ptr::from_mut(&mut no).cast::<c_void>(),
            ),
        ];
        for (attribute, value) in attributes {
            // SAFETY: values of the types that cuda.h says: u64, and int.
            unsafe { mem_pool::set_attribute(pool, attribute, value) }.in_call("cuMemPoolSetAttribute")?;
        }
        let (allocating, freeing) = (RawStream::new(context)?, RawStream::new(context)?);
        Ok(Arc::new(Pool { pool, allocating, freeing, context: context.clone() }))
    }

    /// Allocates memory; `None` if the device has no more.
    pub fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Option<DeviceMemory>> {
        if bytes == 0 {
            return Ok(Some(DeviceMemory { address: NO_BYTES, pool: self.clone() }));
        }
        self.context.bind()?;
        if let Some(memory) = self.attempt(bytes)? {
            return Ok(Some(memory));
        }
        // Dropped memory may still wait for queued work. Wait for that too, and return unused
        // memory so that pieces join.
        self.freeing.synchronize()?;
        // SAFETY: the device's pool.
        unsafe { mem_pool::trim_to(self.pool, 0) }.in_call("cuMemPoolTrimTo")?;
        self.attempt(bytes)
    }

    fn attempt(self: &Arc<Self>, bytes: usize) -> Result<Option<DeviceMemory>> {
        // SAFETY: a live stream.
        let address = match unsafe { result::malloc_async(self.allocating.handle, bytes) } {
            Ok(address) => address,
            Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            Err(error) => return Err(to_error(error, "cuMemAllocAsync")),
        };
        let memory = DeviceMemory { address, pool: self.clone() };
        // Other streams may use it from now on.
        self.allocating.synchronize()?;
        Ok(Some(memory))
    }

    fn free(&self, address: CUdeviceptr) -> Result<()> {
        self.context.bind()?;
        self.context.wait_for_all(&self.freeing)?;
        // SAFETY: allocated here, freed once, after the work of every stream.
        unsafe { result::free_async(address, self.freeing.handle) }.in_call("cuMemFreeAsync")
    }
}

/// The address of a buffer without bytes: no access to it survives.
const NO_BYTES: CUdeviceptr = 256;

/// Memory of the device, freed when dropped, after the work queued so far.
pub(crate) struct DeviceMemory {
    address: CUdeviceptr,
    pool: Arc<Pool>,
}

impl DeviceMemory {
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if self.address != NO_BYTES {
            // If the device is lost its memory is too.
            let _ = self.pool.free(self.address);
        }
    }
}

/// Pinned host memory.
pub(crate) struct HostPinned {
    start: NonNull<u8>,
    bytes: usize,
    context: Arc<Context>,
}

// SAFETY: owned memory, like a boxed slice.
unsafe impl Send for HostPinned {}
// SAFETY: as above.
unsafe impl Sync for HostPinned {}

impl HostPinned {
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<HostPinned> {
        if bytes == 0 {
            return Ok(HostPinned { start: NonNull::dangling(), bytes, context: context.clone() });
        }
        context.bind()?;
        // SAFETY: the memory is owned here. Portable (flag 1): pinned for every context of the
        // process.
        let start = unsafe { result::malloc_host(bytes, 1) }.in_call("cuMemHostAlloc")?;
        let start = NonNull::new(start.cast::<u8>())
            .ok_or_else(|| Error::Driver { call: "cuMemHostAlloc", why: "no address".into() })?;
        // SAFETY: the allocation has this size.
        unsafe { start.write_bytes(0, bytes) };
        Ok(HostPinned { start, bytes, context: context.clone() })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated and zeroed in `new`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for HostPinned {
    fn drop(&mut self) {
        if self.bytes > 0 && self.context.bind().is_ok() {
            // SAFETY: allocated in `new`, freed once; streams hold the memory that their copies
            // read.
            let _ = unsafe { result::free_host(self.start.as_ptr().cast()) };
        }
    }
}
