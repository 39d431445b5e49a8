use std::fs;

use bytes::Bytes;

use super::super::input::Input;
use super::{Sample, cut};

#[test]
fn pages_are_cut_to_a_size_without_loss() {
    let page = Bytes::from_iter(0..100);
    let mut blocks = Vec::new();
    cut(&page, Some(30), &mut blocks);
    assert_eq!(blocks.iter().map(Bytes::len).collect::<Vec<_>>(), [30, 30, 30, 10]);
    assert_eq!(blocks.concat(), page);
    cut(&page, None, &mut blocks);
    assert_eq!(blocks[4], page);
    cut(&Bytes::new(), None, &mut blocks);
    assert_eq!(blocks.len(), 5, "an empty page is no block");
}

#[test]
fn a_uncompressed_file_is_read_whole_or_sampled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data");
    let data: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
    fs::write(&path, &data).expect("written");
    let inputs = [Input::open(&path).expect("opened")];
    let whole = Sample::take(&inputs, usize::MAX, None).expect("taken");
    assert_eq!((whole.blocks.concat(), whole.blocks.len(), whole.cut_to), (data.clone(), 7, Some(65_536)));
    let part = Sample::take(&inputs, 40_000, Some(1000)).expect("taken");
    assert!((30_000..=50_000).contains(&part.bytes) && part.of == 400_000, "{}", part.bytes);
    let offset = |block: &Bytes| u32::from_le_bytes(block[..4].try_into().expect("four bytes")) as usize * 4;
    assert!(part.blocks.iter().all(|block| data[offset(block)..][..1000] == block[..]));
}
