use std::fs;

use super::*;

fn file_of(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    fs::write(&path, bytes).expect("a file");
    (folder, path)
}

fn tag_of(path: &FilePath) -> String {
    tag(&fs::metadata(path).expect("attributes")).expect("a tag")
}

#[test]
fn ranges_are_read_with_and_without_a_blocking_thread() {
    let bytes: Vec<u8> = (0..3 << 20).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let (_folder, path) = file_of(&bytes);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (start, length) in [(0, 1), (5, 100_000), (1 << 20, MOST_AT_ONCE), (7, 2 << 20), (bytes.len() - 3, 3)]
    {
        let read = || async {
            let file = open(&path, None).expect("an open file").expect("the same file");
            read(file, start as u64, InputBuffer::fresh(length)).await
        };
        let expected = &bytes[start..start + length];
        assert_eq!(&futures::executor::block_on(read()).expect("bytes")[..], expected);
        assert_eq!(&runtime.block_on(read()).expect("bytes")[..], expected);
    }
}

#[test]
fn a_range_behind_the_end_is_an_error() {
    let (_folder, path) = file_of(b"short");
    for start in [3, 5, 50] {
        let file = open(&path, None).expect("an open file").expect("the same file");
        let read = futures::executor::block_on(read(file, start, InputBuffer::fresh(10)));
        assert_eq!(read.expect_err("no bytes").kind(), io::ErrorKind::UnexpectedEof);
    }
}

#[test]
fn another_version_is_told_by_its_tag() {
    let (_folder, path) = file_of(b"first");
    let known = tag_of(&path);
    assert!(open(&path, Some(&known)).expect("an open file").is_some());
    assert!(!has_changed(&path, Some(&known)));
    fs::write(path.with_extension("new"), b"second").expect("a file");
    fs::rename(path.with_extension("new"), &path).expect("a replaced file");
    assert!(open(&path, Some(&known)).expect("an open file").is_none());
    assert!(has_changed(&path, Some(&known)));
    assert!(!has_changed(&path, None));
    fs::remove_file(&path).expect("no file");
    assert!(!has_changed(&path, Some(&known)));
    assert_eq!(open(&path, Some(&known)).expect_err("no file").kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_pipe_or_folder_in_place_of_a_file_is_no_file() {
    let (_folder, path) = file_of(b"bytes");
    let known = tag_of(&path);
    fs::remove_file(&path).expect("no file");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .expect("a pipe");
    assert_eq!(open(&path, Some(&known)).expect_err("no file").kind(), io::ErrorKind::NotFound);
    fs::remove_file(&path).expect("no pipe");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(open(&path, None).expect_err("no file").kind(), io::ErrorKind::NotFound);
}

#[tokio::test]
async fn tags_are_those_of_object_store() {
    use object_store::ObjectStoreExt;
    let (_folder, path) = file_of(b"bytes");
    let location = Path::from_absolute_path(&path).expect("a path");
    let head = object_store::local::LocalFileSystem::new().head(&location).await.expect("attributes");
    let own = attributes(location, &fs::metadata(&path).expect("attributes")).expect("attributes");
    assert_eq!((own.e_tag, own.size, own.last_modified), (head.e_tag, head.size, head.last_modified));
}
