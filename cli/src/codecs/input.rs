//! Input files: their kinds and sizes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use parquet::basic::Compression;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use crate::failure::Failure;

/// First and last bytes of a Parquet file.
const MAGIC: &[u8; 4] = b"PAR1";

/// One file.
pub struct Input {
    pub path: PathBuf,
    /// The file's size in bytes.
    pub bytes: u64,
    pub kind: Kind,
}

/// Checks that an output is none of the inputs, which it would replace.
///
/// # Errors
/// It is one of them.
pub fn refuse_replacing(inputs: &[Input], output: Option<&Path>) -> Result<(), Failure> {
    // A path that can't be resolved names no file yet.
    let Some((output, Ok(resolved))) = output.map(|output| (output, output.canonicalize())) else {
        return Ok(());
    };
    match inputs.iter().any(|input| input.path.canonicalize().is_ok_and(|path| path == resolved)) {
        true => Err(Failure::Error(format!(
            "{}: it is an input, which the plot would replace; name another file",
            output.display()
        ))),
        false => Ok(()),
    }
}

/// Kind of a file.
pub enum Kind {
    /// Anything.
    Plain(File),
    /// Parquet; the sample consists of its pages.
    Parquet { file: Box<SerializedFileReader<File>>, own: BTreeMap<&'static str, Own> },
}

/// Sizes of a Parquet file's columns with its own codec, including page headers as in the footer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Column chunks with this codec.
    pub chunks: usize,
    /// Bytes in the file.
    pub compressed: u64,
    /// Bytes without compression.
    pub uncompressed: u64,
}

impl Own {
    /// Returns the compression ratio of the file's codec.
    pub fn ratio(&self) -> f64 {
        self.uncompressed as f64 / self.compressed.max(1) as f64
    }
}

impl Input {
    /// Opens a file and recognises its kind.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::file(path, &error);
        let mut file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            let what = if about.is_dir() { "is a folder; name the files in it" } else { "is not a file" };
            return Err(Failure::Error(format!("{}: {what}", path.display())));
        }
        let bytes = about.len();
        let kind = match ends(&mut file, bytes).map_err(failed)? {
            Ends::Parquet => parquet(path, file)?,
            Ends::Other => Kind::Plain(file),
            Ends::Cut => {
                let what = "begins as a Parquet file and does not end as one: it is cut short or still being written; \
                            copy or write it again";
                return Err(Failure::Error(format!("{}: {what}", path.display())));
            }
        };
        Ok(Input { path: path.to_owned(), bytes, kind })
    }

    /// Bytes without compression.
    pub fn uncompressed(&self) -> u64 {
        match &self.kind {
            Kind::Plain(_) => self.bytes,
            Kind::Parquet { own, .. } => own.values().map(|own| own.uncompressed).sum(),
        }
    }
}

/// Marks at both ends of a file.
enum Ends {
    /// Parquet's magic number.
    Parquet,
    /// At its beginning alone: the footer is missing.
    Cut,
    /// Something else.
    Other,
}

fn ends(file: &mut File, bytes: u64) -> std::io::Result<Ends> {
    let len = MAGIC.len() as u64;
    let mut magic = [0; MAGIC.len()];
    let mut is_magic = |at| {
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut magic)?;
        std::io::Result::Ok(magic == *MAGIC)
    };
    if bytes < len || !is_magic(0)? {
        return Ok(Ends::Other);
    }
    Ok(if bytes >= 2 * len && is_magic(bytes - len)? { Ends::Parquet } else { Ends::Cut })
}

fn parquet(path: &Path, file: File) -> Result<Kind, Failure> {
    let reader = SerializedFileReader::new(file).map_err(|error| {
        Failure::Error(format!("{}: not a readable Parquet file: {error}", path.display()))
    })?;
    let mut own: BTreeMap<&'static str, Own> = BTreeMap::new();
    for column in reader.metadata().row_groups().iter().flat_map(|group| group.columns()) {
        let sum = own.entry(codec_name(column.compression())).or_default();
        // A footer with a negative size is wrong about its pages too; reading them will show it.
        let size = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
        sum.chunks += 1;
        sum.compressed = sum.compressed.saturating_add(size(column.compressed_size()));
        sum.uncompressed = sum.uncompressed.saturating_add(size(column.uncompressed_size()));
    }
    Ok(Kind::Parquet { file: Box::new(reader), own })
}

fn codec_name(compression: Compression) -> &'static str {
    match compression {
        Compression::UNCOMPRESSED => "none",
        Compression::SNAPPY => "snappy",
        Compression::GZIP(_) => "gzip",
        Compression::LZO => "lzo",
        Compression::BROTLI(_) => "brotli",
        Compression::LZ4 => "lz4",
        Compression::ZSTD(_) => "zstd",
        Compression::LZ4_RAW => "lz4_raw",
    }
}
