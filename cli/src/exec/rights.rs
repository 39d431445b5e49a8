//! Privileges that a program has and its caller doesn't. The loader preloads nothing of the
//! caller's choice then (ld.so(8), "secure-execution mode"; the rules are the kernel's,
//! `cap_bprm_creds_from_file`).

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

const SET_UID: u32 = 0o4000;
/// Without the right to execute, the bit means something else.
const SET_GID: u32 = 0o2010;
const CAPABILITIES: &str = "security.capability";

/// User that runs a program.
pub struct User {
    pub uid: u32,
    pub gid: u32,
    /// Nothing that it runs gets more rights.
    pub no_new_rights: bool,
}

impl User {
    /// Returns the user of this process.
    pub fn of_this_process() -> Self {
        Self::of_status(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
    }

    /// Reads the user from a text like `/proc/self/status`. If a line is missing, every privileged
    /// program counts as gaining rights.
    pub fn of_status(status: &str) -> Self {
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            value.split_whitespace().next()?.parse().ok()
        };
        Self {
            uid: field("Uid:").unwrap_or(u32::MAX),
            gid: field("Gid:").unwrap_or(u32::MAX),
            no_new_rights: field("NoNewPrivs:") == Some(1),
        }
    }

    /// Returns the property of the program at `path` that gives this user more rights; none if
    /// nothing does.
    pub fn gains_by(&self, path: &Path) -> Option<&'static str> {
        if self.no_new_rights {
            return None;
        }
        let file = path.metadata().ok()?;
        let mode = file.permissions().mode();
        if mode & SET_UID != 0 && file.uid() != self.uid {
            return Some("is set-uid");
        }
        if mode & SET_GID == SET_GID && file.gid() != self.gid {
            return Some("is set-gid");
        }
        // Root already has all that the file's capabilities give.
        let capable = self.uid != 0 && rustix::fs::getxattr(path, CAPABILITIES, &mut [0; 64]).is_ok();
        capable.then_some("has capabilities")
    }
}
