//! Settings of object stores: their names, and the checks of their values.

use std::collections::BTreeMap;
use std::time::Duration;

/// Kind of a store, as its settings and secrets name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreKind {
    /// `s3://`, `s3a://`
    S3,
    /// `gs://`, `gcs://`
    Gcs,
    /// `az://`, `azure://`, `abfs://`, `abfss://`
    Azure,
    /// `https://`, `http://`
    Http,
}

impl StoreKind {
    pub(super) const ALL: [StoreKind; 4] = [Self::S3, Self::Gcs, Self::Azure, Self::Http];

    /// Returns the name in `CREATE SECRET (TYPE …)`.
    pub fn name(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gcs => "gcs",
            Self::Azure => "azure",
            Self::Http => "http",
        }
    }

    /// Returns the kind for the scheme of a URL.
    pub(super) fn of_scheme(scheme: &str) -> Option<Self> {
        Some(match scheme {
            "s3" | "s3a" => Self::S3,
            "gs" | "gcs" => Self::Gcs,
            "az" | "azure" | "abfs" | "abfss" => Self::Azure,
            "https" | "http" => Self::Http,
            _ => return None,
        })
    }
}

/// A setting of object stores.
#[derive(Debug, Clone, Copy)]
pub struct StoreSetting {
    /// Name in SET.
    pub name: &'static str,
    /// Sentence for lists of settings.
    pub description: &'static str,
    /// Whether the value is never shown.
    pub is_secret: bool,
    /// The stores that it is for; `None`: all.
    pub(super) kind: Option<StoreKind>,
    /// Name in CREATE SECRET, which has no prefix.
    pub(super) option: &'static str,
    pub(super) key: Key,
}

/// How a setting is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A key of object_store's.
    Store(&'static str),
    /// A key of object_store's with a Boolean value.
    Flag(&'static str),
    /// Host and port, or URL, of a server.
    Endpoint,
    /// `path` or `vhost`.
    UrlStyle,
    /// Whether an endpoint without a scheme is reached by TLS.
    UseSsl,
    /// Name of a profile in the files of AWS.
    Profile,
    /// Token that is sent in a header.
    Bearer,
    /// Seconds.
    Timeout,
    /// A count.
    Retries,
}

const fn setting(
    name: &'static str,
    kind: StoreKind,
    option: &'static str,
    key: Key,
    description: &'static str,
) -> StoreSetting {
    StoreSetting { name, description, is_secret: false, kind: Some(kind), option, key }
}

const fn secret(
    name: &'static str,
    kind: StoreKind,
    option: &'static str,
    key: Key,
    description: &'static str,
) -> StoreSetting {
    StoreSetting { is_secret: true, ..setting(name, kind, option, key, description) }
}

const fn common(name: &'static str, option: &'static str, key: Key, text: &'static str) -> StoreSetting {
    StoreSetting { kind: None, ..setting(name, Http, option, key, text) }
}

use StoreKind::{Azure, Gcs, Http, S3};

/// All settings of object stores.
pub const SETTINGS: &[StoreSetting] = &[
    setting(
        "s3_access_key_id",
        S3,
        "key_id",
        Key::Store("aws_access_key_id"),
        "Identifier of the access key",
    ),
    secret("s3_secret_access_key", S3, "secret", Key::Store("aws_secret_access_key"), "Secret access key"),
    secret("s3_session_token", S3, "session_token", Key::Store("aws_session_token"), "Token of a session"),
    setting("s3_region", S3, "region", Key::Store("aws_region"), "Region; found out if it is not set"),
    setting("s3_endpoint", S3, "endpoint", Key::Endpoint, "Server other than AWS: host:port, or a URL"),
    setting(
        "s3_url_style",
        S3,
        "url_style",
        Key::UrlStyle,
        "Place of the bucket in addresses: path or vhost",
    ),
    setting(
        "s3_use_ssl",
        S3,
        "use_ssl",
        Key::UseSsl,
        "Whether s3_endpoint is reached by TLS; true by default",
    ),
    setting("s3_profile", S3, "profile", Key::Profile, "Profile in ~/.aws/config and ~/.aws/credentials"),
    setting(
        "s3_anonymous",
        S3,
        "anonymous",
        Key::Flag("aws_skip_signature"),
        "Send requests without signature",
    ),
    setting(
        "s3_requester_pays",
        S3,
        "requester_pays",
        Key::Flag("aws_request_payer"),
        "Accept to be charged",
    ),
    setting("gcs_service_account", Gcs, "service_account", Key::Store("google_service_account"), "Key file"),
    secret(
        "gcs_service_account_key",
        Gcs,
        "service_account_key",
        Key::Store("google_service_account_key"),
        "Contents of a service account's key file",
    ),
    setting("gcs_endpoint", Gcs, "endpoint", Key::Endpoint, "Server other than Google's, as a URL"),
    setting("gcs_anonymous", Gcs, "anonymous", Key::Flag("google_skip_signature"), "Send no credentials"),
    setting(
        "azure_account_name",
        Azure,
        "account_name",
        Key::Store("azure_storage_account_name"),
        "Storage account",
    ),
    secret(
        "azure_account_key",
        Azure,
        "account_key",
        Key::Store("azure_storage_account_key"),
        "Key of the storage account",
    ),
    secret(
        "azure_sas_token",
        Azure,
        "sas_token",
        Key::Store("azure_storage_sas_key"),
        "Shared access signature",
    ),
    setting("azure_tenant_id", Azure, "tenant_id", Key::Store("azure_storage_tenant_id"), "Tenant"),
    setting(
        "azure_client_id",
        Azure,
        "client_id",
        Key::Store("azure_storage_client_id"),
        "Service principal",
    ),
    secret(
        "azure_client_secret",
        Azure,
        "client_secret",
        Key::Store("azure_storage_client_secret"),
        "Secret of the service principal",
    ),
    setting("azure_endpoint", Azure, "endpoint", Key::Endpoint, "Server other than Azure, as a URL"),
    setting("azure_anonymous", Azure, "anonymous", Key::Flag("azure_skip_signature"), "Send no credentials"),
    secret("http_bearer_token", Http, "bearer_token", Key::Bearer, "Token for web servers"),
    common("http_timeout", "timeout", Key::Timeout, "Seconds that a request may take; 30 by default"),
    common("http_retries", "retries", Key::Retries, "Repetitions of a failed request; 4 by default"),
];

/// Values of settings, by name.
pub(super) type Values = BTreeMap<&'static str, String>;

/// Returns the setting with a name.
///
/// # Errors
/// There is none; the message names those that are similar.
pub(super) fn find(name: &str) -> Result<&'static StoreSetting, String> {
    let lower = name.to_ascii_lowercase();
    SETTINGS.iter().find(|setting| setting.name == lower).ok_or_else(|| {
        let prefix = lower.split('_').next().unwrap_or_default();
        let names: Vec<_> =
            SETTINGS.iter().map(|setting| setting.name).filter(|name| name.starts_with(prefix)).collect();
        match names.is_empty() {
            true => format!("there is no setting {name}"),
            false => format!("there is no setting {name}; there are {}", names.join(", ")),
        }
    })
}

