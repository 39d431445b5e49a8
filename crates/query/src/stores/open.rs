//! Opening of a store: its address, its settings, and the credentials that are used.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, resolve_bucket_region};
use object_store::azure::{AzureConfigKey, MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorage, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientOptions, CredentialProvider, HeaderValue, ObjectStore, RetryConfig};
use pelton_pages::store_message;
use pelton_settings::stores::{HTTP_BEARER_TOKEN, S3_PROFILE, S3_URL_STYLE, S3_USE_SSL};

use super::address::Address;
use super::client::Connector;
use super::settings::{self, Key, StoreKind, Values};
use super::{Opened, Stores, profile};

/// Time for the machine's own role to be found. Machines without one don't answer at all.
const ROLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens a store.
///
/// # Errors
/// A setting is missing or refused; the message has no secret.
pub(super) async fn open(stores: &Stores, address: &Address, values: &Values) -> Result<Opened, String> {
    let endpoint = endpoint(address.kind, values);
    let opening = Opening { stores, address, values, endpoint };
    let store: Arc<dyn ObjectStore> = match address.kind {
        StoreKind::S3 => Arc::new(opening.s3().await?),
        StoreKind::Gcs => Arc::new(opening.gcs().await?),
        StoreKind::Azure => Arc::new(opening.azure().await?),
        StoreKind::Http => opening.http()?,
    };
    let origin = match &opening.endpoint {
        Some(endpoint) => format!("{} at {endpoint}", address.url),
        None => address.url.clone(),
    };
    Ok(Opened { store, origin: origin.into() })
}

/// Returns the URL of a server that was set.
fn endpoint(kind: StoreKind, values: &Values) -> Option<String> {
    let setting = settings::SETTINGS.iter().find(|s| s.kind == Some(kind) && s.key == Key::Endpoint)?;
    let endpoint = values.get(setting.definition.name)?;
    let tls = values.get(S3_USE_SSL.name).is_none_or(|value| value == "true");
    Some(match endpoint.contains("://") {
        true => endpoint.clone(),
        false if tls => format!("https://{endpoint}"),
        false => format!("http://{endpoint}"),
    })
}

/// Builds a store with the client of an opening and the settings of a cloud. The builders of the
/// clouds have no trait in common.
macro_rules! built {
    ($opening:expr, $start:expr, $client:expr, $config:expr) => {{
        let start = $start
            .with_client_options($client.clone())
            .with_retry($opening.retries())
            .with_http_connector($opening.connector()?);
        $config.iter().fold(start, |builder, (key, value)| builder.with_config(*key, value.clone())).build()
    }};
}

/// Settings of a cloud's store, and the way to build it.
struct Cloud<K, B> {
    config: HashMap<K, String>,
    build: B,
    /// The settings have credentials.
    is_signed: bool,
    /// The machine's own role may be asked for.
    has_role: bool,
    /// Key of requests without a signature.
    anonymous: K,
}

impl<K: Copy + Eq + Hash, B> Cloud<K, B> {
    /// Builds the store, with the credentials of the settings, or else the machine's role, or else
    /// without any.
    ///
    /// # Errors
    /// A setting is missing or refused.
    async fn open<S, C>(
        mut self,
        opening: &Opening<'_>,
        credentials: impl Fn(&S) -> Arc<dyn CredentialProvider<Credential = C>>,
    ) -> Result<S, String>
    where
        B: Fn(&HashMap<K, String>) -> Result<S, String>,
        C: fmt::Debug + Send + Sync,
    {
        let store = (self.build)(&self.config)?;
        if self.is_signed || self.config.contains_key(&self.anonymous) {
            return Ok(store);
        }
        let provider = credentials(&store);
        let has_role = self.has_role;
        if opening.has_role(async { has_role && provider.get_credential().await.is_ok() }).await {
            return Ok(store);
        }
        self.config.insert(self.anonymous, "true".to_owned());
        (self.build)(&self.config)
    }
}

struct Opening<'a> {
    stores: &'a Stores,
    address: &'a Address,
    values: &'a Values,
    endpoint: Option<String>,
}

