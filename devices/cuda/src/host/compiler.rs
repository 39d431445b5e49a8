//! g++ as the compiler of the host build.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::library::Compiled;
use crate::compile::{KernelCache, Key, Source, host_headers, source_headers};
use crate::{Error, Result};

/// Optimisation level 1 builds in half the time of level 2, and a test runs a kernel only a few
/// times. Type-based aliasing is off: kernels read data as bytes that they wrote as other types,
/// and NVRTC's compiler assumes nothing there either. So is contraction, as under NVRTC
/// (`--fmad=false`): sums of doubles equal the CPU's. Only kernels are exported, and inline
/// functions of two modules with the same name stay apart.
const OPTIONS: &[&str] = &[
    "-O1",
    "-std=c++17",
    "-shared",
    "-fPIC",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-fno-exceptions",
    "-fno-rtti",
    "-w",
];
/// With places in the source for reports. A finding ends the process.
const SANITIZE: &[&str] =
    &["-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

pub(super) struct Compiler {
    version: String,
    options: Vec<&'static str>,
    cache: KernelCache,
}

/// Sources that are being compiled in this process, so that concurrent tests with the same source
/// compile it once.
static UNDER_WAY: LazyLock<Mutex<HashMap<Key, Arc<Mutex<()>>>>> = LazyLock::new(Mutex::default);

impl Compiler {
    pub fn find(sanitize: bool) -> Result<Compiler> {
        static VERSION: LazyLock<Result<String>> = LazyLock::new(version);
        let mut options = OPTIONS.to_vec();
        if sanitize {
            options.extend(SANITIZE);
        }
        Ok(Compiler { version: VERSION.clone()?, options, cache: KernelCache::open() })
    }

    /// Returns a shared library of the source, and whether it was in the cache.
    pub fn compile(&self, source: &Source) -> Result<(Compiled, bool)> {
        let built_in: Vec<_> = source_headers().iter().chain(host_headers()).copied().collect();
        let mut parts = vec![self.version.as_str()];
        parts.extend(&self.options);
        let key = Key::new(source, &built_in, &parts);
        let turn = UNDER_WAY.lock().entry(key).or_default().clone();
        let _turn = turn.lock();
        if let Some((path, _)) = self.cache.find(key, "so") {
            return Ok((Compiled::Kept(path), true));
        }
        let compiled = self.build(source, &built_in, key)?;
        Ok((compiled, false))
    }

    fn build(&self, source: &Source, built_in: &[(&str, &str)], key: Key) -> Result<Compiled> {
        let folder = tempfile::Builder::new()
            .prefix("pelton-kernel-")
            .tempdir()
            .map_err(|error| Error::system("cannot make a temporary folder", error))?;
        for (name, text) in built_in.iter().chain(&source.headers) {
            write(&folder.path().join(name), text)?;
        }
        let text_name: String = source
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
            .collect();
        write(&folder.path().join(&text_name), &source.text)?;
        let library = folder.path().join("kernels.so");
        // inside the folder, so that messages and reports name files as `#include` does
        let output = Command::new("g++")
            .args(&self.options)
            .arg(format!("-ffile-prefix-map={}=.", folder.path().display()))
            .args(["-I", ".", "-x", "c++", &text_name, "-o", "kernels.so"])
            .current_dir(folder.path())
            .env("LC_ALL", "C")
            // a preloaded library of this process, such as AddressSanitizer's, is not for the
            // compiler
            .env_remove("LD_PRELOAD")
            .output()
            .map_err(|error| Error::NoCompiler { why: error.to_string() })?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Compile { compiler: "g++", name: source.name.clone(), log });
        }
        let contents =
            fs::read(&library).map_err(|error| Error::system("cannot read what g++ wrote", error))?;
        match self.cache.add(key, "so", &contents) {
            Some(path) => Ok(Compiled::Kept(path)),
            None => Ok(Compiled::Temporary(library, folder)),
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::system(format!("cannot write {}", path.display()), error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// Returns the compiler's version: the part of a library's key that depends on the compiler.
fn version() -> Result<String> {
    let output = Command::new("g++")
        .arg("--version")
        .env("LC_ALL", "C")
        .env_remove("LD_PRELOAD")
        .output()
        .map_err(|error| Error::NoCompiler { why: error.to_string() })?;
    if !output.status.success() {
        return Err(Error::NoCompiler { why: format!("g++ --version ends with {}", output.status) });
    }
    Ok(format!("{} {}", std::env::consts::ARCH, String::from_utf8_lossy(&output.stdout)))
}
