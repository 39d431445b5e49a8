use super::super::memory::Borrowed;
use super::*;
use crate::hw::{Descriptor, Opcode};

const LEN: usize = 3 * PAGE;

/// Returns whether a fault at an address is retried, for an input and an output that begin within a
/// page.
fn check(at: impl Fn(usize, usize) -> usize) -> bool {
    let (input, mut output) = (vec![3; LEN], vec![7; LEN]);
    let addresses = (input.as_ptr().addr(), output.as_ptr().addr());
    let buffers = Borrowed { input: &input[10..], second: &[], output: &mut output };
    let mut memory = Memory { buffers, scratch: Default::default() };
    let request = Request {
        descriptor: Descriptor::new(Opcode::Decompress),
        source1: Some(Span::new(Region::Input, 0..LEN - 10)),
        destination: Some(Span::new(Region::Output, 100..LEN - 100)),
        source2: None,
    };
    let touched =
        [false, true].map(|all| touch(&mut memory, &request, at(addresses.0, addresses.1) as u64, all));
    assert_eq!(touched[0], touched[1]);
    drop(memory);
    assert!(input.iter().all(|byte| *byte == 3) && output.iter().all(|byte| *byte == 7), "bytes changed");
    touched[0]
}

#[test]
fn addresses_of_the_job_are_touched_and_no_others() {
    assert!(check(|input, _| input + 10));
    assert!(check(|input, _| input + LEN - 1));
    assert!(check(|input, _| (input + PAGE) / PAGE * PAGE));
    // The input's first page.
    assert!(check(|input, _| (input + 10) / PAGE * PAGE));
    assert!(!check(|input, _| (input + 10) / PAGE * PAGE - 1));
    assert!(check(|_, output| output + 100));
    assert!(check(|_, output| output + LEN - 101));
    assert!(!check(|_, _| 0));
    assert!(!check(|_, _| usize::MAX));
}
