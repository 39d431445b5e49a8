//! Figures of the paper.

/// A row of the paper's Table 1: lineitem as an uncompressed Parquet file of several gigabytes, on
/// one thread of an Intel Xeon Platinum 8488C, and on its IAA devices.
pub struct Row {
    pub codec: &'static str,
    pub ratio: f64,
    pub compress: f64,
    pub decompress: f64,
}

/// Its Table 1.
pub const TABLE_1: [Row; 7] = [
    row("Snappy", 1.97, 0.37, 1.12),
    row("LZ4", 1.97, 0.50, 2.97),
    row("zstd-1", 3.02, 0.34, 1.15),
    row("zstd-3", 3.12, 0.23, 1.07),
    row("zstd-9", 3.38, 0.05, 1.08),
    row("Deflate CPU", 16.21, 2.52, 3.27),
    row("Deflate IAA", 12.77, 4.59, 18.24),
];

const fn row(codec: &'static str, ratio: f64, compress: f64, decompress: f64) -> Row {
    Row { codec, ratio, compress, decompress }
}

/// Returns the row to compare with one of ours: that of the same name, except for the level and the
/// device of DEFLATE.
pub fn beside(table: &str, codec: &str) -> Option<&'static Row> {
    let paper = match codec {
        "Deflate-1 CPU" | "Deflate-6 CPU" => "Deflate CPU",
        "Deflate IAA (model)" => "Deflate IAA",
        other => other,
    };
    TABLE_1.iter().find(|row| table == "lineitem" && row.codec == paper)
}

/// Explanation of the comparison.
pub const NOTE: &str = "\
Paper: Laspias, Pavlo and Patel, ADMS 2025, Table 1: lineitem at scale factor 10, DuckDB's Parquet, a Xeon Platinum 8488C. \
Its figures of the other tables (4 and 5: speeds, 6: ratio page by page) have no numbers in print. Its ratios of DEFLATE, \
four times those of zstd, are not seen here with any DEFLATE: another data set or block layout must be behind them.";

#[cfg(test)]
mod tests;
