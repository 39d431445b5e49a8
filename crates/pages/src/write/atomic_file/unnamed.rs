//! Files without a name, which Linux removes with the last process that has them open.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use rustix::io::{Errno, retry_on_intr};

use super::hidden::{HiddenName, is_locked_by_another};

/// Creates one in the folder's file system; none, if that has no such files, or if they could not
/// be named later.
///
/// # Errors
/// The folder takes no files.
pub fn create(folder: &Path) -> io::Result<Option<File>> {
    let mut options = File::options();
    let options = options.read(true).write(true).custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(folder) {
        // The file system has no such files, or the kernel does not know them.
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
            // Without /proc it could not be named; and nobody else can have the lock of a file
            // without a name.
            let is_usable = fs::symlink_metadata(descriptor(&file)).is_ok() && !is_locked_by_another(&file);
            Ok(is_usable.then_some(file))
        }
    }
}

/// Gives the file its name: by a link if it is new, else by a link to a hidden name and a rename.
///
/// # Errors
/// The folder does not take it.
pub fn commit(file: &File, name: &Path) -> io::Result<()> {
    match link(file, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let ((), hidden) = HiddenName::given(super::folder_of(name), |path| link(file, path))?;
            hidden.rename(name)
        }
        done => done,
    }
}

/// The link to the file that the system has for each descriptor. A link by the descriptor itself
/// takes a privilege.
fn descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn link(file: &File, name: &Path) -> io::Result<()> {
    let from = descriptor(file);
    Ok(retry_on_intr(|| linkat(CWD, &from, CWD, name, AtFlags::SYMLINK_FOLLOW))?)
}
