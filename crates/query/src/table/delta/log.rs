//! Access to the files of a Delta log, as `delta_kernel` asks for it. The kernel's calls block, so
//! they run on threads for that.

use std::io::Cursor;
use std::sync::Arc;

use arrow::json::ReaderBuilder;
use bytes::Bytes;
use delta_kernel::engine::arrow_conversion::TryFromArrow;
use delta_kernel::engine::arrow_data::ArrowEngineData;
use delta_kernel::engine::arrow_expression::ArrowEvaluationHandler;
use delta_kernel::engine::arrow_utils::{
    RowIndexBuilder, build_json_reorder_indices, fixup_json_read, fixup_parquet_read, json_arrow_schema,
    ordering_needs_row_indexes, parquet_read_plan,
};
use delta_kernel::engine::{parse_json, reader_options};
use delta_kernel::schema::{SchemaRef, StructType};
use delta_kernel::{
    Engine, EngineData, EvaluationHandler, FileDataReadResultIterator, FileMeta, FileSlice,
    FilteredEngineData, JsonHandler, KernelError, KernelResult, KernelResultIterator,
    KernelResultIteratorStatic, ParquetFooter, ParquetHandler, PredicateRef, StorageHandler,
};
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use pelton_pages::listing::Folder;
use pelton_pages::store_message;
use tokio::runtime::Handle;
use url::Url;

/// Address of a table's folder in the kernel. Its log has addresses relative to the folder; others
/// are refused.
pub(super) const ROOT: &str = "s3://table/";

/// A table's folder.
#[derive(Debug)]
pub(super) struct LogFiles {
    folder: Folder,
    root: Url,
    runtime: Handle,
}

