//! Algorithm of IBM's compression accelerator (NXU, POWER9 and z15), with cycle counts.
//!
//! Abali and others, "Data Compression Accelerator on IBM POWER9 and z15 Processors" (ISCA 2020),
//! describe the engine; comments name its sections. Choices that the paper leaves open are
//! constants with a reason, in the module that has them.
//!
//! [`lz77`] finds matches, in a near and a far history; [`table`] makes code tables of
//! [`symbols`]' counts; [`encode`] writes blocks; [`compress`] runs these in the paper's modes, and
//! [`decompress`] is the way back. Nothing here has addresses: request blocks and parameter blocks
//! are the models' of the devices.
#![forbid(unsafe_code)]

pub mod bits;
pub mod compress;
pub mod config;
pub mod decompress;
pub mod encode;
mod huffman;
pub mod lz77;
pub mod symbols;
pub mod table;

pub use bits::{BitReader, BitWriter};
pub use compress::{Compressed, Mode, compress};
pub use config::{Config, OnConflict, Ports, Setup, Setups};
pub use decompress::{Block, Decompressed, Ended, Fault, Position, decompress};
pub use lz77::{Cycles, Lz77, Matcher};
pub use symbols::{Counts, Symbol};
pub use table::{Generated, Table, TableError};
