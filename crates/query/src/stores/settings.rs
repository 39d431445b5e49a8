//! Use of the settings of object stores, which `pelton-settings` defines.

use std::collections::BTreeMap;
use std::time::Duration;

use pelton_settings::{Definition, Kind, Settings, Value, stores};

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
pub(super) struct StoreSetting {
    pub definition: &'static Definition,
    /// The stores that it is for; `None`: all.
    pub kind: Option<StoreKind>,
    /// Name in CREATE SECRET, which has no prefix.
    pub option: &'static str,
    pub key: Key,
}

impl StoreSetting {
    /// Returns whether the setting is for stores of a kind.
    pub fn is_for(&self, kind: StoreKind) -> bool {
        self.kind.is_none_or(|own| own == kind)
    }
}

/// Use of a setting in the building of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A key of object_store's.
    Store(&'static str),
    /// Host and port, or URL, of a server.
    Endpoint,
    /// `path` or `vhost`.
    UrlStyle,
    /// TLS for an endpoint without a scheme.
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

const fn of(
    kind: StoreKind,
    definition: &'static Definition,
    option: &'static str,
    key: Key,
) -> StoreSetting {
    StoreSetting { definition, kind: Some(kind), option, key }
}

const fn common(definition: &'static Definition, option: &'static str, key: Key) -> StoreSetting {
    StoreSetting { definition, kind: None, option, key }
}

use StoreKind::{Azure, Gcs, Http, S3};

/// All settings of object stores.
pub(super) static SETTINGS: [StoreSetting; 25] = [
    of(S3, &stores::S3_ACCESS_KEY_ID, "key_id", Key::Store("aws_access_key_id")),
    of(S3, &stores::S3_SECRET_ACCESS_KEY, "secret", Key::Store("aws_secret_access_key")),
    of(S3, &stores::S3_SESSION_TOKEN, "session_token", Key::Store("aws_session_token")),
    of(S3, &stores::S3_REGION, "region", Key::Store("aws_region")),
    of(S3, &stores::S3_ENDPOINT, "endpoint", Key::Endpoint),
    of(S3, &stores::S3_URL_STYLE, "url_style", Key::UrlStyle),
    of(S3, &stores::S3_USE_SSL, "use_ssl", Key::UseSsl),
    of(S3, &stores::S3_PROFILE, "profile", Key::Profile),
    of(S3, &stores::S3_ANONYMOUS, "anonymous", Key::Store("aws_skip_signature")),
    of(S3, &stores::S3_REQUESTER_PAYS, "requester_pays", Key::Store("aws_request_payer")),
    of(Gcs, &stores::GCS_SERVICE_ACCOUNT, "service_account", Key::Store("google_service_account")),
    of(
        Gcs,
        &stores::GCS_SERVICE_ACCOUNT_KEY,
        "service_account_key",
        Key::Store("google_service_account_key"),
    ),
    of(Gcs, &stores::GCS_ENDPOINT, "endpoint", Key::Endpoint),
    of(Gcs, &stores::GCS_ANONYMOUS, "anonymous", Key::Store("google_skip_signature")),
    of(Azure, &stores::AZURE_ACCOUNT_NAME, "account_name", Key::Store("azure_storage_account_name")),
    of(Azure, &stores::AZURE_ACCOUNT_KEY, "account_key", Key::Store("azure_storage_account_key")),
    of(Azure, &stores::AZURE_SAS_TOKEN, "sas_token", Key::Store("azure_storage_sas_key")),
    of(Azure, &stores::AZURE_TENANT_ID, "tenant_id", Key::Store("azure_storage_tenant_id")),
    of(Azure, &stores::AZURE_CLIENT_ID, "client_id", Key::Store("azure_storage_client_id")),
    of(Azure, &stores::AZURE_CLIENT_SECRET, "client_secret", Key::Store("azure_storage_client_secret")),
    of(Azure, &stores::AZURE_ENDPOINT, "endpoint", Key::Endpoint),
    of(Azure, &stores::AZURE_ANONYMOUS, "anonymous", Key::Store("azure_skip_signature")),
    of(Http, &stores::HTTP_BEARER_TOKEN, "bearer_token", Key::Bearer),
    common(&stores::HTTP_TIMEOUT, "timeout", Key::Timeout),
    common(&stores::HTTP_RETRIES, "retries", Key::Retries),
];

/// Returns whether a setting is one of object stores.
pub(crate) fn is_setting(definition: &Definition) -> bool {
    SETTINGS.iter().any(|setting| setting.definition == definition)
}

/// Values of settings, by name.
pub(super) type Values = BTreeMap<&'static str, String>;

/// Returns a value as text for stores, a secret one, too.
fn revealed(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Secret(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the values for stores among those of a session. Empty text stands for no value.
pub(super) fn of_session(settings: &Settings) -> Values {
    let set = SETTINGS.iter().filter_map(|setting| {
        let value = revealed(settings.get(setting.definition)?);
        (!value.is_empty()).then_some((setting.definition.name, value))
    });
    set.collect()
}

/// Reads an option of CREATE SECRET, the `number`th, and returns the name and value of the setting.
///
/// # Errors
/// There is no such option, or the value is out of range. The message never has the value.
pub(super) fn of_option(
    kind: StoreKind,
    number: usize,
    option: &str,
    value: &str,
) -> Result<(&'static str, String), String> {
    let lower = option.to_ascii_lowercase();
    let mut of_kind = SETTINGS.iter().filter(|setting| setting.is_for(kind));
    let Some(setting) = of_kind.find(|setting| setting.option == lower) else {
        let names = SETTINGS.iter().filter(|setting| setting.is_for(kind));
        let names: Vec<String> = names.map(|setting| setting.option.to_ascii_uppercase()).collect();
        return Err(format!(
            "{} is none of a secret of type {}; there are SCOPE, {}",
            shown_option(number, option),
            kind.name(),
            names.join(", ")
        ));
    };
    let name = lower.to_ascii_uppercase();
    let value = setting.definition.parse(value).map_err(|error| match setting.definition.kind {
        Kind::Count { least, most } => format!("option {name} is a whole number from {least} to {most}"),
        Kind::Switch => format!("option {name} is true or false"),
        Kind::Choice(words) => format!("option {name} is one of {}", words.join(", ")),
        // these never repeat the value
        Kind::Server | Kind::Secret => error.to_string(),
        Kind::Size | Kind::Text | Kind::Zone => format!("option {name} has a value that it can't have"),
    })?;
    let value = revealed(&value);
    match value.is_empty() {
        true => Err(format!("option {name} is empty")),
        false => Ok((setting.definition.name, value)),
    }
}

/// Returns an option of a secret as errors show it: by its name, if there is one of that name, or
/// else by its number, since it may be a value in a wrong place.
pub(crate) fn shown_option(number: usize, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let is_known = ["type", "provider", "scope"].contains(&lower.as_str())
        || SETTINGS.iter().any(|setting| setting.option == lower);
    match is_known {
        true => format!("option {}", name.to_ascii_uppercase()),
        false => format!("option number {number}"),
    }
}

fn number(values: &Values, definition: &Definition) -> u64 {
    let set = values.get(definition.name).and_then(|value| value.parse().ok());
    // the defaults are numbers, as a test shows
    set.or_else(|| definition.default.parse().ok()).unwrap_or_default()
}

/// Returns the time that a request may take.
pub(super) fn timeout(values: &Values) -> Duration {
    Duration::from_secs(number(values, &stores::HTTP_TIMEOUT))
}

/// Returns how often a failed request is repeated.
pub(super) fn retries(values: &Values) -> usize {
    number(values, &stores::HTTP_RETRIES) as usize
}

#[cfg(test)]
mod tests;
