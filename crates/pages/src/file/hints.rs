//! What a file says of its pages before they are read.

use std::hash::{DefaultHasher, Hash, Hasher};

use parquet::basic::Compression;
use pelton_job::Hints;

use super::ParquetFile;

/// The key in a footer whose value is the farthest, in bytes, that any match in any gzip page of
/// the file reaches back: a decimal number.
pub(crate) const WINDOW_KEY: &str = "pelton.deflate.window";

/// DEFLATE's own limit (RFC 1951, section 3.2.5): who says so says nothing.
const FULL_WINDOW: u32 = 1 << 15;

impl ParquetFile {
    /// The window that the footer promises of all gzip pages, if it does.
    fn window(&self) -> Option<u32> {
        let pairs = self.metadata().file_metadata().key_value_metadata();
        let pair = pairs.into_iter().flatten().find(|pair| pair.key == WINDOW_KEY)?;
        let bytes = pair.value.as_ref()?.parse().ok()?;
        (1..FULL_WINDOW).contains(&bytes).then_some(bytes)
    }

    /// Returns the hints for the pages of a column chunk. The affinity key is the chunk's own: the
    /// same whenever the chunk is read in this process. Another chunk, file or version of the file
    /// has the same key only if 64-bit hashes collide.
    pub(crate) fn hints(&self, row_group: usize, leaf: usize) -> Hints {
        let meta = self.location.meta();
        let mut key = DefaultHasher::new();
        self.location.name().hash(&mut key);
        meta.location.as_ref().hash(&mut key);
        (&meta.e_tag, &meta.version, meta.size, meta.last_modified).hash(&mut key);
        (row_group, leaf).hash(&mut key);
        let chunk = self.metadata().row_group(row_group).column(leaf);
        let window = self.window().filter(|_| matches!(chunk.compression(), Compression::GZIP(_)));
        Hints { window, affinity_key: Some(key.finish()) }
    }
}