impl Opening<'_> {
    fn connector(&self) -> Result<Connector, String> {
        let authorization = self.values.get(HTTP_BEARER_TOKEN.name).map(|token| {
            let header = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut header = header.map_err(|_| "http_bearer_token: it has characters that no header has")?;
            header.set_sensitive(true);
            Ok::<_, String>(header)
        });
        let io = self.stores.io()?.handle().clone();
        Ok(Connector { io, query: self.address.query.clone(), authorization: authorization.transpose()? })
    }

    fn client(&self, server: Option<&str>) -> ClientOptions {
        ClientOptions::new()
            .with_timeout(settings::timeout(self.values))
            .with_allow_http(server.is_some_and(|server| server.starts_with("http://")))
    }

    fn retries(&self) -> RetryConfig {
        RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(5),
                base: 2.,
            },
            max_retries: settings::retries(self.values),
            retry_timeout: settings::timeout(self.values),
        }
    }

    /// Returns settings by the keys of a cloud, of which an environment variable may have others.
    fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().filter_map(|(name, value)| {
            let setting = settings::SETTINGS.iter().find(|setting| setting.definition.name == *name)?;
            match setting.key {
                Key::Store(key) => Some((key, value.as_str())),
                _ => None,
            }
        })
    }

    async fn s3(&self) -> Result<AmazonS3, String> {
        let mut config = self.s3_config()?;
        let endpoint = self.endpoint.clone().or_else(|| {
            config
                .remove(&AmazonS3ConfigKey::S3Endpoint)
                .or_else(|| config.remove(&AmazonS3ConfigKey::Endpoint))
        });
        config.remove(&AmazonS3ConfigKey::S3Endpoint);
        config.remove(&AmazonS3ConfigKey::Endpoint);
        let client = self.client(endpoint.as_deref());
        let is_virtual = self.values.get(S3_URL_STYLE.name).is_some_and(|style| style == "vhost");
        if let Some(endpoint) = &endpoint {
            let server = match endpoint.split_once("://") {
                Some((scheme, host)) if is_virtual => format!("{scheme}://{}.{host}", self.address.host),
                _ => endpoint.clone(),
            };
            config.insert(AmazonS3ConfigKey::Endpoint, server);
        }
        if is_virtual {
            config.insert(AmazonS3ConfigKey::VirtualHostedStyleRequest, "true".to_owned());
        }
        let has_region = [AmazonS3ConfigKey::Region, AmazonS3ConfigKey::DefaultRegion]
            .iter()
            .any(|key| config.contains_key(key));
        if !has_region && endpoint.is_none() {
            let (bucket, options) = (self.address.host.clone(), client.clone());
            let found = async move { resolve_bucket_region(&bucket, &options).await };
            // without an answer the first request says what is wrong
            if let Ok(Ok(region)) = self.stores.io()?.handle().spawn(found).await {
                config.insert(AmazonS3ConfigKey::Region, region);
            }
        }
        let is_disabled = std::env::var("AWS_EC2_METADATA_DISABLED").is_ok_and(|value| value == "true");
        let cloud = Cloud {
            is_signed: CREDENTIALS.iter().any(|key| config.contains_key(key)),
            has_role: !is_disabled,
            anonymous: AmazonS3ConfigKey::SkipSignature,
            config,
            build: |config: &HashMap<AmazonS3ConfigKey, String>| {
                let start = AmazonS3Builder::new().with_bucket_name(&self.address.host);
                built!(self, start, client, config).map_err(|e| store_message(&e))
            },
        };
        cloud.open(self, |store| store.credentials().clone()).await
    }

    /// Returns the settings of S3, from the weakest to the strongest place. A place with a key
    /// replaces the credentials of weaker places as a whole.
    fn s3_config(&self) -> Result<HashMap<AmazonS3ConfigKey, String>, String> {
        let explicit = self.values.get(S3_PROFILE.name).map(String::as_str);
        let profile = profile::read(explicit)?;
        let environment = environment("AWS_");
        let set: Vec<_> = self.pairs().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let places = match explicit {
            Some(_) => [environment, profile, set],
            None => [profile, environment, set],
        };
        let mut config = HashMap::new();
        for place in places {
            let known = place.into_iter().filter_map(|(key, value)| Some((key.parse().ok()?, value)));
            let known: Vec<(AmazonS3ConfigKey, String)> = known.collect();
            if known.iter().any(|(key, _)| CREDENTIALS.contains(key)) {
                config.retain(|key, _| !CREDENTIALS.contains(key) && *key != AmazonS3ConfigKey::Token);
            }
            config.extend(known);
        }
        Ok(config)
    }

    async fn gcs(&self) -> Result<GoogleCloudStorage, String> {
        let mut config: HashMap<GoogleConfigKey, String> = HashMap::new();
        let set = self.pairs().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let set: Vec<_> = set.collect();
        if !set.iter().any(|(key, _)| key.starts_with("google_service_account")) {
            config.extend(environment("GOOGLE_").into_iter().filter_map(|(k, v)| Some((k.parse().ok()?, v))));
        }
        config.extend(set.into_iter().filter_map(|(key, value)| Some((key.parse().ok()?, value))));
        if let Some(endpoint) = &self.endpoint {
            config.insert(GoogleConfigKey::BaseUrl, endpoint.clone());
        }
        let client = self.client(self.endpoint.as_deref());
        let keys = [
            GoogleConfigKey::ServiceAccount,
            GoogleConfigKey::ServiceAccountKey,
            GoogleConfigKey::ApplicationCredentials,
        ];
        let cloud = Cloud {
            is_signed: keys.iter().any(|key| config.contains_key(key)),
            has_role: true,
            anonymous: GoogleConfigKey::SkipSignature,
            config,
            build: |config: &HashMap<GoogleConfigKey, String>| {
                let start = GoogleCloudStorageBuilder::new().with_bucket_name(&self.address.host);
                built!(self, start, client, config).map_err(|e| store_message(&e))
            },
        };
        cloud.open(self, |store| store.credentials().clone()).await
    }

    async fn azure(&self) -> Result<MicrosoftAzure, String> {
        let mut config: HashMap<AzureConfigKey, String> = HashMap::new();
        let set: Vec<_> = self.pairs().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let is_credential = |key: &AzureConfigKey| AZURE_CREDENTIALS.contains(key);
        let set: Vec<(AzureConfigKey, String)> =
            set.into_iter().filter_map(|(key, value)| Some((key.parse().ok()?, value))).collect();
        let has_own = set.iter().any(|(key, _)| is_credential(key));
        let from_environment = environment("AZURE_").into_iter();
        let from_environment = from_environment.filter_map(|(key, value)| Some((key.parse().ok()?, value)));
        config.extend(from_environment.filter(|(key, _)| !has_own || !is_credential(key)));
        config.extend(set);
        if let Some(endpoint) = &self.endpoint {
            config.insert(AzureConfigKey::Endpoint, endpoint.clone());
        }
        let client = self.client(self.endpoint.as_deref());
        let cloud = Cloud {
            is_signed: config.keys().any(is_credential),
            has_role: true,
            anonymous: AzureConfigKey::SkipSignature,
            config,
            build: |config: &HashMap<AzureConfigKey, String>| {
                let start = MicrosoftAzureBuilder::new().with_url(&self.address.url);
                built!(self, start, client, config).map_err(|e| match store_message(&e) {
                    message if message.contains("Account must be specified") => {
                        "the storage account is missing: SET azure_account_name = '…'".to_owned()
                    }
                    message => message,
                })
            },
        };
        cloud.open(self, |store| store.credentials().clone()).await
    }

    fn http(&self) -> Result<Arc<dyn ObjectStore>, String> {
        let store = HttpBuilder::new()
            .with_url(&self.address.url)
            .with_client_options(self.client(Some(&self.address.url)))
            .with_retry(self.retries())
            .with_http_connector(self.connector()?)
            .build();
        Ok(Arc::new(store.map_err(|e| store_message(&e))?))
    }

    /// Returns whether the machine has a role of its own with credentials for the cloud, asked once
    /// for all stores. Without one, requests are anonymous, as public data needs them.
    async fn has_role(&self, role: impl Future<Output = bool>) -> bool {
        let known = self.stores.roles.lock().get(&self.address.kind).copied();
        if let Some(known) = known {
            return known;
        }
        let found = tokio::time::timeout(ROLE_TIMEOUT, role).await.unwrap_or(false);
        self.stores.roles.lock().insert(self.address.kind, found);
        found
    }
}

/// Keys of S3 that stand for credentials.
const CREDENTIALS: [AmazonS3ConfigKey; 5] = [
    AmazonS3ConfigKey::AccessKeyId,
    AmazonS3ConfigKey::SecretAccessKey,
    AmazonS3ConfigKey::WebIdentityTokenFile,
    AmazonS3ConfigKey::ContainerCredentialsRelativeUri,
    AmazonS3ConfigKey::ContainerCredentialsFullUri,
];

/// Keys of Azure that stand for credentials.
const AZURE_CREDENTIALS: [AzureConfigKey; 6] = [
    AzureConfigKey::AccessKey,
    AzureConfigKey::SasKey,
    AzureConfigKey::Token,
    AzureConfigKey::ClientSecret,
    AzureConfigKey::FederatedTokenFile,
    AzureConfigKey::UseAzureCli,
];

/// Returns the environment variables with a prefix, their names in small letters.
fn environment(prefix: &str) -> Vec<(String, String)> {
    let text = std::env::vars_os()
        .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
    let named = text.filter(|(key, value)| key.starts_with(prefix) && !value.is_empty());
    named.map(|(key, value)| (key.to_ascii_lowercase(), value)).collect()
}
