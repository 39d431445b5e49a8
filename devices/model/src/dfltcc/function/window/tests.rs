use super::*;

#[test]
fn contents_are_the_last_bytes_in_order() {
    let (mut block, mut history) = (ParameterBlock::default(), History::default());
    begin(&mut block);
    let mut all = Vec::new();
    for len in [0, 1, 5000, 32_767, 3, 32_768, 70_000, 1] {
        let bytes: Vec<u8> = (0..len).map(|at| (at * 7 + len) as u8).collect();
        append(&mut block, &mut history, &bytes);
        all.extend_from_slice(&bytes);
        let kept = &all[all.len().saturating_sub(MAX_HISTORY)..];
        assert!(contents(&block, &history) == kept, "after {len} bytes");
        assert_eq!(u64::from(block.check_value()), checksum(Checksum::Crc32, &all));
    }
}

#[test]
fn a_new_task_forgets() {
    let (mut block, mut history) = (ParameterBlock::default(), History::default());
    block.set_adler(true);
    block.set_new_task(true);
    append(&mut block, &mut history, b"before");
    begin(&mut block);
    assert!(contents(&block, &history).is_empty() && !block.is_new_task());
    assert_eq!(block.stored_check_value(), 1);
}
