//! State of this machine's accelerator: usable, or the reason against it and the next step.

#[cfg(all(target_os = "linux", any(test, target_arch = "powerpc64")))]
mod blocker;

use std::sync::Arc;

use crate::device::NxDevice;

/// Environment variable with the credits of the windows, `shared` or `guaranteed`
/// ([`Credits`](crate::Credits)).
pub const CREDITS_VARIABLE: &str = "PELTON_NX_CREDITS";

/// A report on the accelerator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `nx`.
    pub name: String,
    /// Whether this process can use it.
    pub usable: bool,
    /// Description, or the blocker.
    pub detail: String,
    /// Commands that enable it.
    pub enable: Vec<String>,
}

impl Row {
    fn blocked(detail: String, enable: Vec<String>) -> Row {
        Row { name: "nx".to_owned(), usable: false, detail, enable }
    }
}

/// Returns the report. Opens and closes a window if there is an accelerator.
pub fn report() -> Row {
    #[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
    return power::report();
    #[cfg(not(all(target_os = "linux", target_arch = "powerpc64")))]
    Row::blocked(elsewhere(), Vec::new())
}

/// Opens a window of each engine of this machine.
///
/// # Errors
/// The reason why there is none, in one line.
pub fn open() -> Result<Arc<NxDevice>, String> {
    #[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
    return power::open();
    #[cfg(not(all(target_os = "linux", target_arch = "powerpc64")))]
    Err(elsewhere())
}

#[cfg(not(all(target_os = "linux", target_arch = "powerpc64")))]
fn elsewhere() -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("no IBM NX-GZIP: another architecture ({os} on {arch}); Linux on POWER9 and later has it")
}

#[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
mod power {
    use std::path::Path;
    use std::sync::Arc;
    use std::{env, fs, io};

    use super::blocker::{System, blocker};
    use super::{CREDITS_VARIABLE, Row};
    use crate::device::NxDevice;
    use crate::options::{Opener, Options};
    use crate::sys::{HardwareWindow, is_powervm};
    use crate::window::{Credits, Window};

    /// The engine that is nearest to the calling thread.
    const NEAREST: i16 = -1;

    pub(super) fn report() -> Row {
        let credits = match credits() {
            Ok(credits) => credits,
            Err(detail) => return Row::blocked(detail, vec![format!("unset {CREDITS_VARIABLE}")]),
        };
        let engines = engines();
        match engines.iter().try_for_each(|engine| HardwareWindow::open(*engine, credits).map(drop)) {
            Ok(()) => Row {
                name: "nx".to_owned(),
                usable: true,
                detail: format!("IBM NX-GZIP, {} engines", engines.len()),
                enable: Vec::new(),
            },
            Err(error) => blocker(&error, system(credits)),
        }
    }

    pub(super) fn open() -> Result<Arc<NxDevice>, String> {
        let credits = credits()?;
        let engines = engines();
        let count = engines.len();
        let opener: Opener = Arc::new(move |engine| {
            let id = engines.get(engine).copied().ok_or(io::ErrorKind::NotFound)?;
            HardwareWindow::open(id, credits).map(|window| Arc::new(window) as Arc<dyn Window>)
        });
        opener(0).map_err(|error| blocker(&error, system(credits)).detail)?;
        let options = Options { engines: count, ..Options::default() };
        NxDevice::open(opener, options).map_err(|error| error.to_string())
    }

    /// Returns the numbers of the engines in the device tree of PowerNV; elsewhere the nearest one.
    fn engines() -> Vec<i16> {
        let id = |entry: fs::DirEntry| {
            let is_engine = entry.file_name().to_string_lossy().starts_with("vas@");
            let bytes = is_engine.then(|| fs::read(entry.path().join("ibm,vas-id")).ok()).flatten()?;
            i16::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
        };
        let entries = fs::read_dir("/proc/device-tree/").ok().into_iter().flatten().flatten();
        let mut found: Vec<i16> = entries.filter_map(id).collect();
        found.sort_unstable();
        if found.is_empty() { vec![NEAREST] } else { found }
    }

    fn system(credits: Credits) -> System {
        let has_framework = Path::new("/dev/crypto").exists();
        System { has_framework, is_powervm: is_powervm(), credits }
    }

    /// Returns the credits that the environment asks for.
    fn credits() -> Result<Credits, String> {
        let name = env::var_os(CREDITS_VARIABLE).filter(|name| !name.is_empty());
        let Some(name) = name else { return Ok(Credits::default()) };
        name.to_string_lossy().parse().map_err(|error| format!("{CREDITS_VARIABLE}: {error}"))
    }
}
