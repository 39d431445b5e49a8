use std::cell::Cell;

use super::*;

#[repr(align(128))]
struct Aligned(Block);

/// Copy from r3, and from r2 + r3.
const COPY_R3: u32 = COPY | 3 << 11;
const COPY_R2_R3: u32 = COPY | 2 << 16 | 3 << 11;
/// Paste to r4.
const PASTE_R4: u32 = PASTE | 4 << 11;
const WINDOW: u64 = 0x40_0400;

fn registers(block: &Aligned) -> [u64; 32] {
    let mut registers = [0x1111; 32];
    (registers[2], registers[3], registers[4]) = (0, &raw const *block as u64, WINDOW);
    registers
}

#[test]
fn a_block_is_pasted_once() {
    let block = Aligned(std::array::from_fn(|i| i as u8 ^ 0xa5));
    let mut registers = registers(&block);
    let (mut buffer, pasted) = (None, Cell::new(0));
    let run = |found: &Block, window| {
        assert_eq!((found, window as u64), (&block.0, WINDOW));
        pasted.set(pasted.get() + 1);
        pasted.get() > 1
    };
    let mut step = |word, registers: &[u64; 32]| {
        // SAFETY: the registers have the address of the block.
        unsafe { execute(word, registers, &mut buffer, &run) }
    };
    assert_eq!(step(PASTE_R4, &registers), Ok(Some(false)), "there is nothing to paste");
    assert_eq!(step(COPY_R3, &registers), Ok(None));
    assert_eq!(step(PASTE_R4, &registers), Ok(Some(false)), "the window refuses");
    assert_eq!(step(PASTE_R4, &registers), Ok(Some(false)), "the buffer is empty");
    registers[2] = 256;
    registers[3] -= 256;
    assert_eq!(step(COPY_R2_R3, &registers), Ok(None));
    assert_eq!(step(PASTE_R4, &registers), Ok(Some(true)));
    assert_eq!(pasted.get(), 2);
}

#[test]
fn other_instructions_and_misaligned_addresses_are_errors() {
    let block = Aligned([0; 128]);
    let mut registers = registers(&block);
    (registers[3], registers[4]) = (registers[3] + 64, WINDOW + 1);
    let step = |word| {
        // SAFETY: the address of the copy is misaligned, so that nothing is read.
        unsafe { execute(word, &registers, &mut None, &|_, _| true) }
    };
    let misaligned = |operand, address| Err(Fault::Misaligned { operand, address, alignment: 128 });
    assert_eq!(step(COPY_R3), misaligned("block that is copied", registers[3]));
    assert_eq!(step(PASTE_R4), misaligned("target of paste.", WINDOW + 1));
    // Without L, without the record bit, and another opcode.
    for word in [COPY_R3 & !(1 << 21), PASTE_R4 & !1, 0x7c00_00a6] {
        assert_eq!(step(word), Err(Fault::Unknown(word)));
    }
}
