//! Libraries to compare, each as a file that programs can be given for their libz.so.1.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sys::version;

/// A libz.so.1.
pub struct Library {
    /// Name.
    pub name: &'static str,
    /// Its file; empty for one that is linked with this program.
    pub path: PathBuf,
}

impl Library {
    /// Returns its own version and the name of its file.
    pub fn version(&self) -> String {
        if self.path.as_os_str().is_empty() {
            return "linked with this program".into();
        }
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        format!("{} ({})", version(&self.path).unwrap_or_else(|error| error), path.display())
    }
}

/// Copies our library, so that it can be loaded once more with other settings.
pub fn copy_of_ours() -> Result<PathBuf, String> {
    let [ours, ..] = &all()?[..] else { return Err("no library".into()) };
    let path = ours.path.with_file_name("libpelton_z_plain.so");
    std::fs::copy(&ours.path, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Ours, then those that it is compared with.
pub fn all() -> Result<Vec<Library>, String> {
    let folder = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let folder = folder.ok_or("where this program lies is not known")?;
    Ok(vec![
        Library { name: "pelton", path: ours(&folder)? },
        Library { name: "zlib", path: debian()? },
        Library { name: "zlib-ng", path: zlib_ng(&folder.join("zlib-ng"))? },
    ])
}

/// Runs a command that prints nothing of interest.
pub fn quietly(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn link(archive: &Path, library: &Path) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings/zlib/link.sh");
    quietly(Command::new(script).arg(archive).arg(library))
}

/// Links ours from the archive that cargo built next to this program.
fn ours(folder: &Path) -> Result<PathBuf, String> {
    let archive = folder.join("libpelton_z.a");
    if !archive.exists() {
        return Err(format!("{} is missing: cargo build --release -p pelton-zlib", archive.display()));
    }
    let library = folder.join("libpelton_z.so");
    link(&archive, &library)?;
    Ok(library)
}

fn debian() -> Result<PathBuf, String> {
    let places = ["/lib/x86_64-linux-gnu/libz.so.1", "/lib/aarch64-linux-gnu/libz.so.1"].map(PathBuf::from);
    places
        .into_iter()
        .find(|path| path.exists())
        .ok_or_else(|| "Debian's libz.so.1 is missing: zlib1g".into())
}

/// Builds zlib-ng under zlib's names, once, and links it as ours is linked.
fn zlib_ng(folder: &Path) -> Result<PathBuf, String> {
    let library = folder.join("libz-ng.so");
    if library.exists() {
        return Ok(library);
    }
    eprintln!("building zlib-ng");
    let options =
        ["ZLIB_COMPAT=ON", "BUILD_SHARED_LIBS=OFF", "BUILD_TESTING=OFF", "CMAKE_BUILD_TYPE=Release"];
    let mut configure = Command::new("cmake");
    configure
        .arg("-S")
        .arg(zlib_ng_sources()?)
        .arg("-B")
        .arg(folder)
        .arg("-DCMAKE_POSITION_INDEPENDENT_CODE=ON");
    quietly(configure.args(options.map(|option| format!("-D{option}"))))?;
    quietly(Command::new("cmake").arg("--build").arg(folder))?;
    link(&folder.join("libz.a"), &library)?;
    Ok(library)
}

/// Returns the folder of zlib-ng's unpacked sources: Cargo is asked about the package that
/// `Cargo.lock` names.
fn zlib_ng_sources() -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version=1", "--manifest-path"]);
    let output = cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let package = packages.iter().find(|package| package["name"] == "libz-ng-sys");
    let manifest = package.and_then(|package| package["manifest_path"].as_str()).map(Path::new);
    let folder = manifest.and_then(Path::parent).ok_or("cargo metadata names no libz-ng-sys")?;
    Ok(folder.join("src/zlib-ng"))
}
