//! Table of all settings.

use crate::definition::{Definition, DuckDb, Kind, SettingError};
use crate::names::did_you_mean;
use crate::stores;

/// Maximum number of threads: several times that of the largest machines.
pub const MOST_THREADS: usize = 4096;

/// Threads of queries.
pub static THREADS: Definition = Definition {
    name: "threads",
    aliases: &["worker_threads"],
    opposite: None,
    kind: Kind::Count { least: 1, most: MOST_THREADS },
    default: "the machine's cores",
    description: "Threads that run queries and decompress",
    option: Some("threads"),
    in_python: true,
    duckdb: Some(DuckDb {
        name: "pelton_threads",
        default: "0",
        description: "Threads that compress on the CPU for COPY and read scan ranges ahead; 0: DuckDB's number of threads",
    }),
};

/// Memory limit of queries.
pub static MEMORY: Definition = Definition {
    name: "memory",
    aliases: &["memory_limit", "max_memory"],
    opposite: None,
    kind: Kind::Size,
    default: "none",
    description: "Memory that queries may use, such as 2GB; sorts and aggregates spill to disk beyond it, joins on \
                  equal keys end with an error",
    option: Some("memory"),
    in_python: true,
    duckdb: Some(DuckDb {
        name: "pelton_memory",
        default: "",
        description: "Limit on the memory of Pelton's scans, such as '2GB'; '': none but two scan ranges a thread",
    }),
};

/// Devices in use.
pub static DEVICE: Definition = Definition {
    name: "device",
    aliases: &["devices"],
    opposite: None,
    kind: Kind::Text,
    default: "auto",
    description: "Devices to use, such as cpu,iaa or cuda: see `pelton devices`; auto: those of PELTON_DEVICES, else \
                  all available ones except a GPU",
    option: Some("device"),
    in_python: true,
    duckdb: Some(DuckDb {
        name: "pelton_devices",
        default: "auto",
        description: "Devices that decompress and compress, such as 'cpu,iaa'; 'auto': those of PELTON_DEVICES, or all that the machine has",
    }),
};

/// Checks of the checksums in files.
pub static VERIFY_CHECKSUMS: Definition = Definition {
    name: "verify_checksums",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "false",
    description: "Check the checksum of every page that has one",
    option: Some("verify-checksums"),
    in_python: true,
    duckdb: None,
};

/// Conditions on dictionary codes.
pub static ENCODED_FILTERS: Definition = Definition {
    name: "encoded_filters",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Decide conditions on dictionary codes, and decode with Pelton's own decoders; off, parquet-rs decodes \
                  columns before conditions are evaluated, for comparing",
    option: Some("no-encoded-filters"),
    in_python: false,
    duckdb: None,
};

/// Order of rows.
pub static ANY_ORDER: Definition = Definition {
    name: "any_order",
    aliases: &[],
    opposite: Some("preserve_insertion_order"),
    kind: Kind::Switch,
    default: "false",
    description: "Give rows without ORDER BY as they are ready, in any order; off, they come in the order of the \
                  files' rows",
    option: Some("any-order"),
    in_python: false,
    duckdb: None,
};