impl LogFiles {
    /// Returns the files of a folder, for threads that may block.
    ///
    /// # Errors
    /// There is no async runtime.
    pub fn new(folder: Folder) -> Result<Self, String> {
        let root = Url::parse(ROOT).map_err(|e| e.to_string())?;
        let runtime = Handle::try_current().map_err(|e| e.to_string())?;
        Ok(Self { folder, root, runtime })
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the path in the store of a path in the log, which is percent-encoded.
    ///
    /// # Errors
    /// It is outside of the table's folder.
    pub fn data_path(&self, path: &str) -> Result<Path, String> {
        let url = self.root.join(path).map_err(|e| e.to_string())?;
        self.path(&url)
    }

    fn path(&self, url: &Url) -> Result<Path, String> {
        if (url.scheme(), url.host_str()) != (self.root.scheme(), self.root.host_str()) {
            return Err("a file of the table is outside of its folder, as in a shallow clone".to_owned());
        }
        let below = Path::from_url_path(url.path()).map_err(|e| e.to_string())?;
        Ok(self.folder.base.parts().chain(below.parts()).collect())
    }

    fn url(&self, path: &Path) -> KernelResult<Url> {
        let below = path.prefix_match(&self.folder.base);
        let below = below.ok_or_else(|| KernelError::generic("a listed file is outside of its folder"))?;
        let mut url = self.root.clone();
        let names: Vec<String> = below.map(|part| part.as_ref().to_owned()).collect();
        let mut segments = url.path_segments_mut().map_err(|()| KernelError::generic("no path"))?;
        segments.clear().extend(names);
        drop(segments);
        Ok(url)
    }

    fn meta(&self, meta: &ObjectMeta) -> KernelResult<FileMeta> {
        Ok(FileMeta::new(self.url(&meta.location)?, meta.last_modified.timestamp_millis(), meta.size))
    }

    fn error(&self, error: &object_store::Error, url: &Url) -> KernelError {
        match error {
            object_store::Error::NotFound { .. } => KernelError::FileNotFound(url.path().to_owned()),
            other => KernelError::generic(store_message(other)),
        }
    }

    fn read(&self, url: &Url) -> KernelResult<Bytes> {
        let path = self.path(url).map_err(KernelError::generic)?;
        let read = async { self.folder.store.get(&path).await?.bytes().await };
        self.runtime.block_on(read).map_err(|e| self.error(&e, url))
    }

    /// Reads files one after the other, each by a function of its bytes.
    fn read_each<F, I>(self: &Arc<Self>, files: &[FileMeta], rows: F) -> FileDataReadResultIterator
    where
        F: Fn(Bytes, String) -> KernelResult<I> + Send + 'static,
        I: Iterator<Item = KernelResult<ArrowEngineData>> + Send + 'static,
    {
        let (this, files) = (self.clone(), files.to_vec());
        let of_file = move |file: FileMeta| -> FileDataReadResultIterator {
            let name = file.location.to_string();
            match this.read(&file.location).and_then(|bytes| rows(bytes, name)) {
                Ok(rows) => Box::new(rows.map(|batch| Ok(Box::new(batch?) as Box<dyn EngineData>))),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        };
        Box::new(files.into_iter().flat_map(of_file))
    }
}

/// The kernel's view of a log.
pub(super) struct Log(pub Arc<LogFiles>);

impl Engine for Log {
    fn evaluation_handler(&self) -> Arc<dyn EvaluationHandler> {
        Arc::new(ArrowEvaluationHandler)
    }

    fn storage_handler(&self) -> Arc<dyn StorageHandler> {
        Arc::new(Handler(self.0.clone()))
    }

    fn json_handler(&self) -> Arc<dyn JsonHandler> {
        Arc::new(Handler(self.0.clone()))
    }

    fn parquet_handler(&self) -> Arc<dyn ParquetHandler> {
        Arc::new(Handler(self.0.clone()))
    }
}

struct Handler(Arc<LogFiles>);

fn read_only() -> KernelError {
    KernelError::generic("Delta tables are only read")
}

impl StorageHandler for Handler {
    fn list_from(&self, from: &Url) -> KernelResult<KernelResultIteratorStatic<FileMeta>> {
        let offset = self.0.path(from).map_err(KernelError::generic)?;
        let mut folder: Vec<_> = offset.parts().collect();
        if !from.path().ends_with('/') {
            folder.pop();
        }
        let folder = Path::from_iter(folder);
        let listed = self.0.folder.store.list_with_offset(Some(&folder), &offset).try_collect::<Vec<_>>();
        let mut listed = self.0.runtime.block_on(listed).map_err(|e| self.0.error(&e, from))?;
        listed.sort_unstable_by(|a, b| a.location.cmp(&b.location));
        let files: Vec<_> = listed.iter().map(|meta| self.0.meta(meta)).collect();
        Ok(Box::new(files.into_iter()))
    }

    fn read_files(&self, files: Vec<FileSlice>) -> KernelResult<KernelResultIteratorStatic<Bytes>> {
        let files_of = self.0.clone();
        Ok(Box::new(files.into_iter().map(move |(url, range)| {
            let bytes = files_of.read(&url)?;
            let Some(range) = range else { return Ok(bytes) };
            let (start, end) = (range.start as usize, range.end as usize);
            match start <= end && end <= bytes.len() {
                true => Ok(bytes.slice(start..end)),
                false => Err(KernelError::generic(format!("{} is cut short", url.path()))),
            }
        })))
    }

    fn copy_atomic(&self, _: &Url, _: &Url) -> KernelResult<()> {
        Err(read_only())
    }

    fn put(&self, _: &Url, _: Bytes, _: bool) -> KernelResult<()> {
        Err(read_only())
    }

    fn head(&self, url: &Url) -> KernelResult<FileMeta> {
        let path = self.0.path(url).map_err(KernelError::generic)?;
        let head = self.0.runtime.block_on(self.0.folder.store.head(&path));
        self.0.meta(&head.map_err(|e| self.0.error(&e, url))?)
    }

    fn delete(&self, _: &Url) -> KernelResult<()> {
        Err(read_only())
    }
}

impl JsonHandler for Handler {
    fn parse_json(&self, text: Box<dyn EngineData>, schema: SchemaRef) -> KernelResult<Box<dyn EngineData>> {
        parse_json(text, schema)
    }

    fn read_json_files(
        &self,
        files: &[FileMeta],
        schema: SchemaRef,
        _: Option<PredicateRef>,
    ) -> KernelResult<FileDataReadResultIterator> {
        let rows = move |bytes: Bytes, name: String| {
            let in_arrow = Arc::new(json_arrow_schema(&schema)?);
            let order = build_json_reorder_indices(&schema)?;
            let reader =
                ReaderBuilder::new(in_arrow).with_coerce_primitive(true).build(Cursor::new(bytes))?;
            Ok(reader.map(move |batch| fixup_json_read(batch?, &order, &name)))
        };
        Ok(self.0.read_each(files, rows))
    }

    fn write_json_file(
        &self,
        _: &Url,
        _: KernelResultIterator<'_, FilteredEngineData>,
        _: bool,
    ) -> KernelResult<u64> {
        Err(read_only())
    }
}

impl ParquetHandler for Handler {
    /// Reads checkpoints, which are small beside the data.
    fn read_parquet_files(
        &self,
        files: &[FileMeta],
        schema: SchemaRef,
        _: Option<PredicateRef>,
    ) -> KernelResult<FileDataReadResultIterator> {
        let rows = move |bytes: Bytes, name: String| {
            let metadata = ArrowReaderMetadata::load(&bytes, reader_options())?;
            let (order, mask) = parquet_read_plan(&schema, &metadata)?;
            let numbers = ordering_needs_row_indexes(&order);
            let numbers = numbers.then(|| RowIndexBuilder::new(metadata.metadata().row_groups()).build());
            let mut numbers = numbers.transpose()?;
            let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata);
            if let Some(mask) = mask {
                reader = reader.with_projection(mask);
            }
            let schema = schema.clone();
            Ok(reader.build()?.map(move |batch| {
                fixup_parquet_read(batch?, &order, numbers.as_mut(), Some(&name), Some(&schema))
            }))
        };
        Ok(self.0.read_each(files, rows))
    }

    fn write_parquet_file(
        &self,
        _: Url,
        _: KernelResultIteratorStatic<Box<dyn EngineData>>,
    ) -> KernelResult<u64> {
        Err(read_only())
    }

    fn read_parquet_footer(&self, file: &FileMeta) -> KernelResult<ParquetFooter> {
        let metadata = ArrowReaderMetadata::load(&self.0.read(&file.location)?, reader_options())?;
        Ok(ParquetFooter { schema: Arc::new(StructType::try_from_arrow(metadata.schema().as_ref())?) })
    }
}
