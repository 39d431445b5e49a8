//! The search for the library.

use super::*;

#[test]
fn the_place_of_python_packages() {
    let folder = tempfile::tempdir().unwrap();
    let lib = folder.path().join("lib/python3.99/site-packages/nvidia/cu13/lib");
    std::fs::create_dir_all(&lib).unwrap();
    std::fs::write(lib.join("libnvrtc.so.13"), b"").unwrap();
    let found: Vec<_> = packages(folder.path()).iter().flat_map(|folder| in_folder(folder)).collect();
    assert_eq!(found, [lib.join("libnvrtc.so.13")]);
    assert!(packages(Path::new("/absent")).is_empty());
}