/// Parts that a query mentions more than once.
pub static COMMON_SUBPLANS: Definition = Definition {
    name: "common_subplans",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Run a part that a query mentions more than once, such as a common table expression, only once if \
                  that is cheaper",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Bitmaps of the keys of joins.
pub static JOIN_KEY_BITMAPS: Definition = Definition {
    name: "join_key_bitmaps",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Look the keys of joins up in bitmaps when the rows of the larger side are read; off, in the hash \
                  tables of the joins",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Order of joins.
pub static JOIN_ORDER: Definition = Definition {
    name: "join_order",
    aliases: &[],
    opposite: None,
    kind: Kind::Choice(&["cost", "written"]),
    default: "cost",
    description: "Order of inner joins: cost, by estimates from the files' statistics; written, as the query names its \
                  tables",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Place of aggregates among joins.
pub static EAGER_AGGREGATION: Definition = Definition {
    name: "eager_aggregation",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Group rows by the keys of joins before these, where the query groups by columns of the other side",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Aggregates by the keys of joins.
pub static GROUP_JOINS: Definition = Definition {
    name: "group_joins",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Add rows up in the table of a join, where the query groups by the key of the join",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Semi and anti joins by a set of keys.
pub static SET_JOINS: Definition = Definition {
    name: "set_joins",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Look the rows of semi and anti joins up in a set of keys, in place of a hash table of rows",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Source of grouping sets.
pub static ROLLUPS: Definition = Definition {
    name: "rollups",
    aliases: &[],
    opposite: None,
    kind: Kind::Choice(&["finest", "direct"]),
    default: "finest",
    description: "Source of ROLLUP, CUBE and GROUPING SETS: finest, each set from the groups of a finer one; direct, \
                  from the rows",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Top rows of windows.
pub static WINDOW_TOP_K: Definition = Definition {
    name: "window_top_k",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Leave out rows that a condition such as row_number() <= 3 would drop before the window's rows are \
                  sorted",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Groups by runs of rows with equal keys.
pub static CLUSTERED_GROUPS: Definition = Definition {
    name: "clustered_groups",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Add up rows with equal keys that stand beside each other before they are hashed",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Groups by ranges of a key.
pub static KEY_RANGES: Definition = Definition {
    name: "key_ranges",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Group rows range by range of a key if the row groups of a file share no values of it",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Hash joins with one large table for all threads.
pub static LARGE_BROADCASTS: Definition = Definition {
    name: "large_broadcasts",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Have the threads of a join share one hash table of up to four million rows if the other side has many times as many",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Groups on disk by hash.
pub static PARTITIONED_AGGREGATES: Definition = Definition {
    name: "partitioned_aggregates",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Under a memory limit, split the groups of an aggregate that do not fit among files by hash; off, they are \
                  sorted and merged",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Groups by codes of keys.
pub static DENSE_GROUPS: Definition = Definition {
    name: "dense_groups",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Group rows by codes of their keys while there are few groups, instead of a hash of each row",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Sorts by keys in one number.
pub static PACKED_SORTS: Definition = Definition {
    name: "packed_sorts",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Sort rows by one number of 128 bits with their keys, in place of comparing rows",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Window functions in vectors.
pub static RUNNING_WINDOWS: Definition = Definition {
    name: "running_windows",
    aliases: &[],
    opposite: None,
    kind: Kind::Switch,
    default: "true",
    description: "Compute ranks, totals, sliding frames and values of other rows in windows batch by batch in place of row by row",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Zone of TIMESTAMPTZ.
pub static TIMEZONE: Definition = Definition {
    name: "timezone",
    aliases: &["time zone"],
    opposite: None,
    kind: Kind::Zone,
    default: "UTC",
    description: "Zone of TIMESTAMPTZ in casts and results; UTC is the only one at present",
    option: None,
    in_python: false,
    duckdb: None,
};

/// Page of profiles.
pub static PROFILE: Definition = Definition {
    name: "profile",
    aliases: &[],
    opposite: None,
    kind: Kind::Text,
    default: "",
    description: "File for a page that shows the work of each query over time: reads, copies, decompression, kernels",
    option: Some("profile"),
    in_python: false,
    duckdb: None,
};

/// All settings, ordered by name.
pub static SETTINGS: [&Definition; 47] = [
    &ANY_ORDER,
    &stores::AZURE_ACCOUNT_KEY,
    &stores::AZURE_ACCOUNT_NAME,
    &stores::AZURE_ANONYMOUS,
    &stores::AZURE_CLIENT_ID,
    &stores::AZURE_CLIENT_SECRET,
    &stores::AZURE_ENDPOINT,
    &stores::AZURE_SAS_TOKEN,
    &stores::AZURE_TENANT_ID,
    &CLUSTERED_GROUPS,
    &COMMON_SUBPLANS,
    &DENSE_GROUPS,
    &DEVICE,
    &EAGER_AGGREGATION,
    &ENCODED_FILTERS,
    &stores::GCS_ANONYMOUS,
    &stores::GCS_ENDPOINT,
    &stores::GCS_SERVICE_ACCOUNT,
    &stores::GCS_SERVICE_ACCOUNT_KEY,
    &GROUP_JOINS,
    &stores::HTTP_RETRIES,
    &stores::HTTP_TIMEOUT,
    &JOIN_KEY_BITMAPS,
    &JOIN_ORDER,
    &KEY_RANGES,
    &LARGE_BROADCASTS,
    &MEMORY,
    &PACKED_SORTS,
    &PARTITIONED_AGGREGATES,
    &PROFILE,
    &ROLLUPS,
    &RUNNING_WINDOWS,
    &stores::S3_ACCESS_KEY_ID,
    &stores::S3_ANONYMOUS,
    &stores::S3_ENDPOINT,
    &stores::S3_PROFILE,
    &stores::S3_REGION,
    &stores::S3_REQUESTER_PAYS,
    &stores::S3_SECRET_ACCESS_KEY,
    &stores::S3_SESSION_TOKEN,
    &stores::S3_URL_STYLE,
    &stores::S3_USE_SSL,
    &SET_JOINS,
    &THREADS,
    &TIMEZONE,
    &VERIFY_CHECKSUMS,
    &WINDOW_TOP_K,
];

/// Returns the setting of a name or alias in any case, and whether the name is that of its
/// opposite.
///
/// # Errors
/// There is no such setting; the error names the nearest.
pub fn find(name: &str) -> Result<(&'static Definition, bool), SettingError> {
    let lower = name.to_lowercase();
    let found = SETTINGS.iter().find_map(|definition| {
        let is_opposite = definition.opposite == Some(lower.as_str());
        let is_found =
            is_opposite || definition.name == lower || definition.aliases.contains(&lower.as_str());
        is_found.then_some((*definition, is_opposite))
    });
    found.ok_or_else(|| {
        let names = SETTINGS.iter().flat_map(|definition| {
            [definition.name].into_iter().chain(definition.aliases.iter().copied()).chain(definition.opposite)
        });
        let hint = did_you_mean(&lower, names).unwrap_or_else(|| "pelton_settings() lists them".to_owned());
        SettingError(format!("there is no setting {name}: {hint}"))
    })
}

/// Words next to passwords, keys and tokens in statements and in addresses.
const SECRET_WORDS: [&str; 7] =
    ["secret", "password", "token", "access_key", "account_key", "signature", "sig="];

/// Returns whether a statement may hold a secret, so that it belongs into no history and no
/// profile: it names a secret setting, or has a word that stands next to secrets, or an address
/// with a password or a query string, which may be a signature.
pub fn may_hold_secret(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    let mut secrets = SETTINGS.iter().filter(|definition| definition.kind == Kind::Secret);
    let has_password = |(_, rest): (usize, &str)| {
        let host = rest[3..].split(['/', '\'', '"', ' ']).next().unwrap_or("");
        host.contains('@')
    };
    let is_signed = |(at, rest): (usize, &str)| {
        let scheme = &lower[..at];
        let address = rest.split(['\'', '"', ' ']).next().unwrap_or("");
        // in a store that can be listed `?` is a wildcard, and `?name=` is none
        match scheme.ends_with("http") || scheme.ends_with("https") {
            true => address.contains(['?', '#']),
            false => address.split('/').filter_map(|part| part.split_once('?')).any(|(_, q)| q.contains('=')),
        }
    };
    let mut addresses = lower.match_indices("://").map(|(at, _)| (at, &lower[at..]));
    SECRET_WORDS.iter().any(|word| lower.contains(word))
        || secrets.any(|definition| lower.contains(definition.name))
        || addresses.any(|address| has_password(address) || is_signed(address))
}

#[cfg(test)]
mod tests;
