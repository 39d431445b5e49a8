//! Files without a name, which Linux removes when the last process closes them.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use rustix::io::{Errno, retry_on_intr};

use super::hidden::{HiddenName, is_locked_by_another};

/// Creates an unnamed file in the folder's file system; `None` if the file system does not support
/// them, or if they could not be named later.
///
/// # Errors
/// No file can be created in the folder.
pub fn create(folder: &Path) -> io::Result<Option<File>> {
    let mut options = File::options();
    let options = options.read(true).write(true).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(folder) {
        // The file system or the kernel does not support unnamed files.
        Err(error)
            if matches!(
                Errno::from_io_error(&error),
                Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL)
            ) =>
        {
            Ok(None)
        }
        file => {
            let file = file?;
            // Without /proc it could not be named. Its lock is free, since no other process can
            // open it.
            let is_usable = fs::symlink_metadata(descriptor(&file)).is_ok() && !is_locked_by_another(&file);
            Ok(is_usable.then_some(file))
        }
    }
}

/// Gives the file its name: by a link if it is new, else by a link to a hidden name and a rename.
///
/// # Errors
/// The link or the rename fails.
pub fn commit(file: &File, name: &Path) -> io::Result<()> {
    match link(file, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let ((), hidden) = HiddenName::given(super::folder_of(name), |path| link(file, path))?;
            hidden.rename(name)
        }
        done => done,
    }
}

/// Returns the path of a descriptor in `/proc`. Linking the descriptor itself needs a privilege.
fn descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn link(file: &File, name: &Path) -> io::Result<()> {
    let from = descriptor(file);
    Ok(retry_on_intr(|| linkat(CWD, &from, CWD, name, AtFlags::SYMLINK_FOLLOW))?)
}
