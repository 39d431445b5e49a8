use std::io::Write;

use super::*;

fn put(folder: &AtomicFolder, path: &str, text: &str) {
    let mut file = folder.file(Path::new(path)).expect("a new file");
    file.write_all(text.as_bytes()).expect("written");
    file.sync_all().expect("synced");
}

/// Returns the files below a folder, with their text.
fn files(folder: &Path) -> Vec<(String, String)> {
    fn read(folder: &Path, root: &Path, all: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                read(&path, root, all);
            } else {
                let name = path.strip_prefix(root).expect("below").display().to_string();
                all.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    let mut all = Vec::new();
    read(folder, folder, &mut all);
    all.sort();
    all
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_folder_appears_when_it_is_committed() {
    let scratch = tempfile::tempdir().expect("a folder");
    let name = scratch.path().join("out");
    let folder = AtomicFolder::create(&name, Existing::Refuse).expect("created");
    put(&folder, "a=1/data_0.csv", "x");
    assert!(!name.exists());
    folder.commit(&AtomicBool::new(false)).expect("committed");
    assert_eq!(files(scratch.path()), pairs(&[("out/a=1/data_0.csv", "x")]));
}

#[test]
fn a_dropped_folder_leaves_nothing() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = AtomicFolder::create(&scratch.path().join("out"), Existing::Refuse).expect("created");
    put(&folder, "a=1/data_0.csv", "x");
    drop(folder);
    assert_eq!(fs::read_dir(scratch.path()).expect("a folder").count(), 0);
}

#[test]
fn existing_files_are_refused_replaced_or_kept() {
    let scratch = tempfile::tempdir().expect("a folder");
    let name = scratch.path().join("out");
    let old = AtomicFolder::create(&name, Existing::Refuse).expect("created");
    put(&old, "a=1/data_0.csv", "old");
    old.commit(&AtomicBool::new(false)).expect("committed");
    let refused = AtomicFolder::create(&name, Existing::Refuse).expect_err("not empty");
    assert!(refused.to_string().contains("add OVERWRITE"), "{refused}");

    let more = AtomicFolder::create(&name, Existing::Extend).expect("created");
    put(&more, "a=1/data_1.csv", "more");
    put(&more, "a=2/data_1.csv", "more");
    more.commit(&AtomicBool::new(false)).expect("committed");
    let all = [("a=1/data_0.csv", "old"), ("a=1/data_1.csv", "more"), ("a=2/data_1.csv", "more")];
    assert_eq!(files(&name), pairs(&all));

    let new = AtomicFolder::create(&name, Existing::Replace).expect("created");
    put(&new, "a=3/data_0.csv", "new");
    assert_eq!(files(&name), pairs(&all));
    new.commit(&AtomicBool::new(false)).expect("committed");
    assert_eq!(files(&name), pairs(&[("a=3/data_0.csv", "new")]));
    assert_eq!(fs::read_dir(scratch.path()).expect("a folder").count(), 1);
}

#[test]
fn a_folder_with_files_of_others_is_not_replaced() {
    let scratch = tempfile::tempdir().expect("a folder");
    let name = scratch.path().join("out");
    for other in ["notes.txt", "sub/x.parquet", "_delta_log/0.json", "a=1/x.py"] {
        fs::create_dir_all(name.join(other).parent().expect("a folder")).expect("made");
        fs::write(name.join(other), "x").expect("written");
        let error = AtomicFolder::create(&name, Existing::Replace).expect_err(other).to_string();
        assert!(error.contains("this one holds"), "{error}");
        fs::remove_dir_all(&name).expect("removed");
    }
    for data in ["x.parquet", "a=1/x.csv.gz", "a=1/b=2/x.json", "_SUCCESS"] {
        fs::create_dir_all(name.join(data).parent().expect("a folder")).expect("made");
        fs::write(name.join(data), "x").expect("written");
    }
    let folder = AtomicFolder::create(&name, Existing::Replace).expect("data alone");
    // a file that comes meanwhile is found before the exchange
    fs::write(name.join("late.txt"), "x").expect("written");
    folder.commit(&AtomicBool::new(false)).expect_err("a foreign file");
    assert!(name.join("late.txt").exists());
}

/// The commit of many files writes them to disk itself.
#[test]
fn many_files_appear_too() {
    let scratch = tempfile::tempdir().expect("a folder");
    let name = scratch.path().join("out");
    let folder = AtomicFolder::create(&name, Existing::Refuse).expect("created");
    for number in 0..=SYNCED_FILES {
        assert!(!folder.syncs_files());
        let file = folder.file(Path::new(&format!("data_{number}.csv"))).expect("a new file");
        drop(file);
    }
    assert_eq!(folder.syncs_files(), cfg!(target_os = "linux"));
    folder.commit(&AtomicBool::new(false)).expect("committed");
    assert_eq!(files(&name).len(), SYNCED_FILES + 1);
}

#[test]
fn a_commit_that_is_stopped_leaves_nothing() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = AtomicFolder::create(&scratch.path().join("out"), Existing::Refuse).expect("created");
    put(&folder, "a=1/data_0.csv", "x");
    folder.commit(&AtomicBool::new(true)).expect_err("it was stopped");
    assert_eq!(files(scratch.path()), pairs(&[]));
}

#[test]
fn files_that_others_add_meanwhile_stay() {
    let scratch = tempfile::tempdir().expect("a folder");
    let name = scratch.path().join("out");
    fs::create_dir(&name).expect("made");
    let folder = AtomicFolder::create(&name, Existing::Extend).expect("created");
    put(&folder, "data_1.csv", "ours");
    fs::write(name.join("data_0.csv"), "theirs").expect("written");
    folder.commit(&AtomicBool::new(false)).expect("committed");
    assert_eq!(files(&name), pairs(&[("data_0.csv", "theirs"), ("data_1.csv", "ours")]));
}

#[test]
fn hidden_folders_of_ended_processes_are_swept() {
    let scratch = tempfile::tempdir().expect("a folder");
    let stale = scratch.path().join(".pelton-0123456789abcdef.partial");
    fs::create_dir_all(stale.join("a=1")).expect("made");
    fs::write(stale.join("a=1/data_0.csv"), "x").expect("written");
    let folder = AtomicFolder::create(&scratch.path().join("out"), Existing::Refuse).expect("created");
    assert!(!stale.exists());
    sweep::remove_stale(scratch.path());
    put(&folder, "data_0.csv", "x");
    folder.commit(&AtomicBool::new(false)).expect("committed");
    assert_eq!(files(scratch.path()), pairs(&[("out/data_0.csv", "x")]));
}

#[test]
#[cfg(target_os = "linux")]
fn a_mount_point_is_told_before_files_are_written() {
    let error = AtomicFolder::create(Path::new("/proc"), Existing::Extend).expect_err("it is mounted");
    assert!(error.to_string().contains("mount point"), "{error}");
    // a folder of the same device, which the system refuses at the end
    assert!(mounted(ErrorKind::ResourceBusy.into()).to_string().contains("name a folder in it"));
    assert_eq!(mounted(ErrorKind::StorageFull.into()).kind(), ErrorKind::StorageFull);
}
