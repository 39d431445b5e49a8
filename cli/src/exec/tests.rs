use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::elf::Elf;
use super::rights::User;
use super::{check, library, preload, search};
use crate::failure::Failure;

/// A user without files.
const SOMEBODY: User = User { uid: 12_345, gid: 12_345, no_new_rights: false };

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// A file with a mode.
fn write(path: &Path, bytes: impl AsRef<[u8]>, mode: u32) {
    fs::write(path, bytes).expect("a file");
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
}

/// A C program that does nothing, compiled with these options.
fn compile(path: &Path, options: &[&str]) {
    let source = path.with_extension("c");
    fs::write(&source, "int main(void) { return 0; }\n").expect("a source");
    let status = Command::new("cc").args(options).arg("-o").arg(path).arg(&source).status();
    assert!(status.expect("a C compiler").success());
}

/// Why a library of this machine's can't be preloaded into the program.
fn hindrance(path: &Path, user: &User) -> Option<String> {
    check::hindrance(path, &std::env::current_exe().expect("this test is as good as any"), user)
}

fn code(failure: Failure) -> u8 {
    match failure {
        Failure::NotRun(code, _) => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_dynamic_program_has_no_hindrance() {
    assert_eq!(hindrance(Path::new("/bin/sh"), &SOMEBODY), None);
    let elf = Elf::read(&File::open("/bin/sh").expect("a shell")).expect("an ELF file");
    assert!(elf.loader.is_some_and(|loader| loader.starts_with('/') && loader.contains("/ld-")));
}

#[test]
fn static_programs_are_told() {
    let folder = folder();
    let program = folder.path().join("static");
    for options in [&["-static"][..], &["-static-pie"]] {
        compile(&program, options);
        let text = hindrance(&program, &SOMEBODY).expect("a hindrance");
        assert!(text.starts_with(&format!("{} is statically linked", program.display())), "{text}");
    }
    compile(&program, &[]);
    assert_eq!(hindrance(&program, &SOMEBODY), None);
}

#[test]
fn programs_with_more_rights_are_told_to_whom_they_matter() {
    let passwd = Path::new("/usr/bin/passwd");
    let text = hindrance(passwd, &SOMEBODY).expect("a hindrance");
    assert!(text.starts_with("/usr/bin/passwd is set-uid, "), "{text}");
    // Root gains nothing by a program of root's, and no user does where rights can't grow.
    assert_eq!(hindrance(passwd, &User { uid: 0, gid: 0, no_new_rights: false }), None);
    assert_eq!(hindrance(passwd, &User { no_new_rights: true, ..SOMEBODY }), None);

    let folder = folder();
    let program = folder.path().join("program");
    compile(&program, &[]);
    fs::set_permissions(&program, Permissions::from_mode(0o2755)).expect("a mode");
    assert!(hindrance(&program, &SOMEBODY).is_some_and(|text| text.contains("is set-gid")));
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a mode");
    let capable = Command::new("setcap").arg("cap_net_raw+ep").arg(&program).status();
    if capable.is_ok_and(|status| status.success()) {
        assert!(hindrance(&program, &SOMEBODY).is_some_and(|text| text.contains("has capabilities")));
        assert_eq!(hindrance(&program, &User { uid: 0, ..SOMEBODY }), None);
    } else {
        eprintln!("skipped: only root can give a file capabilities, with setcap of libcap2-bin");
    }
}

#[test]
fn users_are_read_from_their_status() {
    let user = User::of_status("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nNoNewPrivs:\t1\n");
    assert_eq!((user.uid, user.gid, user.no_new_rights), (1, 5, true));
    let nobody = User::of_status("");
    assert_eq!((nobody.uid, nobody.no_new_rights), (u32::MAX, false));
}

#[test]
fn scripts_are_followed_to_what_runs_them() {
    let folder = folder();
    let (program, script, second) =
        (folder.path().join("program"), folder.path().join("script"), folder.path().join("second"));
    compile(&program, &["-static"]);
    write(&script, format!("#! {} -x\nnothing\n", program.display()), 0o755);
    write(&second, format!("#!{}\n", script.display()), 0o755);
    for path in [&script, &second] {
        let text = hindrance(path, &SOMEBODY).expect("a hindrance");
        let expected = format!("{} is run by {}, which is static", path.display(), program.display());
        assert!(text.starts_with(&expected), "{text}");
    }
    for (text, told) in [
        (format!("#!/usr/bin/env {}\n", program.display()), true),
        (format!("#!/usr/bin/env -S A=b {} -v", program.display()), true),
        ("#!/usr/bin/env sh\n".to_owned(), false),
        ("#!/bin/sh\n".to_owned(), false),
        ("echo no interpreter\n".to_owned(), false),
        (format!("#!{}\n", second.display()), false),
        ("#!\n".to_owned(), false),
        (String::new(), false),
    ] {
        write(&second, &text, 0o755);
        assert_eq!(hindrance(&second, &SOMEBODY).is_some(), told, "{text}");
    }
}

#[test]
fn programs_for_other_loaders_are_told() {
    let folder = folder();
    let program = folder.path().join("program");
    compile(&program, &["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"]);
    assert!(hindrance(&program, &SOMEBODY).is_some_and(|text| text.contains("musl")));
    compile(&program, &[]);
    let mut bytes = fs::read(&program).expect("the program");
    bytes[18] ^= 1;
    write(&program, &bytes, 0o755);
    assert!(hindrance(&program, &SOMEBODY).is_some_and(|text| text.contains("another kind of processor")));
}

#[test]
fn headers_that_are_cut_short_or_wild_are_no_panic() {
    let folder = folder();
    let program = folder.path().join("program");
    let whole = fs::read(std::env::current_exe().expect("this test")).expect("its bytes");
    for len in 0..1024 {
        write(&program, &whole[..len], 0o755);
        let _ = Elf::read(&File::open(&program).expect("a file"));
        let mut wild = whole[..1024].to_vec();
        wild[len] = 255;
        write(&program, &wild, 0o755);
        let _ = Elf::read(&File::open(&program).expect("a file"));
    }
}

#[test]
fn commands_are_found_as_a_shell_finds_them() {
    let folder = folder();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    for place in [&first, &second] {
        fs::create_dir(place).expect("a folder");
    }
    write(&first.join("tool"), "", 0o644);
    fs::create_dir(first.join("folder")).expect("a folder");
    let path = Some(std::env::join_paths([&first, &second, Path::new("/nowhere")]).expect("a path"));
    let find = |name: &OsStr| search::find(name, path.clone());
    assert_eq!(code(find("tool".as_ref()).expect_err("not executable")), 126);
    assert_eq!(code(find("folder".as_ref()).expect_err("a folder")), 126);
    write(&second.join("tool"), "", 0o755);
    assert_eq!(find("tool".as_ref()), Ok(second.join("tool")));
    for name in ["no-such-tool", "", "./no/such/tool", "/bin/sh/tool"] {
        assert_eq!(code(find(name.as_ref()).expect_err("not there")), 127, "{name}");
    }
    assert_eq!(code(find(first.join("tool").as_ref()).expect_err("not executable")), 126);
    assert_eq!(find(OsStr::new("/bin/sh")), Ok("/bin/sh".into()));
    assert!(search::find("sh".as_ref(), None).is_ok());
}

#[test]
fn the_library_is_the_named_one_the_installed_one_or_the_built_one() {
    let folder = folder();
    let (bin, lib) = (folder.path().join("bin"), folder.path().join("lib/pelton"));
    for place in [&bin, &lib] {
        fs::create_dir_all(place).expect("a folder");
    }
    let command = bin.join("pelton");
    let choose = |named: Option<&Path>| library::choose(named.map(PathBuf::from), &command);
    assert!(matches!(choose(None), Err(Failure::Usage(text)) if text.contains("make zlib")));
    let (built, installed) = (bin.join("libpelton_z.so"), lib.join("libpelton_z.so"));
    write(&built, "", 0o644);
    assert_eq!(choose(None), Ok(built.clone()));
    write(&installed, "", 0o644);
    assert_eq!(choose(None), Ok(installed));
    assert_eq!(choose(Some(&built)), Ok(built.clone()));
    assert!(
        matches!(choose(Some(Path::new("/nowhere/z.so"))), Err(Failure::Usage(text)) if text.contains("/nowhere"))
    );
    let spaced = folder.path().join("with space.so");
    symlink(&built, &spaced).expect("a link");
    assert!(matches!(choose(Some(&spaced)), Err(Failure::Usage(text)) if text.contains("space")));
}

#[test]
fn ours_is_preloaded_before_others() {
    let library = Path::new("/lib/z.so");
    assert_eq!(preload(library, None), "/lib/z.so");
    assert_eq!(preload(library, Some(OsString::new())), "/lib/z.so");
    assert_eq!(preload(library, Some("a.so b.so".into())), "/lib/z.so:a.so b.so");
}
