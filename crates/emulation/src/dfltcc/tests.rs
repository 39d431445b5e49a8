use std::cell::Cell;

use super::*;

/// DFLTCC of zlib-ng's registers: r2 and r3 for the target, r4 and r5 for the source, r6 for the
/// history.
const WORD: u32 = 0xb939_6024;

fn registers() -> [u64; 16] {
    let mut registers = std::array::from_fn(|number| 0x1_0000_0000 * number as u64);
    registers[0] = u64::from(CMPR) | CIRCULAR;
    registers[1] = 0x1000;
    (registers[2], registers[3]) = (0x2001, 100);
    (registers[4], registers[5]) = (0x3003, 50);
    registers[6] = 0x8000;
    registers
}

#[test]
fn operands_come_from_their_registers_and_go_back() {
    let mut found = registers();
    let seen = Cell::new(None);
    let result = execute(WORD, &mut found, &|operands| {
        let lens = (operands.target_len, operands.source_len);
        let addresses = (operands.target as usize, operands.source as usize);
        let buffers = (operands.parameter_block as usize, operands.history as usize);
        seen.set(Some((operands.function, operands.has_circular_history, addresses, lens, buffers)));
        operands.target = operands.target.wrapping_add(7);
        operands.target_len -= 7;
        operands.source = operands.source.wrapping_add(50);
        operands.source_len -= 50;
        3
    });
    assert_eq!(result, Ok(3));
    assert_eq!(seen.get(), Some((CMPR, true, (0x2001, 0x3003), (100, 50), (0x1000, 0x8000))));
    let mut expected = registers();
    (expected[2], expected[3], expected[4], expected[5]) = (0x2008, 93, 0x3035, 0);
    assert_eq!(found, expected);
}

#[test]
fn other_instructions_and_registers_are_errors() {
    let run = |word| execute(word, &mut registers(), &|_| panic!("carried out"));
    assert_eq!(run(0xb938_6024), Err(Fault::Unknown(0xb938_6024)));
    for word in [0xb939_6124, 0xb939_6034, 0xb939_6025, 0xb939_6004, 0xb939_6022, 0xb939_0024, 0xb939_5024] {
        assert!(matches!(run(word), Err(Fault::Registers { word: found, .. }) if found == word), "{word:#x}");
    }
}

#[test]
fn misaligned_operands_are_errors() {
    let run = |changed: usize, value| {
        let mut registers = registers();
        registers[changed] = value;
        execute(WORD, &mut registers, &|_| 0)
    };
    let misaligned = |operand, address, alignment| Err(Fault::Misaligned { operand, address, alignment });
    assert_eq!(run(1, 0x1004), misaligned("parameter block", 0x1004, 8));
    assert_eq!(run(6, 0x8800), misaligned("history buffer", 0x8800, 4096));
    assert_eq!(run(1, 0x1008), Ok(0));
}

/// A query has no history, so that register may hold anything.
#[test]
fn a_query_needs_no_history() {
    let mut found = registers();
    (found[0], found[6]) = (u64::from(QAF), 5);
    assert_eq!(execute(WORD, &mut found, &|operands| operands.function), Ok(QAF));
}

#[test]
fn impossible_results_are_errors() {
    let result = execute(WORD, &mut registers(), &|_| 4);
    assert_eq!(result, Err(Fault::Result("returned a condition code above 3")));
    let result = execute(WORD, &mut registers(), &|operands| {
        operands.source_len -= 1;
        0
    });
    assert_eq!(result, Err(Fault::Result("moved the end of an operand")));
}
