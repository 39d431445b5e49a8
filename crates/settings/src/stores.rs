//! Definitions of the settings of object stores.

use crate::definition::{Definition, Kind};

/// Returns a setting that is neither an option of the command nor one of the extension.
const fn setting(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    description: &'static str,
) -> Definition {
    let (aliases, opposite): (&[&str], _) = (&[], None);
    Definition {
        name,
        aliases,
        opposite,
        kind,
        default,
        description,
        option: None,
        in_python: false,
        duckdb: None,
    }
}

const fn text(name: &'static str, description: &'static str) -> Definition {
    setting(name, Kind::Text, "", description)
}

const fn secret(name: &'static str, description: &'static str) -> Definition {
    setting(name, Kind::Secret, "", description)
}

const fn switch(name: &'static str, description: &'static str) -> Definition {
    setting(name, Kind::Switch, "false", description)
}

/// Identifier of S3's access key.
pub static S3_ACCESS_KEY_ID: Definition = text("s3_access_key_id", "Identifier of the access key of S3");

/// S3's secret access key.
pub static S3_SECRET_ACCESS_KEY: Definition = secret("s3_secret_access_key", "Secret access key of S3");

/// Token of a session with S3.
pub static S3_SESSION_TOKEN: Definition = secret("s3_session_token", "Token of a session with S3");

/// Region of the buckets of S3.
pub static S3_REGION: Definition =
    setting("s3_region", Kind::Text, "the bucket's", "Region of the buckets of S3");

/// Server with the interface of S3.
pub static S3_ENDPOINT: Definition = setting(
    "s3_endpoint",
    Kind::Server,
    "Amazon's",
    "Server with the interface of S3: host:port, or a URL with http:// or https://",
);

/// Place of the bucket in addresses of S3.
pub static S3_URL_STYLE: Definition = setting(
    "s3_url_style",
    Kind::Choice(&["path", "vhost"]),
    "path",
    "Place of the bucket in requests to S3: in the path, or in the server's name",
);

/// Use of TLS for a server without a scheme.
pub static S3_USE_SSL: Definition =
    setting("s3_use_ssl", Kind::Switch, "true", "Reach s3_endpoint by TLS if it has no scheme");

/// Profile in AWS's files.
pub static S3_PROFILE: Definition = text(
    "s3_profile",
    "Profile in ~/.aws/config and ~/.aws/credentials, stronger than the environment's variables",
);

/// Requests to S3 without a signature.
pub static S3_ANONYMOUS: Definition = switch("s3_anonymous", "Send requests to S3 without a signature");

/// Requests to S3 that the sender pays for.
pub static S3_REQUESTER_PAYS: Definition =
    switch("s3_requester_pays", "Accept to be charged for requests to S3");

/// Key file of a service account of Google.
pub static GCS_SERVICE_ACCOUNT: Definition =
    text("gcs_service_account", "Key file of a service account of Google Cloud Storage");

/// Contents of a key file of Google.
pub static GCS_SERVICE_ACCOUNT_KEY: Definition =
    secret("gcs_service_account_key", "Contents of such a key file, JSON");

/// Server with the interface of Google Cloud Storage.
pub static GCS_ENDPOINT: Definition = setting(
    "gcs_endpoint",
    Kind::Server,
    "Google's",
    "Server with the interface of Google Cloud Storage, a URL",
);

/// Requests to Google without credentials.
pub static GCS_ANONYMOUS: Definition = switch("gcs_anonymous", "Send no credentials to Google Cloud Storage");

/// Storage account of Azure.
pub static AZURE_ACCOUNT_NAME: Definition = text("azure_account_name", "Storage account of Azure");

/// Key of a storage account of Azure.
pub static AZURE_ACCOUNT_KEY: Definition = secret("azure_account_key", "Key of the storage account");

/// Shared access signature of Azure.
pub static AZURE_SAS_TOKEN: Definition = secret("azure_sas_token", "Shared access signature of Azure");

/// Tenant of a service principal of Azure.
pub static AZURE_TENANT_ID: Definition = text("azure_tenant_id", "Tenant of a service principal of Azure");

/// Service principal of Azure.
pub static AZURE_CLIENT_ID: Definition = text("azure_client_id", "Service principal of Azure");

/// Secret of a service principal of Azure.
pub static AZURE_CLIENT_SECRET: Definition = secret("azure_client_secret", "Secret of the service principal");

/// Server with the interface of Azure's storage.
pub static AZURE_ENDPOINT: Definition =
    setting("azure_endpoint", Kind::Server, "Azure's", "Server with the interface of Azure's storage, a URL");

/// Requests to Azure without credentials.
pub static AZURE_ANONYMOUS: Definition = switch("azure_anonymous", "Send no credentials to Azure");

/// Token for web servers. It is no setting of a session, which would send it to every server: only
/// a secret has it, for the servers of its scope.
pub static HTTP_BEARER_TOKEN: Definition = secret("http_bearer_token", "Token for web servers");

/// Seconds of a request.
pub static HTTP_TIMEOUT: Definition = setting(
    "http_timeout",
    Kind::Count { least: 1, most: 3600 },
    "30",
    "Seconds that a request to a store or a web server may take; later it is not repeated",
);

/// Repetitions of a failed request.
pub static HTTP_RETRIES: Definition = setting(
    "http_retries",
    Kind::Count { least: 0, most: 20 },
    "4",
    "Repetitions of a failed request to a store or a web server",
);
