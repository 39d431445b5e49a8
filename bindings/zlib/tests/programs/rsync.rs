//! rsync with compression: whole files, and changes to existing files.

use std::fs;

use crate::data::{Random, mixed, text};
use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, PAIRS, Zlib, common, installed};

/// A shell in place of a remote one: it starts the receiver here, on the zlib that it should use.
fn shell(folder: &Folder, receiver: Zlib) -> String {
    let preload = match receiver {
        Zlib::Ours => format!("LD_PRELOAD={}", common::ours().display()),
        Zlib::System => String::new(),
    };
    let script = format!("shift\nunset LD_DEBUG LD_PRELOAD\nexec env {preload} \"$@\"\n");
    format!("/bin/sh {}", folder.write(&format!("shell-{receiver:?}"), script).display())
}

/// Sends `from` to `to`. Returns the number of bytes transferred.
fn send(zlib: (Zlib, Zlib), folder: &Folder, choice: &str, from: &str, to: &str) -> usize {
    let (sender, receiver) = zlib;
    let rsync = Program::new(sender, folder, "/usr/bin/rsync").args(["-rtz", "--stats", "--ignore-times"]);
    let rsync = rsync.args(["--compress-choice", choice, "-e", &shell(folder, receiver)]);
    let rsync = rsync.arg(folder.name(from)).arg(format!("here:{}", folder.name(to)));
    let said = String::from_utf8(rsync.run("deflate").stdout).expect("rsync writes text");
    let sent = said.lines().find_map(|line| line.strip_prefix("Total bytes sent: ")).expect("--stats");
    sent.replace(',', "").parse().expect("a number")
}

#[test]
fn files_are_sent_and_updated() {
    if !installed("rsync", &[("/usr/bin/rsync", "rsync")]) {
        return;
    }
    let folder = Folder::new("rsync");
    let (first, second) = versions();
    for (place, version) in [("first", &first), ("second", &second)] {
        folder.folder(place);
        for (number, content) in version.iter().enumerate() {
            folder.write(&format!("{place}/{number}"), content);
        }
    }
    let full: usize = first.iter().map(Vec::len).sum();
    for choice in ["zlib", "zlibx"] {
        for zlib in PAIRS {
            let place = format!("{choice}-{:?}-{:?}", zlib.0, zlib.1);
            let sent = send(zlib, &folder, choice, "first/", &place);
            assert!(sent < full * 2 / 3, "{place}: {sent} bytes were sent for {full}");
            equal(&folder, &place, &first);
            let changes = send(zlib, &folder, choice, "second/", &place);
            assert!(
                changes < sent / 2,
                "{place}: {changes} bytes were sent for what had changed, {sent} before"
            );
            equal(&folder, &place, &second);
        }
    }
}

/// Files and their changes: bytes replaced, inserted and removed.
fn versions() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let first = vec![text(1_500_000), mixed(900_000), vec![], text(200)];
    let mut random = Random(5);
    let mut second = first.clone();
    for content in &mut second[..2] {
        for _ in 0..20 {
            let at = random.below(content.len());
            content.splice(at..(at + 50).min(content.len()), *b"something else");
        }
    }
    second[2] = text(5000);
    (first, second)
}

fn equal(folder: &Folder, place: &str, version: &[Vec<u8>]) {
    for (number, content) in version.iter().enumerate() {
        assert!(folder.read(&format!("{place}/{number}")) == *content, "{place}/{number} differs");
    }
    let count = fs::read_dir(folder.join(place)).expect("a folder").count();
    assert_eq!(count, version.len(), "{place}");
}

#[test]
fn a_batch_is_replayed() {
    if !installed("rsync", &[("/usr/bin/rsync", "rsync")]) {
        return;
    }
    let folder = Folder::new("rsync-batch");
    let (first, second) = versions();
    folder.folder("from");
    for (number, content) in second.iter().enumerate() {
        folder.write(&format!("from/{number}"), content);
    }
    for writer in BOTH {
        let batch = folder.name(&format!("{writer:?}"));
        let before = |place: &str| {
            folder.folder(place);
            for (number, content) in first.iter().enumerate() {
                folder.write(&format!("{place}/{number}"), content);
            }
            folder.name(place)
        };
        let rsync = |zlib| {
            Program::new(zlib, &folder, "/usr/bin/rsync").args(["-rtz", "--no-whole-file", "--ignore-times"])
        };
        let to = before(&format!("to-{writer:?}"));
        let write = rsync(writer).args(["--compress-choice=zlib", &format!("--write-batch={batch}")]);
        write.args([&folder.name("from/"), &to]).run("deflate");
        for reader in BOTH {
            let place = format!("to-{writer:?}-{reader:?}");
            let to = before(&place);
            let replay = rsync(reader).arg("--compress-choice=zlib").arg(format!("--read-batch={batch}"));
            replay.arg(&to).run("inflate");
            equal(&folder, &place, &second);
        }
    }
}
