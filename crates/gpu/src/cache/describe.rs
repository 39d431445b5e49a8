//! What is kept, in words.

use std::sync::Arc;

use pelton_query::plan::CachePlace;

use super::file::CachedFile;

/// In one line what files of a table "are" or "were" kept.
pub(crate) fn describe(name: &str, verb: &str, files: &[Arc<CachedFile>]) -> String {
    let of_place = |(place, memory): (CachePlace, &str)| {
        let files = || files.iter().filter(move |file| file.place == place);
        let rows: u64 = files().map(|file| file.rows).sum();
        let columns = files().map(|file| file.columns).max()?;
        let plural = if columns == 1 { "" } else { "s" };
        let bytes = megabytes(files().map(|file| file.bytes).sum());
        Some(format!("{rows} rows of {columns} column{plural} {verb} kept in {memory}, {bytes}"))
    };
    let places = [(CachePlace::Host, "host memory"), (CachePlace::Gpu, "GPU memory")];
    let kept: Vec<_> = places.into_iter().filter_map(of_place).collect();
    let kept = kept.join("; ");
    match left_out(files) {
        reasons if reasons.is_empty() => format!("{name}: {kept}"),
        reasons => format!("{name}: {kept}; left out: {reasons}"),
    }
}

/// Why columns are not kept.
pub(super) fn left_out(files: &[Arc<CachedFile>]) -> String {
    let mut reasons: Vec<_> =
        files.iter().flat_map(|file| file.left_out.iter().map(String::as_str)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.join(", ")
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
