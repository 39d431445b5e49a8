//! What was found, for people.

/// What `pelton devices` prints of the IAA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A row for each device and each of its queues; or one that says why there is none.
    pub rows: Vec<Row>,
}

/// One device or queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As `accel-config` names it, `iax1` or `iax1/wq1.0`; `iaa` if there is none.
    pub name: String,
    /// Whether this process can use it.
    pub usable: bool,
    /// What it is, and why it can't be used.
    pub detail: String,
    /// Commands that would enable it, or make it faster, one after another.
    pub enable: Vec<String>,
}

impl Report {
    /// The report of a machine without a device.
    pub(super) fn absent(why: impl Into<String>, enable: Vec<String>) -> Report {
        Report { rows: vec![Row { name: "iaa".to_owned(), usable: false, detail: why.into(), enable }] }
    }
}
