//! Addresses of files in stores.

use url::Url;

use super::settings::StoreKind;

/// The parts of a URL.
#[derive(Debug)]
pub(super) struct Address {
    pub kind: StoreKind,
    /// Text that is the same for all files of a store.
    pub key: String,
    /// The path in the store.
    pub path: String,
    /// Bucket or container; server for the web.
    pub host: String,
    /// URL for the builders of object_store.
    pub url: String,
    pub query: Option<String>,
}

impl Address {
    pub fn parse(address: &str) -> Result<Self, String> {
        let (scheme, rest) = address.split_once("://").ok_or("it is no URL")?;
        let kind = StoreKind::of_scheme(scheme).ok_or_else(|| {
            format!("{scheme}:// is not supported; there are s3://, gs://, az://, https:// and local files")
        })?;
        if kind == StoreKind::Http {
            return Self::of_web(address);
        }
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return Err(format!("the bucket is missing: {scheme}://bucket/path"));
        }
        // abfss://container@account has no password
        if host.rsplit_once('@').is_some_and(|(user, _)| kind != StoreKind::Azure || user.contains(':')) {
            let what = "an address has no name and password; use CREATE SECRET";
            return Err(what.to_owned());
        }
        let (host, path) = (host.to_owned(), path.to_owned());
        match kind {
            // az://account.blob.core.windows.net/container/path
            StoreKind::Azure if host.contains('.') && !host.contains('@') => {
                let (container, path) = path.split_once('/').unwrap_or((&path, ""));
                let url = format!("https://{host}/{container}");
                Ok(Self {
                    kind,
                    key: url.clone(),
                    path: path.to_owned(),
                    host: container.to_owned(),
                    url,
                    query: None,
                })
            }
            _ => {
                let url = format!("{scheme}://{host}");
                Ok(Self { kind, key: url.clone(), path, host, url, query: None })
            }
        }
    }

    fn of_web(address: &str) -> Result<Self, String> {
        let url = Url::parse(address).map_err(|e| e.to_string())?;
        if !url.username().is_empty() || url.password().is_some() {
            let what = "a name and a password in an address would be shown in plans; use CREATE SECRET \
                        (TYPE http, BEARER_TOKEN '…', SCOPE 'https://…')";
            return Err(what.to_owned());
        }
        let base = url[..url::Position::BeforePath].to_owned();
        let path = object_store::path::Path::from_url_path(url.path()).map_err(|e| e.to_string())?;
        let query = url.query().map(str::to_owned);
        let key = query.as_ref().map_or_else(|| base.clone(), |query| format!("{base}?{query}"));
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self { kind: StoreKind::Http, key, path: path.into(), host, url: base, query })
    }
}

#[cfg(test)]
mod tests;
