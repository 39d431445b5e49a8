//! Where NVRTC may be.

use std::path::{Path, PathBuf};

/// Names under which systems have it, newest first. CUDA's version is in the name from 12 on.
const NAMES: &[&str] = &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
const TOOLKIT: &str = "/usr/local/cuda/lib64";

/// What to try, in order. Names without a folder are left to the system's search.
pub(super) fn candidates(virtual_env: Option<&Path>) -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(said) = set("PELTON_NVRTC") {
        // What was said is meant: nothing else is tried.
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

/// `lib/python3.x/site-packages/nvidia/*/lib`: where NVIDIA's Python packages put libraries
/// (`cu13`, `cuda_nvrtc`).
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
mod tests {
    use super::*;

    #[test]
    fn the_place_of_python_packages() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib/python3.99/site-packages/nvidia/cu13/lib");
        std::fs::create_dir_all(&lib).unwrap();
        std::fs::write(lib.join("libnvrtc.so.13"), b"").unwrap();
        let found: Vec<_> = packages(folder.path()).iter().flat_map(|folder| in_folder(folder)).collect();
        assert_eq!(found, [lib.join("libnvrtc.so.13")]);
        assert!(packages(Path::new("/absent")).is_empty());
    }
}
