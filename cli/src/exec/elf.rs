//! Headers of an ELF file as far as they concern its loading ("Tool Interface Standard: Executable
//! and Linking Format", version 1.2, and its extension to 64 bits).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// First bytes of an ELF file.
pub const MAGIC: &[u8] = b"\x7fELF";
/// The program header that names the loader, PT_INTERP.
const LOADER: u32 = 3;
/// Program headers beyond this many are not looked at; real files have a dozen.
const MAX_HEADERS: u64 = 256;
/// Bytes of the longest path.
const LONGEST_PATH: usize = 4096;

/// Facts about a file that decide on preloading.
#[derive(Debug, PartialEq, Eq)]
pub struct Elf {
    /// Class, byte order and processor: files that are loaded together have the same.
    pub machine: [u8; 4],
    /// The loader that the file asks for. A program without one is static.
    pub loader: Option<String>,
}

impl Elf {
    /// Reads the headers.
    ///
    /// # Errors
    /// The file can't be read, or is shorter than its headers say.
    pub fn read(file: &File) -> io::Result<Self> {
        let mut head = [0; 64];
        let len = file.read_at(&mut head, 0)?;
        if len < 52 || !head.starts_with(MAGIC) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let number = Numbers { wide: head[4] == 2, big: head[5] == 2 };
        // Offsets of fields, in files of 32 and of 64 bits.
        let pick = |narrow, wide| if number.wide { wide } else { narrow };
        let table = number.word(&head, pick(28, 32));
        let (size, count) = (number.half(&head, pick(42, 54)), number.half(&head, pick(44, 56)));
        let mut loader = None;
        for index in 0..count.min(MAX_HEADERS) {
            let mut header = [0; 56];
            let header = &mut header[..pick(32, 56)];
            let at = table.checked_add(index * size).ok_or(io::ErrorKind::InvalidData)?;
            file.read_exact_at(header, at)?;
            if number.int(header, 0) == LOADER {
                let (at, len) = (number.word(header, pick(4, 8)), number.word(header, pick(16, 32)));
                let mut path = vec![0; usize::try_from(len).unwrap_or(LONGEST_PATH).min(LONGEST_PATH)];
                file.read_exact_at(&mut path, at)?;
                path.truncate(path.iter().position(|&byte| byte == 0).unwrap_or(path.len()));
                loader = Some(String::from_utf8_lossy(&path).into_owned());
            }
        }
        Ok(Self { machine: [head[4], head[5], head[18], head[19]], loader })
    }
}

/// Width and byte order of a file's numbers.
struct Numbers {
    wide: bool,
    big: bool,
}

impl Numbers {
    /// Returns the number of `len` bytes at `at`.
    fn read(&self, bytes: &[u8], at: usize, len: usize) -> u64 {
        let push = |number: u64, &byte: &u8| (number << 8) | u64::from(byte);
        let bytes = &bytes[at..at + len];
        if self.big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
    }

    fn half(&self, bytes: &[u8], at: usize) -> u64 {
        self.read(bytes, at, 2)
    }

    fn int(&self, bytes: &[u8], at: usize) -> u32 {
        self.read(bytes, at, 4) as u32
    }

    fn word(&self, bytes: &[u8], at: usize) -> u64 {
        self.read(bytes, at, if self.wide { 8 } else { 4 })
    }
}
