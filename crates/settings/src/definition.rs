//! Definition of a setting: names, type, range, and the words that describe it.

/// An error in the name or the value of a setting. It never contains the value of a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(pub String);

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name in SET, in lower case.
    pub name: &'static str,
    /// Other names, in lower case: those of DuckDB and PostgreSQL.
    pub aliases: &'static [&'static str],
    /// Name of a switch that is on where this one is off.
    pub opposite: Option<&'static str>,
    /// Type and range of its values.
    pub kind: Kind,
    /// Value of a session that sets none, in words.
    pub default: &'static str,
    /// Effect, as a phrase without a full stop.
    pub description: &'static str,
    /// Option of `pelton sql`, without the dashes. An option `no-...` turns a switch off.
    pub option: Option<&'static str>,
    /// Whether Python's `connect` has an argument of this name.
    pub in_python: bool,
    /// The setting of the DuckDB extension.
    pub duckdb: Option<DuckDb>,
}

/// Setting of the DuckDB extension, whose scans run on DuckDB's threads.
#[derive(Debug, PartialEq, Eq)]
pub struct DuckDb {
    /// Name, with `pelton_` in front.
    pub name: &'static str,
    /// Value until a user sets another.
    pub default: &'static str,
    /// Effect, as a phrase without a full stop.
    pub description: &'static str,
}

/// Type and range of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in a range.
    Count {
        /// The minimum.
        least: usize,
        /// The maximum.
        most: usize,
    },
    /// A number of bytes above zero, or `none`.
    Size,
    /// On or off.
    Switch,
    /// Text that the setting's user checks: names of devices, a path.
    Text,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A server: `host:port`, or a URL with `http://` or `https://`.
    Server,
    /// The name of a time zone.
    Zone,
    /// Text that is never shown: a password, a key, a token.
    Secret,
}

impl Kind {
    /// Returns the type's name in `pelton_settings()` and in the documents.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Count { .. } => "number",
            Kind::Size => "size",
            Kind::Switch => "switch",
            Kind::Text => "text",
            Kind::Choice(_) => "choice",
            Kind::Server => "server",
            Kind::Zone => "time zone",
            Kind::Secret => "secret",
        }
    }
}
