//! Properties of a file's pages that are known before they are read.

use std::hash::{DefaultHasher, Hash, Hasher};

use parquet::basic::Compression;
use pelton_job::Hints;

use super::ParquetFile;

/// Footer key of the window mark: the greatest distance, in bytes, of all matches in the file's
/// gzip pages, as a decimal number.
pub(crate) const WINDOW_KEY: &str = "pelton.deflate.window";

/// DEFLATE's own limit (RFC 1951, section 3.2.5), which is no restriction as a mark.
const FULL_WINDOW: u32 = 1 << 15;

impl ParquetFile {
    /// Returns the window that the footer's mark states for all gzip pages.
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
