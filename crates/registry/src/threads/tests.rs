use super::*;

#[test]
fn threads_are_had_or_refused() {
    let runtime = runtime(2, "test", 1 << 20).expect("threads");
    assert_eq!(runtime.block_on(async { 1 }), 1);
    // More than an address space has.
    assert!(super::runtime(1, "test", 1 << 60).is_err());
}
