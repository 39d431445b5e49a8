//! Options of both commands.

use std::path::PathBuf;

use crate::data::Kind;

/// Data to measure, and number of runs.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// Kinds of data [default: all]
    #[arg(long, value_delimiter = ',')]
    data: Vec<Kind>,
    /// Bytes in a block, with K or M
    #[arg(long, value_delimiter = ',', value_parser = size, default_value = "4K,16K,64K,1M")]
    pub size: Vec<usize>,
    /// Uncompressed megabytes in a cell
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    megabytes: u16,
    /// Number of counted runs; their median is reported
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Folder for records, below which one is made for the day and the machine [default: no record]
    #[arg(long)]
    pub records: Option<PathBuf>,
}

/// Available data, and the reasons for missing kinds.
pub struct Loaded {
    /// Each kind with its bytes.
    pub data: Vec<(Kind, Vec<u8>)>,
    /// Kinds that are left out, with the reason.
    pub skipped: Vec<String>,
}

impl Common {
    /// Returns the number of measurements of each contender.
    pub fn runs(&self) -> usize {
        usize::from(self.runs)
    }

    /// Reads or makes the data, and names the skipped kinds on standard error.
    pub fn load(&self) -> Result<Loaded, String> {
        let kinds = if self.data.is_empty() { &Kind::ALL[..] } else { &self.data };
        let mut loaded = Loaded { data: Vec::new(), skipped: Vec::new() };
        for &kind in kinds {
            match kind.make(usize::from(self.megabytes) << 20) {
                Ok(uncompressed) => loaded.data.push((kind, uncompressed)),
                Err(reason) => loaded.skipped.push(format!("{}: skipped, {reason}", kind.name())),
            }
        }
        loaded.skipped.iter().for_each(|line| eprintln!("{line}"));
        if loaded.data.is_empty() { Err("there is no data to measure with".into()) } else { Ok(loaded) }
    }
}

/// Bytes as 4K or 1M.
pub fn human(size: usize) -> String {
    match size {
        _ if size.is_multiple_of(1 << 20) => format!("{}M", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{}K", size >> 10),
        _ => size.to_string(),
    }
}

/// Parses the output of [`human`].
fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    let max = (64 << 20) >> shift;
    match digits.parse::<usize>() {
        Ok(number) if (1..=max).contains(&number) => Ok(number << shift),
        _ => Err("a size is a number of bytes up to 64M, such as 64K".into()),
    }
}

#[cfg(test)]
mod tests;
