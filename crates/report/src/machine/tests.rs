use super::{Machine, peak_memory};

#[test]
fn linux_tells_about_the_machine() {
    let machine = Machine::here();
    assert!(machine.memory_bytes > 0 && machine.cores > 0 && machine.kernel != "unknown", "{machine:?}");
    let block = std::hint::black_box(vec![1u8; 64 << 20]);
    assert!(peak_memory().expect("counted") >= block.len() as u64);
}
