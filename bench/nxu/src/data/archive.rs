//! Archives of the corpora: files in .tar.gz and .zip.

use pelton_codec::{Decoder, Format, decompress_bound};

/// Files with their names.
pub type Files = Vec<(String, Vec<u8>)>;

/// Bytes of tar's headers, and of the units that its files fill.
const UNIT: usize = 512;

/// Returns the files of a compressed tar archive.
pub fn tar_gz(archive: &[u8]) -> Result<Files, String> {
    let size = archive.last_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    let tar = decompress(Format::Gzip, archive, size)?;
    let mut files = Vec::new();
    let mut at = 0;
    while let Some(header) = tar.get(at..at + UNIT).filter(|header| header[0] != 0) {
        let text = |field: &[u8]| {
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
            String::from_utf8_lossy(&field[..end]).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(&header[124..136]), 8)
            .map_err(|_| "a tar header has no size".to_owned())?;
        let body = tar[at + UNIT..].get(..size).ok_or("the tar archive is cut short")?;
        if matches!(header[156], 0 | b'0') {
            files.push((base(&text(&header[..100])), body.to_vec()));
        }
        at += UNIT + size.next_multiple_of(UNIT);
    }
    Ok(files)
}

/// Returns the files of a zip archive, stored or in DEFLATE, by its central directory.
pub fn zip(archive: &[u8]) -> Result<Files, String> {
    const CUT: &str = "the zip archive is cut short";
    let number = |at: usize, len: usize| {
        let bytes = archive.get(at..at + len).ok_or(CUT)?;
        Ok::<_, String>(bytes.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
    };
    let end = archive.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").ok_or("not a zip archive")?;
    let (count, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    let mut files = Vec::new();
    for _ in 0..count {
        let (method, compressed, size) = (number(at + 10, 2)?, number(at + 20, 4)?, number(at + 24, 4)?);
        let (name, extra, comment) = (number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?);
        let local = number(at + 42, 4)?;
        let title = archive.get(at + 46..at + 46 + name).ok_or(CUT)?;
        let body = local + 30 + number(local + 26, 2)? + number(local + 28, 2)?;
        let body = archive.get(body..body + compressed).ok_or(CUT)?;
        let bytes = match method {
            0 => body.to_vec(),
            8 => decompress(Format::Deflate, body, size)?,
            other => return Err(format!("a file has the compression method {other}; unpack it first")),
        };
        files.push((base(&String::from_utf8_lossy(title)), bytes));
        at += 46 + name + extra + comment;
    }
    Ok(files)
}

fn decompress(format: Format, compressed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; size.min(decompress_bound(format, compressed.len()))];
    let done =
        Decoder::new().decompress(format, compressed, &mut bytes).map_err(|error| error.to_string())?;
    bytes.truncate(done.produced);
    Ok(bytes)
}

fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
