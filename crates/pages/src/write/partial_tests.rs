use std::fs;
use std::io::Write;

use super::PartialFile;

fn files(folder: &std::path::Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

#[test]
fn a_file_has_its_name_only_once_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = folder.path().join("result.csv");
    let mut file = PartialFile::create(&name).expect("created");
    file.write_all(b"half").expect("written");
    assert!(!name.exists() && files(folder.path()) == 1);
    file.commit().expect("committed");
    assert_eq!(fs::read(&name).expect("there"), b"half");
    assert_eq!(files(folder.path()), 1);
}

#[test]
fn a_file_that_is_given_up_leaves_nothing_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = folder.path().join("result.csv");
    fs::write(&name, "old").expect("written");
    let mut file = PartialFile::create(&name).expect("created");
    file.write_all(b"new").expect("written");
    assert!(super::unfinished().iter().any(|path| path.starts_with(folder.path())));
    drop(file);
    assert!(!super::unfinished().iter().any(|path| path.starts_with(folder.path())));
    assert_eq!(fs::read(&name).expect("there"), b"old");
    assert_eq!(files(folder.path()), 1);
}

#[test]
fn a_folder_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = PartialFile::create(folder.path()).expect_err("a folder").to_string();
    assert_eq!(error, "it is a folder");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let error = PartialFile::create(&missing.join("name")).expect_err("no folder").to_string();
    assert_eq!(error, format!("there is no folder {}; make it first", missing.display()));
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "old").expect("written");
    let error = PartialFile::create(&file.join("name")).expect_err("no folder").to_string();
    assert_eq!(error, format!("{} is no folder", file.display()));
}

#[cfg(target_os = "linux")]
#[test]
fn other_reasons_are_the_systems() {
    let error = PartialFile::create("/proc/name".as_ref()).expect_err("no place for files").to_string();
    assert_eq!(error, "No such file or directory (os error 2)");
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, "old").expect("written");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink(&target, &link).expect("linked");
    let mut file = PartialFile::create(&link).expect("created");
    file.write_all(b"new").expect("written");
    file.commit().expect("committed");
    assert_eq!(fs::read(&target).expect("there"), b"new");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o640);
}
