//! Atomic folders: a folder of new files gets its name when all of its bytes are on disk.
//!
//! The files are written to a hidden folder beside the name. [`AtomicFolder::commit`] renames it,
//! or exchanges it with the folder of that name in one step, so that a process that is killed
//! leaves the old contents or the new ones. Files that are added to a folder come to a copy of it
//! that links to the old files. The next write to the parent folder removes hidden folders of
//! processes that have ended.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::hidden::{self, HiddenName};
use super::{folder_of, reason, sweep};

/// Extensions of data files. A folder with other files is never replaced.
const DATA: [&str; 11] =
    ["parquet", "csv", "tsv", "json", "ndjson", "jsonl", "arrow", "arrows", "feather", "ipc", "crc"];

/// Extensions of compressed text.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// Files that are written to disk one by one. With more of them, one call for the whole device
/// takes less time, though it writes the data of other programs, too.
const SYNCED_FILES: usize = 256;

/// Treatment of a folder that has files already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is an error.
    Refuse,
    /// Its contents are replaced. It is an error if they are other than data files.
    Replace,
    /// Its contents stay, and files are added.
    Extend,
}

/// A folder that has not got its name yet. Dropping it removes the files.
#[derive(Debug)]
pub struct AtomicFolder {
    name: PathBuf,
    existing: Existing,
    hidden: HiddenName,
    /// Files that were created in it.
    files: AtomicUsize,
    /// Tells other processes that the hidden folder is in use.
    _lock: File,
}

impl AtomicFolder {
    /// Creates a folder that will be called `name`. A symbolic link's target is replaced, not the
    /// link, if the target exists.
    ///
    /// # Errors
    /// A folder can't be created beside `name`, or `existing` does not allow the files that are in
    /// the folder, or `name` is that of a file.
    pub fn create(name: &Path, existing: Existing) -> io::Result<Self> {
        if name.symlink_metadata().is_ok() && !name.is_dir() {
            return Err(invalid("it is a file, and the result has several files: name a folder"));
        }
        let shown = folder_of(name);
        let name = fs::canonicalize(name).or_else(|_| std::path::absolute(name))?;
        let parent = folder_of(&name);
        if is_on_another_device(&name, parent) {
            return Err(mount_point());
        }
        check(&name, existing)?;
        sweep::sweep(parent);
        let (lock, hidden) = hidden::create_folder(parent).map_err(|error| reason(error, shown))?;
        if let Ok(old) = fs::metadata(&name) {
            fs::set_permissions(hidden.path(), old.permissions())?;
        }
        Ok(Self { name, existing, hidden, files: AtomicUsize::new(0), _lock: lock })
    }

    /// Creates a file in the folder, and the folders of its path. The caller syncs it to disk,
    /// unless [`syncs_files`](Self::syncs_files) says that this is left to the commit.
    ///
    /// # Errors
    /// The file exists or can't be created.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let path = self.hidden.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = File::options().write(true).create_new(true).open(path)?;
        self.files.fetch_add(1, Relaxed);
        Ok(file)
    }

    /// Returns whether the commit writes the files to disk, all at once: there are many.
    pub fn syncs_files(&self) -> bool {
        cfg!(target_os = "linux") && self.files.load(Relaxed) > SYNCED_FILES
    }

    /// Gives the folder its name. What is not on disk yet is written there first: the folders, and
    /// many files; unless `stop` is set meanwhile.
    ///
    /// # Errors
    /// The name can't be given, or the folder of that name has got files that `existing` does not
    /// allow, or `stop` was set. The old folder stays.
    pub fn commit(self, stop: &AtomicBool) -> io::Result<()> {
        self.exchange(stop).map_err(mounted)
    }

    fn exchange(self, stop: &AtomicBool) -> io::Result<()> {
        match self.syncs_files() {
            true => sync_device(self.hidden.path())?,
            false => sync_folders(self.hidden.path(), stop)?,
        }
        if !self.name.is_dir() {
            return self.hidden.rename(&self.name);
        }
        match self.existing {
            Existing::Refuse => {
                let renamed = self.hidden.rename(&self.name);
                renamed.map_err(|error| match error.kind() {
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => not_empty(),
                    _ => error,
                })
            }
            Existing::Replace => {
                check(&self.name, self.existing)?;
                exchange(self.hidden.path(), &self.name)
            }
            Existing::Extend => {
                let _lock = locked(&self.name)?;
                link_all(&self.name, self.hidden.path())?;
                exchange(self.hidden.path(), &self.name)?;
                move_new(self.hidden.path(), &self.name)
            }
        }
    }
}

