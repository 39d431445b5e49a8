use std::os::unix::fs::symlink;

use super::*;

/// Returns a folder with two files, and links to a file, to a folder, to the folder itself, and to
/// one that it is in.
fn linked() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    fs::create_dir_all(path("a/b")).expect("folders");
    for name in ["a/f.csv", "a/b/p.parquet"] {
        fs::write(path(name), "x").expect("a file");
    }
    for (target, name) in
        [("..", "a/b/up"), (".", "self"), ("a", "link"), ("a/b/p.parquet", "l.parquet"), ("-", "-")]
    {
        symlink(target, path(name)).expect("a link");
    }
    dir
}

fn sorted(folders: &Folders, dir: &Path) -> Vec<String> {
    let files = folders.files(dir).expect("files");
    let mut files: Vec<String> = files.into_iter().map(|(name, _)| name).collect();
    files.sort();
    files
}

#[test]
fn links_to_folders_above_are_passed_over_and_others_followed() {
    let dir = linked();
    let all = ["a/b/p.parquet", "a/f.csv", "l.parquet", "link/b/p.parquet", "link/f.csv"];
    assert_eq!(sorted(&Folders::Visible, dir.path()), all);
}

#[test]
fn patterns_follow_links_up_to_their_double_star() {
    let dir = linked();
    for (pattern, expected) in [
        ("**", &["a/b/p.parquet", "a/f.csv", "l.parquet"][..]),
        ("**/*.parquet", &["a/b/p.parquet", "a/f.csv", "l.parquet"]),
        ("*/b/*.parquet", &["a/b/p.parquet", "a/f.csv", "l.parquet", "link/b/p.parquet", "link/f.csv"]),
        ("li*/**", &["l.parquet", "link/b/p.parquet", "link/f.csv"]),
        ("*", &["l.parquet"]),
    ] {
        let folders = Folders::matching(&Pattern::new(pattern).expect("a pattern"));
        // the files themselves are matched by the caller
        assert_eq!(sorted(&folders, dir.path()), expected, "{pattern}");
    }
}

#[test]
fn folders_that_link_to_each_other_end() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, other) in [("a", "b"), ("b", "a")] {
        fs::create_dir(dir.path().join(name)).expect("a folder");
        fs::write(dir.path().join(name).join("f"), "x").expect("a file");
        symlink(format!("../{other}"), dir.path().join(name).join(other)).expect("a link");
    }
    assert_eq!(sorted(&Folders::Visible, dir.path()), ["a/b/f", "a/f", "b/a/f", "b/f"]);
}

#[test]
fn names_that_are_no_utf_8_are_errors_where_they_count() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join(OsStr::from_bytes(b"a\xff.csv")), "x").expect("a file");
    assert_eq!(sorted(&Folders::Visible, dir.path()), Vec::<String>::new());
    let matching = |pattern: &str| Folders::matching(&Pattern::new(pattern).expect("a pattern"));
    assert_eq!(sorted(&matching("*.parquet"), dir.path()), Vec::<String>::new());
    let error = matching("*.csv").files(dir.path()).expect_err("it is no UTF-8").to_string();
    assert!(error.contains("no UTF-8"), "{error}");
}
