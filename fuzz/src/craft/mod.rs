//! Writers of DEFLATE streams that no compressor makes: bits, codes, and streams of every kind of
//! block.

mod bits;
mod block;
mod code;
mod stops;

pub(crate) use stops::stops;

use pelton_random::Random;

use bits::Bits;
use block::Block;

/// Number of bytes that describe one block.
pub(crate) const RECIPE: usize = 4;

/// Returns the raw stream of a recipe, in which every [`RECIPE`] bytes describe a block: its kind,
/// its codes, its length, and a seed for the rest. A change to a recipe changes some blocks and
/// leaves the others.
pub(crate) fn stream(recipe: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    let mut produced = 0;
    let blocks = recipe.chunks(RECIPE).count();
    for (index, bytes) in recipe.chunks(RECIPE).enumerate() {
        let mut field = [0; RECIPE];
        field[..bytes.len()].copy_from_slice(bytes);
        let last = index + 1 == blocks;
        let block = Block { kind: field[0], codes: field[1], length: field[2], last };
        produced = block.write(&mut bits, produced, &mut Random(u64::from(u32::from_le_bytes(field))));
    }
    bits.finish()
}

#[cfg(test)]
mod tests;
