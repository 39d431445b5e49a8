//! What of a file can be kept.

use pelton_pages::ParquetFile;

use crate::window;

/// The leaves that kernels read, and why they don't read others.
pub(super) fn readable(file: &ParquetFile) -> (Vec<usize>, Vec<String>) {
    let (mut leaves, mut left_out) = (Vec::new(), Vec::new());
    for (column, field) in file.schema().fields().iter().enumerate() {
        let leaf = window::leaf_of(file, column).map_err(|_| format!("{} is nested", field.name()));
        match leaf.and_then(|leaf| window::supports(file, leaf).map(|()| leaf)) {
            Ok(leaf) => leaves.push(leaf),
            Err(why) => left_out.push(why),
        }
    }
    leaves.sort_unstable();
    (leaves, left_out)
}

/// Decompressed bytes of columns of a row group, as the footer has it.
pub(super) fn plain_bytes(file: &ParquetFile, row_group: usize, leaves: &[usize]) -> u64 {
    let chunks = file.metadata().row_groups().get(row_group).map_or(&[][..], |group| group.columns());
    let chunks = leaves.iter().filter_map(|&leaf| chunks.get(leaf));
    chunks.map(|chunk| chunk.uncompressed_size().max(0) as u64).sum()
}

/// The same of all that is readable in a file.
pub(super) fn all_plain_bytes(file: &ParquetFile) -> u64 {
    let (leaves, _) = readable(file);
    (0..file.metadata().num_row_groups()).map(|group| plain_bytes(file, group, &leaves)).sum()
}
