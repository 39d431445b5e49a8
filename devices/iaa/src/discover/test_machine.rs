//! Fake machine for tests: the files that the diagnosis reads, in a temporary folder.

use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::Row;
use super::diagnose::{Diagnosis, Host};
use crate::sys::{Page, System};

/// Folder in which the driver lists devices.
pub const BUS: &str = "sys/bus/dsa/devices";

/// The files of a machine.
pub struct Tree(TempDir);

impl Tree {
    /// Returns a machine without files.
    pub fn empty() -> Tree {
        Tree(tempfile::tempdir().expect("a folder"))
    }

    /// Returns an Intel server with one IAA, configured for Pelton: one shared queue for processes.
    pub fn working() -> Tree {
        let tree = Tree::empty();
        tree.pci("0000:6a:02.0", "0x0cfe", Some("idxd"));
        tree.write("proc/cmdline", "root=/dev/sda1 intel_iommu=on,sm_on quiet\n");
        let device = format!("{BUS}/iax1");
        for (file, text) in [
            ("state", "enabled"),
            ("numa_node", "0"),
            ("max_engines", "8"),
            ("max_work_queues", "8"),
            ("max_work_queues_size", "128"),
            ("max_transfer_size", "2147483648"),
            ("gen_cap", "0x71f10901f0105"),
            ("op_cap", "00000000,00000000,00000000,00000000,00000000,007f331c,00000000,0000000d"),
            ("pasid_enabled", "1"),
            ("clients", "0"),
            ("errors", "00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000"),
            ("cdev_major", "234"),
        ] {
            tree.write(&format!("{device}/{file}"), format!("{text}\n"));
        }
        for engine in 0..8 {
            tree.write(&format!("{device}/engine1.{engine}/group_id"), "0\n");
        }
        for queue in 0..8 {
            tree.queue(queue, [("state", "disabled"), ("mode", "shared"), ("type", "none"), ("size", "0")]);
            tree.queue(queue, [("group_id", "-1"), ("name", ""), ("driver_name", ""), ("threshold", "0")]);
            tree.queue(queue, [("priority", "0"), ("block_on_fault", "0"), ("max_transfer_size", "2097152")]);
        }
        tree.queue(0, [("state", "enabled"), ("type", "user"), ("size", "128"), ("threshold", "100")]);
        tree.queue(0, [("group_id", "0"), ("name", "pelton"), ("driver_name", "user"), ("priority", "10")]);
        tree.queue(0, [("block_on_fault", "1"), ("clients", "0"), ("cdev_minor", "0")]);
        tree.write("dev/iax/wq1.0", "");
        // A DSA, which has the same driver.
        tree.write(&format!("{BUS}/dsa0/state"), "enabled\n");
        tree
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, contents).expect("a file");
    }

    /// Writes a file of the device.
    pub fn device(&self, file: &str, text: &str) {
        self.write(&format!("{BUS}/iax1/{file}"), format!("{text}\n"));
    }

    /// Writes files of a queue.
    pub fn queue<const N: usize>(&self, index: u32, files: [(&str, &str); N]) {
        for (file, text) in files {
            self.device(&format!("wq1.{index}/{file}"), text);
        }
    }

    /// Removes a file or folder.
    pub fn remove(&self, path: &str) {
        let path = self.path().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("it was there");
    }

    /// Puts an Intel function on the PCI bus.
    pub fn pci(&self, address: &str, device: &str, driver: Option<&str>) {
        let folder = format!("sys/bus/pci/devices/{address}");
        self.write(&format!("{folder}/vendor"), "0x8086\n");
        self.write(&format!("{folder}/device"), format!("{device}\n"));
        if let Some(driver) = driver {
            let driver = format!("../../drivers/{driver}");
            symlink(driver, self.path().join(folder).join("driver")).expect("a link");
        }
    }
}

/// Error numbers with which queues answer an attempt to open them; none for success.
#[derive(Clone, Copy, Default)]
pub struct Answers {
    pub open: Option<i32>,
    pub map: Option<i32>,
    /// The file refuses writes.
    pub read_only: bool,
}

impl Answers {
    pub fn system(self) -> Arc<dyn System> {
        Arc::new(self)
    }
}

impl System for Answers {
    fn open(&self, path: &Path) -> io::Result<OwnedFd> {
        match self.open {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => fs::OpenOptions::new().read(true).write(!self.read_only).open(path).map(OwnedFd::from),
        }
    }

    fn map(&self, _: BorrowedFd<'_>) -> io::Result<Page> {
        // Never mapped: the file is no portal, even if the processor has the instructions.
        Err(io::Error::from_raw_os_error(self.map.unwrap_or(libc::ENODEV)))
    }
}

/// Returns the diagnosis of a machine with these files and answers, as on the processor of a server
/// with an IAA.
pub fn diagnose(tree: &Tree, answers: Answers) -> Diagnosis {
    diagnose_on("x86_64", tree, answers)
}

/// As [`diagnose`], on another processor.
pub fn diagnose_on(architecture: &'static str, tree: &Tree, answers: Answers) -> Diagnosis {
    Host::at(tree.path(), answers.system(), architecture).diagnose()
}

/// Returns the rows of the diagnosis.
pub fn report(tree: &Tree, answers: Answers) -> Vec<Row> {
    diagnose(tree, answers).rows
}

/// Returns the row with a name.
pub fn row<'a>(report: &'a [Row], name: &str) -> &'a Row {
    let found = report.iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no row {name}: {report:#?}"))
}

/// Checks that a device or queue is blocked, with a message that has these words, and with these
/// commands.
#[track_caller]
pub fn refused(report: &[Row], name: &str, words: &[&str], enable: &[&str]) {
    let row = row(report, name);
    assert!(!row.usable, "{row:#?}");
    for word in words {
        assert!(row.detail.contains(word), "{word:?} is not in {row:#?}");
    }
    assert_eq!(row.enable, enable, "{row:#?}");
}
