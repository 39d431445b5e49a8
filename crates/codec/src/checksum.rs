use std::fmt;
use std::str::FromStr;

use crc_fast::{CrcAlgorithm, Digest};

use crate::Error;

/// A checksum of plain bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Checksum {
    /// CRC-32/ISO-HDLC: gzip, zip, Parquet's page CRC, Ethernet.
    Crc32,
    /// CRC-32C (Castagnoli), CRC-32/ISCSI: RocksDB, PostgreSQL, iSCSI, Snappy's framing.
    Crc32c,
    /// CRC-64/NVME, the CRC-64 that data at rest carries: object stores return
    /// it for every object (Amazon S3's default, `x-amz-checksum-crc64nvme`) and NVMe drives guard
    /// blocks with it. Hardware does not decide the choice, since Intel's accelerator takes the
    /// polynomial as a parameter of the descriptor.
    Crc64,
    /// Adler-32 (RFC 1950): zlib.
    Adler32,
    /// XXH64 with seed 0: Parquet's bloom filters, Zstandard's frames (which keep its low 32 bits).
    Xxh64,
}

impl Checksum {
    /// Every checksum, in the order of their definition.
    pub const ALL: [Self; 5] = [Self::Crc32, Self::Crc32c, Self::Crc64, Self::Adler32, Self::Xxh64];

    /// The name that [`Checksum::from_str`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "crc32",
            Self::Crc32c => "crc32c",
            Self::Crc64 => "crc64",
            Self::Adler32 => "adler32",
            Self::Xxh64 => "xxh64",
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Checksum {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::UnknownChecksum { name: name.into() })
    }
}

/// The checksum of `data`; 32-bit kinds are in the low half.
pub fn checksum(kind: Checksum, data: &[u8]) -> u64 {
    match kind {
        Checksum::Crc32 => crc_fast::checksum(CrcAlgorithm::Crc32IsoHdlc, data),
        Checksum::Crc32c => crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, data),
        Checksum::Crc64 => crc_fast::checksum(CrcAlgorithm::Crc64Nvme, data),
        Checksum::Adler32 => adler32(EMPTY_ADLER32, data),
        Checksum::Xxh64 => xxhash_rust::xxh64::xxh64(data, 0),
    }
}

/// Returns the checksum of bytes with the checksum `previous`, followed by `data`.
///
/// Start with `checksum(kind, b"")`. `None` for XXH64: its value is not its state. Bits of
/// `previous` above a 32-bit kind are ignored.
pub fn checksum_append(kind: Checksum, previous: u64, data: &[u8]) -> Option<u64> {
    Some(match kind {
        Checksum::Crc32 => crc_from(CrcAlgorithm::Crc32IsoHdlc, previous as u32 ^ u32::MAX, data),
        Checksum::Crc32c => crc_from(CrcAlgorithm::Crc32Iscsi, previous as u32 ^ u32::MAX, data),
        Checksum::Crc64 => crc_from(CrcAlgorithm::Crc64Nvme, previous ^ u64::MAX, data),
        Checksum::Adler32 => adler32(previous as u32, data),
        Checksum::Xxh64 => return None,
    })
}

/// Adler-32 of no bytes (RFC 1950, section 9).
const EMPTY_ADLER32: u32 = 1;

fn adler32(previous: u32, data: &[u8]) -> u64 {
    let mut adler = simd_adler32::Adler32::from_checksum(previous);
    adler.write(data);
    adler.finish().into()
}

/// Continues a CRC from its register: the value before the final inversion that all three CRCs end
/// with.
fn crc_from(algorithm: CrcAlgorithm, register: impl Into<u64>, data: &[u8]) -> u64 {
    let mut digest = Digest::new_with_init_state(algorithm, register.into());
    digest.update(data);
    digest.finalize()
}
