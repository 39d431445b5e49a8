//! NVRTC, NVIDIA's compiler as a library, loaded at run time. It needs neither a GPU nor a driver.

mod sys;

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::{Source, source_headers};
use crate::{Error, Result};
use sys::{Library, Program};

/// Oldest version that knows C++17 and 128-bit integers in device code, and makes code that needs
/// no newer driver than [`crate::Gpu::cuda`] asks for.
const OLDEST: (u32, u32) = (12, 0);

/// Doubles are added and multiplied without fusing, as the CPU does it: a sum is the same on every
/// device.
pub(crate) const OPTIONS: &[&str] = &["--std=c++17", "--device-int128", "--fmad=false"];

/// Names of the library on systems, newest first. From CUDA 12 on they contain the version.
const NAMES: &[&str] = &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
const TOOLKIT: &str = "/usr/local/cuda/lib64";

/// The compiler, loaded. Clones are the same.
#[derive(Clone)]
pub struct Nvrtc {
    library: Arc<Library>,
    version: (u32, u32),
}

impl Nvrtc {
    /// Loads NVRTC from `PELTON_NVRTC` (the library, or its folder), the Python packages of an
    /// active virtual environment, the system's libraries, or `/usr/local/cuda`.
    ///
    /// # Errors
    /// It is absent or too old; the error says how to install it.
    pub fn load() -> Result<Nvrtc> {
        Nvrtc::first_of(candidates(None))
    }

    /// Loads NVRTC, from a virtual environment if it is there. For tests, with the environment of
    /// `make`.
    ///
    /// # Errors
    /// As for [`Nvrtc::load`].
    pub fn load_with(virtual_env: &Path) -> Result<Nvrtc> {
        Nvrtc::first_of(candidates(Some(virtual_env)))
    }

    fn first_of(candidates: Vec<PathBuf>) -> Result<Nvrtc> {
        let mut why = String::from("there is none");
        for path in &candidates {
            match Library::open(path) {
                Ok(library) => {
                    let version = library.version()?;
                    if version < OLDEST {
                        why = format!("{} is version {}.{}", path.display(), version.0, version.1);
                        continue;
                    }
                    return Ok(Nvrtc { library: Arc::new(library), version });
                }
                // report a path that was given, or a file that is there and can't be loaded
                Err(error) if path.components().count() > 1 => why = error,
                Err(_) => {}
            }
        }
        Err(Error::NoNvrtc { why })
    }

    /// Returns the version, major and minor.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Returns machine code (a cubin) for a compute capability, such as (9, 0).
    ///
    /// # Errors
    /// The compiler refuses the source, with its log; or it does not know the capability.
    pub fn compile(&self, source: &Source, architecture: (u32, u32)) -> Result<Vec<u8>> {
        let number = architecture.0 * 10 + architecture.1;
        if !self.library.architectures()?.contains(&number) {
            return Err(Error::OldNvrtc { version: self.version, architecture });
        }
        let text = |text: &str| {
            CString::new(text)
                .map_err(|_| Error::bad_call(format!("{}: a zero byte in the source", source.name)))
        };
        let headers = source_headers().iter().chain(&source.headers);
        let headers =
            headers.map(|(name, body)| Ok((text(name)?, text(body)?))).collect::<Result<Vec<_>>>()?;
        let program = Program::new(&self.library, &text(&source.text)?, &text(&source.name)?, &headers)?;
        let mut options = vec![text(&format!("--gpu-architecture=sm_{number}"))?];
        for option in OPTIONS {
            options.push(text(option)?);
        }
        if !program.compile(&options)? {
            return Err(Error::Compile { compiler: "NVRTC", name: source.name.clone(), log: program.log()? });
        }
        program.cubin()
    }
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nvrtc({}.{})", self.version.0, self.version.1)
    }
}

/// Returns the paths to try, in order. Names without a folder are left to the system's search.
fn candidates(virtual_env: Option<&Path>) -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(said) = set("PELTON_NVRTC") {
        // The variable names the only place to look at.
        return if said.is_dir() { NAMES.iter().map(|name| said.join(name)).collect() } else { vec![said] };
    }
    let mut found = Vec::new();
    for environment in virtual_env.map(Path::to_path_buf).into_iter().chain(set("VIRTUAL_ENV")) {
        found.extend(packages(&environment).iter().flat_map(|folder| in_folder(folder)));
    }
    found.extend(NAMES.iter().map(PathBuf::from));
    found.extend(in_folder(Path::new(TOOLKIT)));
    found
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect()
}

/// Returns the folders of libraries in NVIDIA's Python packages (`cu13`, `cuda_nvrtc`):
/// `lib/python3.x/site-packages/nvidia/*/lib`.
fn packages(environment: &Path) -> Vec<PathBuf> {
    let list = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort_unstable();
        paths
    };
    let pythons = list(environment.join("lib")).into_iter();
    pythons
        .flat_map(|python| list(python.join("site-packages/nvidia")))
        .map(|package| package.join("lib"))
        .collect()
}

#[cfg(test)]
mod tests;
