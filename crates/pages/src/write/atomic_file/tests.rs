use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::hidden::is_hidden_name;
use super::{AtomicFile, is_stream, sweep};

/// Values of `create_as`'s flag for unnamed files.
const WAYS: [bool; 2] = [true, false];

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns the names of a folder's files, with `hidden` in place of hidden names.
fn listed(folder: &Path) -> Vec<String> {
    let name = |name: String| if is_hidden_name(&name) { "hidden".to_owned() } else { name };
    files(folder).into_iter().map(name).collect()
}

#[test]
fn a_file_has_its_name_only_once_it_is_whole() {
    for unnamed in WAYS {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().join("result.csv");
        for (before, bytes) in [(vec![], b"one"), (vec!["result.csv"], b"two")] {
            let mut file = AtomicFile::create_as(&name, unnamed).expect("created");
            file.write_all(bytes).expect("written");
            let hidden = (file.hidden.is_some()).then_some("hidden");
            let expected: Vec<_> = hidden.into_iter().chain(before).collect();
            assert_eq!(listed(folder.path()), expected);
            assert!(cfg!(not(target_os = "linux")) || file.hidden.is_none() == unnamed);
            file.commit().expect("committed");
            assert_eq!(fs::read(&name).expect("there"), bytes);
            assert_eq!(files(folder.path()), ["result.csv"]);
        }
    }
}

#[test]
fn a_file_that_is_given_up_leaves_nothing_and_keeps_what_was_there() {
    for unnamed in WAYS {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().join("result.csv");
        fs::write(&name, "old").expect("written");
        let mut file = AtomicFile::create_as(&name, unnamed).expect("created");
        file.write_all(b"new").expect("written");
        let is_noted = || super::hidden::unfinished().iter().any(|path| path.starts_with(folder.path()));
        assert_eq!(is_noted(), file.hidden.is_some());
        drop(file);
        assert!(!is_noted());
        assert_eq!(fs::read(&name).expect("there"), b"old");
        assert_eq!(files(folder.path()), ["result.csv"]);
    }
}

#[test]
fn a_name_that_becomes_a_folder_meanwhile_is_an_error_and_nothing_stays() {
    for unnamed in WAYS {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().join("result.csv");
        let file = AtomicFile::create_as(&name, unnamed).expect("created");
        fs::create_dir(&name).expect("a folder");
        file.commit().expect_err("the name is a folder's");
        assert_eq!(files(folder.path()), ["result.csv"]);
    }
}

const LEFT: &str = ".pelton-0123456789abcdef.partial";

#[test]
fn hidden_files_are_swept_if_no_process_has_them_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let others = [".pelton-abc.partial", ".pelton-0123456789abcdeg.partial", "x.parquet"];
    others.iter().for_each(|name| fs::write(path(name), "another's").expect("written"));
    let in_use = AtomicFile::create_as(&path("x.parquet"), false).expect("created");
    fs::write(path(LEFT), "whole").expect("written");
    sweep::remove_stale(folder.path());
    assert!(!path(LEFT).exists());
    assert_eq!(listed(folder.path()).len(), others.len() + 1);
    in_use.commit().expect("its name is still there");
    assert_eq!(files(folder.path()).len(), others.len());

    fs::create_dir(path(LEFT)).expect("a folder");
    fs::write(path(LEFT).join("data_0.csv"), "half").expect("written");
    sweep::remove_stale(folder.path());
    assert!(!path(LEFT).exists());
}

#[test]
fn the_next_write_to_a_folder_sweeps_it() {
    for name in ["same.csv", "other.csv"] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(LEFT), "whole").expect("written");
        fs::write(folder.path().join("same.csv"), "old").expect("written");
        let file = AtomicFile::create(&folder.path().join(name)).expect("created");
        assert!(!folder.path().join(LEFT).exists());
        drop(file);
    }
}

/// After a search of a large folder, the next files are written without another one.
#[test]
fn a_large_folder_is_not_looked_through_for_each_of_many_files() {
    let folder = tempfile::tempdir().expect("a folder");
    (0..2000).for_each(|number| {
        File::create(folder.path().join(number.to_string())).expect("created");
    });
    let searches = (0..100).filter(|_| sweep::sweep(folder.path())).count();
    assert!((1..50).contains(&searches), "{searches}");
}

#[cfg(target_os = "linux")]
#[test]
fn descriptors_and_devices_are_streams() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/dev/stdout", &link).expect("linked");
    let streams = ["/dev/null", "/dev/full", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1"];
    for stream in streams.iter().map(Path::new).chain([&*pipe, &*link]) {
        assert!(is_stream(stream), "{}", stream.display());
        let error = AtomicFile::create(stream).expect_err("a stream").to_string();
        assert_eq!(error, "a device or pipe is no place for a file");
    }
    for file in [folder.path(), &folder.path().join("new"), Path::new("/dev/new"), Path::new("new")] {
        assert!(!is_stream(file), "{}", file.display());
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_replaced() {
    for unnamed in WAYS {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().join("link");
        std::os::unix::fs::symlink("nothing", &name).expect("linked");
        AtomicFile::create_as(&name, unnamed).and_then(AtomicFile::commit).expect("written");
        assert!(fs::symlink_metadata(&name).expect("there").is_file());
    }
}

#[test]
fn a_folder_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = AtomicFile::create(folder.path()).expect_err("a folder").to_string();
    assert_eq!(error, "it is a folder");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let error = AtomicFile::create(&missing.join("name")).expect_err("no folder").to_string();
    assert_eq!(error, format!("there is no folder {}; make it first", missing.display()));
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "old").expect("written");
    let error = AtomicFile::create(&file.join("name")).expect_err("no folder").to_string();
    assert_eq!(error, format!("{} is no folder", file.display()));
}

#[cfg(target_os = "linux")]
#[test]
fn other_reasons_are_the_systems() {
    let error = AtomicFile::create("/proc/name".as_ref()).expect_err("no place for files").to_string();
    assert_eq!(error, "No such file or directory (os error 2)");
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    for (unnamed, mode) in WAYS.into_iter().flat_map(|way| [0o640, 0o666, 0o400].map(|mode| (way, mode))) {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").expect("written");
        fs::set_permissions(&target, fs::Permissions::from_mode(mode)).expect("set");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        let mut file = AtomicFile::create_as(&link, unnamed).expect("created");
        file.write_all(b"new").expect("written");
        file.commit().expect("committed");
        assert_eq!(fs::read(&target).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, mode);
    }
}

/// New files have the permissions of the process's mask, not the private ones of temporary files.
#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_new_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode();
    let usual = folder.path().join("usual");
    File::create(&usual).expect("created");
    for unnamed in WAYS {
        let name = folder.path().join(format!("new {unnamed}"));
        AtomicFile::create_as(&name, unnamed).and_then(AtomicFile::commit).expect("written");
        assert_eq!(mode(&name), mode(&usual));
    }
}
