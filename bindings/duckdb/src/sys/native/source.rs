//! Files that DuckDB reads for Pelton, as a store with one object.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use crate::sys::ffi::{guarded, take_error};

/// `PeltonSource` of `native/engine.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawSource {
    handle: *mut c_void,
    size: u64,
    modified: i64,
    read: unsafe extern "C" fn(*mut c_void, *mut u8, u64, u64, *mut *mut c_char) -> i32,
    free_error: unsafe extern "C" fn(*mut c_char),
    close: unsafe extern "C" fn(*mut c_void),
}

/// A file of one of DuckDB's file systems; closed on drop.
pub struct Source {
    raw: RawSource,
    /// Name of the file and a number. DuckDB does not tell versions of a file apart, so that each
    /// open file has its own entries in caches.
    name: String,
}

// SAFETY: the layer allows calls by several threads at the same time, and closing by any.
unsafe impl Send for Source {}
// SAFETY: the same.
unsafe impl Sync for Source {}

/// Name of this store in errors.
const STORE: &str = "DuckDB's file system";

impl Source {
    /// # Safety
    /// `raw` came from the layer and has no other owner.
    pub(super) unsafe fn take(raw: RawSource, name: &str) -> Self {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        Self { raw, name: format!("{name}#{}", OPENED.fetch_add(1, Relaxed)) }
    }

    /// Returns a description of the file, at the only place of this store.
    pub fn meta(&self) -> ObjectMeta {
        let modified = chrono::DateTime::from_timestamp(self.raw.modified, 0).unwrap_or_default();
        ObjectMeta {
            location: Path::from("file"),
            last_modified: modified,
            size: self.raw.size,
            e_tag: None,
            version: None,
        }
    }

    fn read(&self, range: &Range<u64>) -> Result<Bytes> {
        let length = range.end.saturating_sub(range.start);
        let failed = |what: String| object_store::Error::Generic { store: STORE, source: what.into() };
        let read = || {
            let mut bytes = Vec::new();
            let size = usize::try_from(length).map_err(|e| e.to_string())?;
            bytes.try_reserve_exact(size).map_err(|e| e.to_string())?;
            let mut error = std::ptr::null_mut();
            let raw = &self.raw;
            // SAFETY: there is room for this number of bytes.
            let done = unsafe { (raw.read)(raw.handle, bytes.as_mut_ptr(), length, range.start, &mut error) };
            if done < 0 {
                // SAFETY: the error of a failure: a string that ends in a zero, or null.
                return Err(unsafe { take_error(error, raw.free_error) });
            }
            // SAFETY: the layer read all of the bytes.
            unsafe { bytes.set_len(size) };
            Ok(Bytes::from(bytes))
        };
        guarded(read).map_err(failed)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        // SAFETY: it is closed once.
        unsafe { (self.raw.close)(self.raw.handle) }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.name)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn only_read<T>(what: &str) -> Result<T> {
    Err(object_store::Error::NotSupported { source: format!("{what}: files are only read here").into() })
}

#[async_trait::async_trait]
impl ObjectStore for Source {
    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        only_read("put")
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        only_read("put")
    }

    async fn get_opts(&self, _: &Path, options: GetOptions) -> Result<GetResult> {
        let meta = self.meta();
        options.check_preconditions(&meta)?;
        let range = match &options.range {
            None => 0..meta.size,
            Some(range) => range
                .as_range(meta.size)
                .map_err(|e| object_store::Error::Generic { store: STORE, source: e.to_string().into() })?,
        };
        let bytes = if options.head { Ok(Bytes::new()) } else { self.read(&range) };
        let payload = GetResultPayload::Stream(stream::once(async { bytes }).boxed());
        Ok(GetResult { payload, meta, range, attributes: Attributes::default() })
    }

    async fn get_ranges(&self, _: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        ranges.iter().map(|range| self.read(range)).collect()
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        paths.then(|_| async { only_read("delete") }).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let meta = self.meta();
        stream::once(async { Ok(meta) }).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Ok(ListResult { common_prefixes: Vec::new(), objects: vec![self.meta()] })
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        only_read("copy")
    }
}
