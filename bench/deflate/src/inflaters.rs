//! Decompressors of raw DEFLATE: Pelton's batch, and its rivals stream by stream.

use pelton_codec::{BatchInflater, BatchIsaLevel, Format, Stream};
use zlib_rs::{Inflate, InflateFlush, Status};

use crate::sys::{isal, libdeflate, zlib};

/// Decompresses streams into outputs of the right lengths; returns whether all were right.
type Decompress = Box<dyn FnMut(&[Vec<u8>], &mut [Vec<u8>]) -> bool>;

/// A library that decompresses.
pub struct Inflater {
    /// Name; for Pelton with its implementation, if one was chosen, and its number of streams in a
    /// batch, if that is limited.
    pub name: String,
    /// It.
    pub decompress: Decompress,
}

/// Names of the libraries that are measured on every cell.
pub const NAMES: [&str; 6] = ["pelton", "libdeflate", "isa-l", "zlib", "zlib-ng", "zlib-rs"];

/// Returns Pelton in batches of at most `streams`, with the best implementation unless one is
/// named.
pub fn batch(streams: usize, implementation: Option<BatchIsaLevel>) -> Result<Inflater, String> {
    let mut name = NAMES[0].to_owned();
    if let Some(implementation) = implementation {
        name = format!("{name}-{}", implementation.name());
    }
    if streams != usize::MAX {
        name = format!("{name}/{streams}");
    }
    let batch = match implementation {
        Some(implementation) => BatchInflater::with(implementation)
            .ok_or_else(|| format!("this processor cannot run {}", implementation.name()))?,
        None => BatchInflater::new(),
    };
    Ok(Inflater { name, decompress: ours(batch, streams) })
}

/// Returns one of the rivals in [`NAMES`].
pub fn rival(name: &str) -> Option<Inflater> {
    let decompress = match name {
        "libdeflate" => {
            let mut inflater = libdeflate::Inflate::new();
            one_by_one(move |input, output| inflater.decompress(input, output))
        }
        "isa-l" => {
            let mut inflater = isal::Inflate::new();
            one_by_one(move |input, output| inflater.decompress(input, output))
        }
        "zlib" => {
            let mut inflater = zlib::stock::Inflate::new();
            one_by_one(move |input, output| inflater.decompress(input, output))
        }
        "zlib-ng" => {
            let mut inflater = zlib::next::Inflate::new();
            one_by_one(move |input, output| inflater.decompress(input, output))
        }
        "zlib-rs" => {
            let mut inflater = Inflate::new(false, 15);
            one_by_one(move |input, output| {
                inflater.reset(false);
                inflater.decompress(input, output, InflateFlush::Finish) == Ok(Status::StreamEnd)
                    && inflater.total_out() == output.len() as u64
            })
        }
        _ => return None,
    };
    Some(Inflater { name: name.to_owned(), decompress })
}

fn ours(mut batch: BatchInflater, streams: usize) -> Decompress {
    if streams == 1 {
        return one_by_one(move |input, output| {
            let mut stream = [Stream::new(Format::Deflate, input, output)];
            batch.inflate_batch(&mut stream);
            stream[0].result.is_ok()
        });
    }
    Box::new(move |inputs, outputs| {
        let parts = inputs.chunks(streams).zip(outputs.chunks_mut(streams));
        parts.fold(true, |right, (inputs, outputs)| {
            let pairs = inputs.iter().zip(outputs);
            let mut part: Vec<Stream<'_>> =
                pairs.map(|(input, output)| Stream::new(Format::Deflate, input, output)).collect();
            batch.inflate_batch(&mut part);
            right && part.iter().all(|stream| stream.result.is_ok())
        })
    })
}

fn one_by_one(mut decompress: impl FnMut(&[u8], &mut [u8]) -> bool + 'static) -> Decompress {
    Box::new(move |inputs, outputs| {
        inputs.iter().zip(outputs).fold(true, |right, (input, output)| decompress(input, output) && right)
    })
}
