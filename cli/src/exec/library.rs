//! Location of the drop-in zlib.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

const NAME: &str = "libpelton_z.so";
/// Names another place.
const VARIABLE: &str = "PELTON_ZLIB_LIBRARY";

/// Returns the library: that of the environment, else the one installed or built next to this
/// command.
pub fn find() -> Result<PathBuf, Failure> {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let command =
        std::env::current_exe().map_err(|error| Failure::error(format!("where is pelton? {error}")))?;
    choose(named, &command)
}

/// Returns the library for the command at `command`, or the `named` one.
pub fn choose(named: Option<PathBuf>, command: &Path) -> Result<PathBuf, Failure> {
    let library = match named {
        Some(named) if named.is_file() => std::path::absolute(&named).unwrap_or(named),
        Some(named) => {
            let named = named.display();
            return Err(Failure::Usage(format!("{VARIABLE}={named}: there is no such file")));
        }
        None => beside(command)?,
    };
    // The loader takes both for the end of a name.
    if library.as_os_str().as_encoded_bytes().iter().any(|byte| b": \t\n".contains(byte)) {
        return Err(Failure::Usage(format!(
            "{}: a library whose path has a space or a colon can't be preloaded; copy it elsewhere, and name that \
             place in {VARIABLE}",
            library.display()
        )));
    }
    Ok(library)
}

fn beside(command: &Path) -> Result<PathBuf, Failure> {
    let folder = command.parent().unwrap_or(Path::new("/"));
    let prefix = folder.parent().unwrap_or(Path::new("/"));
    let places = [prefix.join("lib/pelton").join(NAME), prefix.join("lib").join(NAME), folder.join(NAME)];
    let found = places.iter().find(|place| place.is_file());
    found.cloned().ok_or_else(|| {
        Failure::Usage(format!(
            "there is no {NAME} in {} or beside pelton: run `make zlib` or `make install`, or name it in {VARIABLE}",
            prefix.join("lib/pelton").display()
        ))
    })
}
