//! Entries that are found, damaged or impossible.

use super::*;
use crate::compile::Source;

fn key(text: &str) -> Key {
    Key::new(&Source { name: "a".into(), text: text.into(), headers: vec![] }, &[], &[])
}

#[test]
fn finds_what_was_added_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let cache = KernelCache::at(Some(folder.path().join("a/b")));
    assert!(cache.find(key("1"), "so").is_none());
    let path = cache.add(key("1"), "so", b"contents").unwrap();
    assert_eq!(cache.find(key("1"), "so"), Some((path, b"contents".to_vec())));
    assert!(cache.find(key("1"), "cubin").is_none());
    assert!(cache.find(key("2"), "so").is_none());
}

#[test]
fn a_damaged_entry_is_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let cache = KernelCache::at(Some(folder.path().to_path_buf()));
    let path = cache.add(key("1"), "so", b"contents").unwrap();
    let whole = fs::read(&path).unwrap();
    for len in 0..whole.len() {
        fs::write(&path, &whole[..len]).unwrap();
        assert!(cache.find(key("1"), "so").is_none(), "cut to {len}");
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert!(cache.find(key("1"), "so").is_none(), "damaged at {at}");
    }
    cache.add(key("1"), "so", b"contents").unwrap();
    assert!(cache.find(key("1"), "so").is_some());
}

#[test]
fn a_folder_that_cannot_be_made_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let cache = KernelCache::at(Some(file));
    assert!(cache.add(key("1"), "so", b"").is_none());
    assert!(cache.find(key("1"), "so").is_none());
}
