use pelton_tests::child;

use super::*;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fn reserve(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// In a process of its own: the limit is for all threads, and other tests have theirs.
#[test]
fn in_child_allocations_beyond_the_limit_fail() {
    let Some(bytes) = child::argument() else { return };
    let bytes: usize = bytes.parse().expect("a number");
    assert!(reserve(4 << 20));
    limited(1 << 20, || {
        assert!(reserve(1 << 19) && !reserve(2 << 20));
        let thread = std::thread::spawn(|| reserve(2 << 20));
        assert!(!thread.join().expect("a thread"));
        let mut grows = vec![0u8; 1 << 19];
        assert!(grows.try_reserve_exact(1 << 20).is_err());
        drop(vec![0u8; bytes]);
    });
    assert!(std::panic::catch_unwind(|| limited(1 << 20, || panic!("as a target does"))).is_err());
    assert!(reserve(4 << 20));
    child::report();
}

#[test]
fn a_program_that_takes_too_much_ends() {
    let run = |bytes| child::run("allocator::tests::in_child_allocations_beyond_the_limit_fail", bytes);
    assert!(run("1000").well);
    let ended = run("3000000");
    assert!(!ended.well && ended.output.contains("memory allocation of 3000000 bytes failed"), "{ended:?}");
}
