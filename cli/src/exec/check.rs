//! Check that the loader will preload a library into a program.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::elf::{self, Elf};
use super::rights::User;
use super::search;

/// Maximum number of scripts that interpret each other, as in the kernel.
const MAX_SCRIPTS: usize = 5;
/// Bytes of a script's first line that the kernel reads.
const FIRST_LINE: usize = 256;
/// Interpreter of a file that names none.
const SHELL: &str = "/bin/sh";

/// Returns why `library` can't be preloaded into the command at `path`, with a remedy; none if it
/// can, or if that is unknown.
pub fn hindrance(path: &Path, library: &Path, user: &User) -> Option<String> {
    let mut program = path.to_owned();
    for _ in 0..=MAX_SCRIPTS {
        let file = File::open(&program).ok()?;
        let mut head = [0; FIRST_LINE];
        let len = file.read_at(&mut head, 0).ok()?;
        if head.starts_with(elf::MAGIC) {
            let reason = in_program(&program, &Elf::read(&file).ok()?, library, user)?;
            let name = program.display();
            return Some(match program == path {
                true => format!("{name} {reason}"),
                false => format!("{} is run by {name}, which {reason}", path.display()),
            });
        }
        program = interpreter(&head[..len])?;
    }
    None
}

/// Returns the property of a program that prevents preloading, with a remedy.
fn in_program(path: &Path, program: &Elf, library: &Path, user: &User) -> Option<String> {
    if let Some(rights) = user.gains_by(path) {
        return Some(format!(
            "{rights}, so that the loader preloads nothing into it: run it as the user whose rights it has, or let it \
             find the library in place of the system's libz (docs/zlib.md)"
        ));
    }
    let Some(loader) = &program.loader else {
        return Some(
            "is statically linked, so that nothing can be preloaded into it: take a build of it that is linked with \
             libz.so.1, or run it as it is"
                .into(),
        );
    };
    if loader.rsplit('/').next().is_some_and(|name| name.contains("musl")) {
        return Some(format!(
            "uses musl's libc, and {} glibc: take a build of it for glibc",
            library.display()
        ));
    }
    let ours = File::open(library).and_then(|file| Elf::read(&file)).ok()?;
    (ours.machine != program.machine).then(|| {
        format!("is for another kind of processor than {}: build the library for that one", library.display())
    })
}

/// Returns the interpreter of a file that is no program and begins with `head`; none if it is
/// unknown. For `env` that is the command that `env` looks up.
fn interpreter(head: &[u8]) -> Option<PathBuf> {
    let Some(line) = head.strip_prefix(b"#!") else {
        return (!head.contains(&0)).then(|| SHELL.into());
    };
    let line = line.split(|&byte| byte == b'\n').next()?;
    let mut words =
        line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty()).map(OsStr::from_bytes);
    let interpreter = Path::new(words.next()?);
    if interpreter.file_name() == Some(OsStr::new("env")) {
        let looked_up =
            words.find(|word| !word.as_bytes().starts_with(b"-") && !word.as_bytes().contains(&b'='));
        if let Some(program) = looked_up.and_then(|name| search::program(name).ok()) {
            return Some(program);
        }
    }
    Some(interpreter.to_owned())
}