/// Returns the setting that an option of CREATE SECRET sets.
///
/// # Errors
/// There is none; the message lists the options.
pub(super) fn of_option(kind: StoreKind, option: &str) -> Result<&'static StoreSetting, String> {
    let of_kind = |setting: &&StoreSetting| setting.kind.is_none_or(|other| other == kind);
    let lower = option.to_ascii_lowercase();
    SETTINGS.iter().filter(of_kind).find(|setting| setting.option == lower).ok_or_else(|| {
        let names = SETTINGS.iter().filter(of_kind).map(|setting| setting.option.to_ascii_uppercase());
        let names = names.collect::<Vec<_>>().join(", ");
        format!(
            "a secret of type {} has no option {}; there are SCOPE, {names}",
            kind.name(),
            option.to_ascii_uppercase()
        )
    })
}

/// Checks a value, and returns it as it is kept.
///
/// # Errors
/// It is out of range, or no such value. The message never has the value of a secret.
pub(super) fn check(setting: &StoreSetting, value: &str) -> Result<String, String> {
    let name = setting.name;
    let bad = |what: &str| match setting.is_secret {
        true => Err(format!("{name}: {what}")),
        false => Err(format!("{name} = '{value}': {what}")),
    };
    let value = value.trim();
    if value.chars().any(char::is_control) && setting.key != Key::Store("google_service_account_key") {
        return bad("it has control characters");
    }
    match setting.key {
        Key::Flag(_) | Key::UseSsl => match boolean(value) {
            Some(flag) => Ok(flag.to_string()),
            None => bad("it is true or false"),
        },
        Key::UrlStyle => match value.to_ascii_lowercase().as_str() {
            style @ ("path" | "vhost") => Ok(style.to_owned()),
            _ => bad("it is path or vhost"),
        },
        Key::Timeout => match value.parse::<u64>() {
            Ok(1..=3600) => Ok(value.to_owned()),
            _ => bad("it is a number of seconds from 1 to 3600"),
        },
        Key::Retries => match value.parse::<u64>() {
            Ok(0..=20) => Ok(value.to_owned()),
            _ => bad("it is a number from 0 to 20"),
        },
        Key::Endpoint => {
            let host = value.split_once("://").map_or(value, |(_, rest)| rest);
            let scheme = value.split_once("://").map(|(scheme, _)| scheme);
            match () {
                () if host.contains('@') => {
                    Err(format!("{name}: a server's address has no name and password in it"))
                }
                () if host.is_empty() || value.contains([' ', '?', '#']) => bad("it is no host or URL"),
                () if !matches!(scheme, None | Some("http" | "https")) => {
                    bad("it begins with http:// or https://")
                }
                () => Ok(value.trim_end_matches('/').to_owned()),
            }
        }
        Key::Store(_) | Key::Profile | Key::Bearer if value.is_empty() => bad("it is empty"),
        Key::Store(_) | Key::Profile | Key::Bearer => Ok(value.to_owned()),
    }
}

fn boolean(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Returns the time that a request may take.
pub(super) fn timeout(values: &Values) -> Duration {
    let seconds = values.get("http_timeout").and_then(|value| value.parse().ok());
    Duration::from_secs(seconds.unwrap_or(30))
}

/// Returns how often a failed request is repeated.
pub(super) fn retries(values: &Values) -> usize {
    values.get("http_retries").and_then(|value| value.parse().ok()).unwrap_or(4)
}

/// Returns whether a statement may have credentials in it, so that no history and no profile keeps
/// its text.
pub fn may_hold_secret(sql: &str) -> bool {
    let lower = sql.to_ascii_lowercase();
    let names_setting = || SETTINGS.iter().any(|setting| setting.is_secret && lower.contains(setting.name));
    (lower.contains("create") && lower.contains("secret")) || names_setting() || is_signed(&lower)
}

/// Returns whether a statement has an address with a query string, which may be a signature.
fn is_signed(lower: &str) -> bool {
    let addresses = ["https://", "http://"].into_iter().flat_map(|scheme| lower.split(scheme).skip(1));
    let mut addresses = addresses.map(|rest| rest.split(['\'', '"', ' ']).next().unwrap_or_default());
    addresses.any(|address| address.contains('?'))
}
