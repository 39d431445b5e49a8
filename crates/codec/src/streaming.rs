//! Decompression of whole files in pieces: the members of gzip, or the frames of Zstandard.

use zstd_safe::{DCtx, InBuffer, OutBuffer};

use crate::{
    Checksum, Container, Error, Format, Progress, STREAM_WINDOW, StreamInflater, StreamState, StreamStop,
    checksum_append,
};

/// Maximum distance of DEFLATE's matches.
const REACH: usize = 32 << 10;

/// Maximum bytes of a gzip member's header, with its name and comment.
const MAX_HEADER: usize = 1 << 20;

/// Decompresses a file that comes in pieces of any size, to output of any size.
///
/// For gzip its state is 80 KB. For Zstandard it holds the frame's window, which it refuses above
/// 128 MB, and of which only written pages take memory.
pub struct StreamDecoder(Kind);

enum Kind {
    Gzip(Box<Members>),
    Zstd(Frames),
}

impl StreamDecoder {
    /// Returns a decoder; `None` if files of the format have no stream form here.
    ///
    /// # Errors
    /// There is no memory for its state.
    pub fn new(format: Format) -> Result<Option<Self>, Error> {
        Ok(match format {
            Format::Gzip => Some(Self(Kind::Gzip(Box::new(Members::new())))),
            Format::Zstd => {
                let context = DCtx::try_create().ok_or(Error::OutOfMemory { format })?;
                Some(Self(Kind::Zstd(Frames { context, is_between: false })))
            }
            _ => None,
        })
    }

    /// Decodes as much of `input` as fits `output`. Call it again with the rest of the input, or
    /// with no input while the output was filled.
    ///
    /// # Errors
    /// The input is damaged.
    pub fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        match &mut self.0 {
            Kind::Gzip(members) => members.decode(input, output),
            Kind::Zstd(frames) => frames.decode(input, output),
        }
    }

    /// Checks that the file may end here.
    ///
    /// # Errors
    /// It ends within a member or a frame, or before the first.
    pub fn finish(&self) -> Result<(), Error> {
        let (format, is_between) = match &self.0 {
            Kind::Gzip(members) => (Format::Gzip, members.section == Section::Between),
            Kind::Zstd(frames) => (Format::Zstd, frames.is_between),
        };
        if is_between { Ok(()) } else { Err(Error::Truncated { format }) }
    }
}

/// The next part of a gzip file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Header,
    Blocks,
    Checksum,
    Length,
    /// The end, or another member.
    Between,
}

/// The members of a gzip file.
struct Members {
    section: Section,
    /// The part of a header that has come.
    header: Vec<u8>,
    inflater: StreamInflater,
    window: Box<[u8; STREAM_WINDOW]>,
    checksum: u64,
    produced: u32,
}

impl Members {
    fn new() -> Self {
        Self {
            section: Section::Header,
            header: Vec::new(),
            inflater: StreamInflater::new(REACH),
            window: Box::new([0; STREAM_WINDOW]),
            checksum: 0,
            produced: 0,
        }
    }

    fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let mut done = Progress::default();
        loop {
            let rest = &input[done.consumed..];
            let before = (done, self.section);
            match self.section {
                Section::Between => match rest.first() {
                    // files of tapes and disks are padded with zeros
                    Some(0) => done.consumed += 1,
                    Some(_) => {
                        self.inflater.restart(REACH, false);
                        (self.section, self.checksum, self.produced) = (Section::Header, 0, 0);
                    }
                    None => return Ok(done),
                },
                Section::Header => done.consumed += self.read_header(rest)?,
                Section::Blocks => {
                    let room = &mut output[done.produced..];
                    let (part, state) =
                        self.inflater.inflate(&mut self.window, rest, room, StreamStop::Never);
                    let written = &room[..part.produced];
                    let sum = checksum_append(Checksum::Crc32, self.checksum, written);
                    self.checksum = sum.unwrap_or(self.checksum);
                    self.produced = self.produced.wrapping_add(part.produced as u32);
                    done.consumed += part.consumed;
                    done.produced += part.produced;
                    match state {
                        StreamState::Ended => self.section = Section::Checksum,
                        StreamState::Bad(fault) => {
                            return Err(corrupt(fault.message().to_str().unwrap_or("bad blocks")));
                        }
                        _ => {}
                    }
                }
                Section::Checksum | Section::Length => {
                    let (read, word) = self.inflater.word(rest);
                    done.consumed += read;
                    let Some(word) = word else { return Ok(done) };
                    self.inflater.drop_bits();
                    self.section = match self.section {
                        Section::Checksum if word != self.checksum as u32 => {
                            return Err(corrupt("the CRC-32 does not match the data"));
                        }
                        Section::Checksum => Section::Length,
                        _ if word != self.produced => {
                            return Err(corrupt(
                                "the length at the end of the member does not match the data",
                            ));
                        }
                        _ => Section::Between,
                    };
                }
            }
            if (done, self.section) == before {
                return Ok(done);
            }
        }
    }

    /// Reads a member's header, or the part of it that is there. Returns the bytes read.
    fn read_header(&mut self, input: &[u8]) -> Result<usize, Error> {
        let had = self.header.len();
        self.header.extend_from_slice(&input[..input.len().min(MAX_HEADER)]);
        // libraries agree on one container for this format
        let Some(container) = Container::of(Format::Gzip) else { return Err(corrupt("no container")) };
        match container.header_len(&self.header) {
            Ok(length) => {
                self.header.clear();
                self.section = Section::Blocks;
                Ok(length - had)
            }
            Err(Error::Truncated { .. }) if self.header.len() < MAX_HEADER => Ok(self.header.len() - had),
            Err(Error::Truncated { .. }) => Err(corrupt("the header has no end")),
            Err(other) => Err(other),
        }
    }
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { format: Format::Gzip, what }
}

/// The frames of a Zstandard file.
struct Frames {
    context: DCtx<'static>,
    /// A frame has ended and no byte of another has come.
    is_between: bool,
}

impl Frames {
    fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let mut done = Progress::default();
        loop {
            let (mut from, mut to) =
                (InBuffer::around(&input[done.consumed..]), OutBuffer::around(&mut output[done.produced..]));
            let hint = self.context.decompress_stream(&mut to, &mut from).map_err(|code| Error::Corrupt {
                format: Format::Zstd,
                what: zstd_safe::get_error_name(code),
            })?;
            let (read, written) = (from.pos(), to.pos());
            done.consumed += read;
            done.produced += written;
            if read > 0 || written > 0 {
                self.is_between = hint == 0;
            }
            let is_filled = done.produced == output.len();
            if is_filled || done.consumed == input.len() || (read == 0 && written == 0) {
                return Ok(done);
            }
        }
    }
}

#[cfg(test)]
mod tests;
