//! Fields of the parameter block against bytes and masks worked out by hand.

use super::*;

/// Sets one field of an empty block, and returns the bytes that differ from zero.
fn bytes_of(set: impl Fn(&mut ParameterBlock)) -> Vec<(usize, u8)> {
    let mut block = ParameterBlock::default();
    set(&mut block);
    block.bytes().iter().copied().enumerate().filter(|(_, byte)| *byte != 0).collect()
}

#[test]
fn flags_are_at_their_bytes_and_masks() {
    assert_eq!(bytes_of(|block| block.set_continued(true)), [(7, 0x01)]);
    assert_eq!(bytes_of(|block| block.set_new_task(true)), [(16, 0x80)]);
    assert_eq!(bytes_of(|block| block.set_adler(true)), [(16, 0x20)]);
    assert_eq!(bytes_of(|block| block.set_dynamic(true)), [(16, 0x08)]);
    assert_eq!(bytes_of(|block| block.set_block_open(true)), [(16, 0x04)]);
    assert_eq!(bytes_of(|block| block.set_closes_block(true)), [(16, 0x02)]);
    assert_eq!(bytes_of(|block| block.set_last_block(true)), [(16, 0x01)]);
    assert_eq!(bytes_of(|block| block.set_sampled_symbols_only(true)), [(17, 0x20)]);
}

#[test]
fn numbers_are_at_their_bytes_and_masks() {
    assert_eq!(bytes_of(|block| block.set_version(0x0102)), [(0, 1), (1, 2)]);
    assert_eq!(bytes_of(|block| block.set_model_version(0xff)), [(2, 0xff)]);
    assert_eq!(bytes_of(|block| block.set_used_bits(0xff)), [(18, 0x07)]);
    assert_eq!(bytes_of(|block| block.set_ending_code(0x27)), [(19, 0x27)]);
    assert_eq!(bytes_of(|block| block.set_incomplete_status(0xff)), [(21, 0x0f)]);
    assert_eq!(bytes_of(|block| block.set_incomplete_len(0x0304)), [(22, 3), (23, 4)]);
    assert_eq!(bytes_of(|block| block.set_history_len(32_768)), [(44, 0x80)]);
    assert_eq!(bytes_of(|block| block.set_history_offset(u16::MAX)), [(46, 0x7f), (47, 0xff)]);
    assert_eq!(bytes_of(|block| block.set_end_of_block(0x7fff)), [(52, 0xff), (53, 0xfe)]);
    assert_eq!(bytes_of(|block| block.set_end_of_block_len(15)), [(54, 0xf0)]);
    assert_eq!(bytes_of(|block| block.set_table_len(2283)), [(56, 0x08), (57, 0xeb)]);
}

#[test]
fn check_values_are_stored_as_the_machine_has_them() {
    let crc = bytes_of(|block| block.set_check_value(0x0102_0304));
    assert_eq!(crc, [(48, 4), (49, 3), (50, 2), (51, 1)]);
    let mut block = ParameterBlock::default();
    block.set_adler(true);
    block.set_check_value(0x0102_0304);
    assert_eq!(block.bytes()[48..52], [1, 2, 3, 4]);
    assert_eq!((block.check_value(), block.stored_check_value()), (0x0102_0304, 0x0102_0304));
}

#[test]
fn table_and_state_are_at_their_offsets() {
    let table = bytes_of(|block| block.table_mut().fill(1));
    assert_eq!((table.len(), table[0].0), (288, 64));
    let state = bytes_of(|block| block.state_mut().fill(1));
    assert_eq!((state.len(), state[0].0), (1152, 384));
}

#[test]
fn fields_do_not_overlap() {
    let setters: [fn(&mut ParameterBlock); 20] = [
        |block| block.set_version(u16::MAX),
        |block| block.set_model_version(u8::MAX),
        |block| block.set_continued(true),
        |block| block.set_new_task(true),
        |block| block.set_adler(true),
        |block| block.set_dynamic(true),
        |block| block.set_block_open(true),
        |block| block.set_closes_block(true),
        |block| block.set_last_block(true),
        |block| block.set_sampled_symbols_only(true),
        |block| block.set_used_bits(u8::MAX),
        |block| block.set_ending_code(u8::MAX),
        |block| block.set_incomplete_status(u8::MAX),
        |block| block.set_incomplete_len(u16::MAX),
        |block| block.set_history_len(u16::MAX),
        |block| block.set_history_offset(u16::MAX),
        |block| block.set_stored_check_value(u32::MAX),
        |block| block.set_end_of_block(u16::MAX),
        |block| block.set_end_of_block_len(u8::MAX),
        |block| block.set_table_len(u16::MAX),
    ];
    let mut seen = [0_u8; PARAMETER_BLOCK_BYTES];
    for (number, set) in setters.into_iter().enumerate() {
        for (at, byte) in bytes_of(set) {
            assert_eq!(seen[at] & byte, 0, "field {number} shares byte {at}");
            seen[at] |= byte;
        }
    }
}
