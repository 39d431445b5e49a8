use super::write_tables;
use crate::Error;

/// Linux has a file that is always full; a table that is a link to it fills the disk at the first
/// byte.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_to_be_one() {
    for table in ["lineitem.parquet", "region.parquet"] {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/full", folder.path().join(table)).unwrap();
        let error = write_tables(folder.path(), 0.01, "none".parse().unwrap(), 2, &|_| {}).unwrap_err();
        assert!(matches!(error, Error::NoSpace { .. }), "{error:?}");
        assert!(error.to_string().contains(table), "{error}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap().path().join("gone");
    let error = write_tables(&folder, 0.01, "none".parse().unwrap(), 2, &|_| {}).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("gone"), "{error}");
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_in_one_thread_does_not_leave_the_others_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let _ = write_tables(folder.path(), 0.01, "none".parse().unwrap(), 4, &|progress| {
        assert!(progress.rows_done < 20_000, "stop here");
    });
}
