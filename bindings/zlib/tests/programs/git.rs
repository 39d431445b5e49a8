//! Git: loose objects, packs, clones and archives.

use std::process::Command;

use crate::data::{Random, mixed, text};
use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, PAIRS, Zlib, installed};

/// Runs git within a folder, without the user's settings and with a constant date. `function` is
/// the function of zlib that it calls, if any.
fn git(zlib: Zlib, folder: &Folder, within: &str, arguments: &[&str], function: Option<&str>) -> String {
    let mut program = Program::new(zlib, folder, "git").within(folder.join(within));
    program = program.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for (role, who) in [("AUTHOR", "author"), ("COMMITTER", "committer")] {
        program =
            program.env(&format!("GIT_{role}_NAME"), who).env(&format!("GIT_{role}_EMAIL"), "a@example.org");
        program = program.env(&format!("GIT_{role}_DATE"), "2024-05-01T12:00:00Z");
    }
    let (output, evidence) =
        program.args(["-c", "gc.auto=0", "-c", "pack.threads=2"]).args(arguments).finish();
    if let Some(function) = function {
        evidence.assert(function);
    }
    String::from_utf8(output.stdout).expect("git writes UTF-8")
}

/// Makes a repository of a few hundred files with five commits, each in objects of its own. Returns
/// its last commit.
fn build(zlib: Zlib, folder: &Folder) -> String {
    let name = format!("{zlib:?}");
    folder.folder(&name);
    git(zlib, folder, &name, &["init", "-q", "-b", "main"], None);
    let lines = text(400_000);
    let mut random = Random(99);
    for commit in 0..5 {
        for file in (commit..300).step_by(1 + 2 * commit) {
            let from = random.below(lines.len() - 9000);
            folder.write(&format!("{name}/file-{file}.txt"), &lines[from..from + random.below(9000)]);
        }
        folder.write(&format!("{name}/large-{commit}.bin"), mixed(700_000 + commit));
        git(zlib, folder, &name, &["add", "-A"], Some("deflate"));
        git(zlib, folder, &name, &["commit", "-q", "-m", &format!("commit {commit}")], Some("deflate"));
    }
    git(zlib, folder, &name, &["rev-parse", "HEAD"], None)
}

/// Tar files that git compresses, with a gzip header of its own, have the same content.
fn archive(folder: &Folder) {
    let contents = BOTH.map(|zlib| {
        let file = folder.name("archive.tar.gz");
        let archive = ["archive", "--format=tar.gz", "-o", &file, "HEAD"];
        git(zlib, folder, &format!("{zlib:?}"), &archive, Some("deflateSetHeader"));
        // The program gzip has a decoder of its own.
        let content = Command::new("gzip").args(["-dc", &file]).output().expect("gzip starts");
        assert!(content.status.success(), "{zlib:?}: {}", String::from_utf8_lossy(&content.stderr));
        content.stdout
    });
    assert!(contents[0].len() > 1_000_000 && contents[0] == contents[1], "archives differ");
}

#[test]
fn repositories_are_checked_cloned_and_packed() {
    if !installed("git", &[("/usr/bin/git", "git")]) {
        return;
    }
    let folder = Folder::new("git");
    let heads = BOTH.map(|zlib| build(zlib, &folder));
    assert_eq!(heads[0], heads[1], "the same content has the same name");
    for stage in ["loose", "packed"] {
        for (writer, reader) in PAIRS {
            let source = format!("{writer:?}");
            git(reader, &folder, &source, &["fsck", "--full", "--strict"], Some("inflate"));
            let clone = format!("{stage}-{writer:?}-{reader:?}");
            let from = format!("file://{}", folder.name(&source));
            git(reader, &folder, ".", &["clone", "-q", "--no-local", &from, &clone], Some("inflate"));
            assert_eq!(git(reader, &folder, &clone, &["rev-parse", "HEAD"], None), heads[0], "{clone}");
            for file in ["file-0.txt", "file-299.txt", "large-4.bin"] {
                let (expected, got) =
                    (folder.read(&format!("{source}/{file}")), folder.read(&format!("{clone}/{file}")));
                assert!(got == expected, "{clone}/{file} differs");
            }
            // The other library can read the objects that the clone received.
            git(writer, &folder, &clone, &["fsck", "--full", "--strict"], Some("inflate"));
        }
        archive(&folder);
        for writer in BOTH {
            git(
                writer,
                &folder,
                &format!("{writer:?}"),
                &["gc", "-q", "--aggressive", "--prune=now"],
                Some("deflate"),
            );
        }
    }
}