/// Checks that the contents of a folder may be treated as asked for.
fn check(folder: &Path, existing: Existing) -> io::Result<()> {
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    match existing {
        Existing::Extend => Ok(()),
        Existing::Refuse if entries.next().is_some() => Err(not_empty()),
        Existing::Refuse => Ok(()),
        Existing::Replace => match foreign(folder, folder)? {
            Some(path) => Err(invalid(&format!(
                "OVERWRITE replaces folders of data files only, and this one holds {}: remove that first, or \
                 name another folder",
                path.display()
            ))),
            None => Ok(()),
        },
    }
}

/// Returns whether a folder is the root of a device that is mounted there.
#[cfg(unix)]
fn is_on_another_device(folder: &Path, parent: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    folder != parent && device(folder).is_some_and(|own| device(parent).is_some_and(|other| own != other))
}

#[cfg(not(unix))]
fn is_on_another_device(_folder: &Path, _parent: &Path) -> bool {
    false
}

/// Returns the error of an exchange with a reason if a folder of the same device is mounted there.
fn mounted(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::ResourceBusy => mount_point(),
        _ => error,
    }
}

fn mount_point() -> io::Error {
    invalid("it is a mount point, which no other folder can replace: name a folder in it")
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

fn not_empty() -> io::Error {
    let what = "the folder is not empty: add OVERWRITE to replace its files, or APPEND to add to them";
    io::Error::new(ErrorKind::DirectoryNotEmpty, what)
}

/// Returns an entry of a folder that no table is made of, relative to `root`.
fn foreign(folder: &Path, root: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        let is_partition = name.to_str().is_some_and(|name| name.contains('='));
        let found = match (kind.is_dir(), kind.is_file()) {
            (true, _) if is_partition => foreign(&path, root)?,
            (_, true) if is_data(Path::new(&name)) => None,
            _ => Some(path.strip_prefix(root).unwrap_or(&path).to_owned()),
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns whether a file's name is that of a data file, or of one that other programs put beside
/// them.
pub fn is_data_file(name: &str) -> bool {
    is_data(Path::new(name))
}

fn is_data(name: &Path) -> bool {
    let has = |name: &Path, all: &[&str]| {
        let extension = name.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        extension.is_some_and(|extension| all.contains(&extension.as_str()))
    };
    let text = name.to_str().unwrap_or_default();
    let is_mark = ["_SUCCESS", "_metadata", "_common_metadata"].contains(&text);
    let inner = if has(name, &COMPRESSED) { Path::new(name.file_stem().unwrap_or_default()) } else { name };
    is_mark || has(inner, &DATA) || hidden::is_hidden_name(text)
}

/// Locks a folder, so that other processes that add files wait until ours are in place. Where locks
/// are not supported, they do not wait.
fn locked(name: &Path) -> io::Result<File> {
    loop {
        let folder = File::open(name)?;
        if folder.lock().is_err() || is_at(&folder, name)? {
            return Ok(folder);
        }
    }
}

/// Returns whether an open folder still has a name: another process may have replaced it before it
/// was locked.
#[cfg(unix)]
fn is_at(folder: &File, name: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (folder.metadata()?, fs::metadata(name)?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Writes the entries of a folder and of those in it to disk, until `stop` is set.
fn sync_folders(folder: &Path, stop: &AtomicBool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        if stop.load(Relaxed) {
            return Err(io::Error::other("cancelled"));
        }
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path(), stop)?;
        }
    }
    File::open(folder)?.sync_all()
}

/// Writes all that a folder's device has not got yet to it.
#[cfg(target_os = "linux")]
fn sync_device(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_device(folder: &Path) -> io::Result<()> {
    sync_folders(folder, &AtomicBool::new(false))
}

/// Links the files of a folder, and of those in it, into another folder.
fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            if !new.is_dir() {
                fs::create_dir(&new)?;
                fs::set_permissions(&new, entry.metadata()?.permissions())?;
            }
            link_all(&old, &new)?;
        } else {
            fs::hard_link(&old, &new).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => error,
                _ => invalid(&format!(
                    "APPEND needs a file system with hard links ({error}): write to a new folder"
                )),
            })?;
        }
    }
    Ok(())
}

/// Moves the files that other programs made in a folder after it was linked.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        match (new.symlink_metadata().is_ok(), entry.file_type()?.is_dir()) {
            (false, _) => fs::rename(&old, &new)?,
            (true, true) => move_new(&old, &new)?,
            (true, false) => {}
        }
    }
    Ok(())
}

/// Exchanges two folders in one step.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).map_err(|error| match error {
        rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS => no_exchange(),
        other => other.into(),
    })
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(no_exchange())
}

fn no_exchange() -> io::Error {
    let what = "the file system can't replace a folder in one step: write to a new folder";
    io::Error::new(ErrorKind::Unsupported, what)
}

#[cfg(test)]
mod tests;
