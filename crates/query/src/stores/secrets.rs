//! Secrets: settings of stores under a name, for the addresses below a scope.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::datasource::MemTable;
use datafusion::error::Result as DataFusionResult;
use datafusion::prelude::SessionContext;
use pelton_pages::listing::shown;
use pelton_settings::Kind;
use url::Url;

use super::Stores;
use super::settings::{self, SETTINGS, StoreKind, Values};
use crate::error::{Error, Result, wrap};

/// Settings of stores under a name.
#[derive(Clone)]
pub struct Secret {
    pub(super) name: String,
    pub(super) kind: StoreKind,
    /// Start of the addresses that it is for; empty: all.
    pub(super) scope: String,
    pub(super) values: Values,
}

/// Options of a secret as they were written: names and values.
pub type SecretOptions = Vec<(String, String)>;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Secret {
    /// Makes a secret of the options of `CREATE SECRET`. Without a name it is called after its
    /// type.
    ///
    /// # Errors
    /// The type is missing or unknown, or an option is unknown or refused.
    pub fn new(name: Option<&str>, options: &SecretOptions) -> Result<Self> {
        let query = |what: String| Error::Query(what);
        let option = |name: &str| {
            let found = options.iter().find(|(option, _)| option.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.as_str())
        };
        let types = || StoreKind::ALL.map(StoreKind::name).join(", ");
        let Some(kind) = option("type") else {
            return Err(query(format!("CREATE SECRET needs a TYPE: one of {}", types())));
        };
        let lower = kind.to_ascii_lowercase();
        let kind = match StoreKind::ALL.into_iter().find(|other| other.name() == lower) {
            Some(kind) => kind,
            None => return Err(query(format!("the TYPE of a secret is one of {}", types()))),
        };
        match option("provider").map(str::to_ascii_lowercase).as_deref() {
            None | Some("config" | "credential_chain") => {}
            Some(_) => {
                return Err(query("the PROVIDER of a secret is config or credential_chain".to_owned()));
            }
        }
        let scope = option("scope").unwrap_or_default().to_owned();
        if kind == StoreKind::Http && scope.is_empty() {
            let what = "a secret of type http needs a SCOPE, the start of the addresses that it is sent to: \
                        SCOPE 'https://…'";
            return Err(query(what.to_owned()));
        }
        let mut values = Values::new();
        for (index, (name, value)) in options.iter().enumerate() {
            if ["type", "provider", "scope"].iter().any(|other| name.eq_ignore_ascii_case(other)) {
                continue;
            }
            let (name, value) = settings::of_option(kind, index + 1, name, value).map_err(query)?;
            values.insert(name, value);
        }
        let name = name.map_or_else(|| format!("__default_{}", kind.name()), str::to_owned);
        Ok(Self { name, kind, scope, values })
    }

    /// Returns the secret's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the secret is for an address. A scope ends where a part of the path ends.
    pub(super) fn covers(&self, address: &str) -> bool {
        let Some(rest) = address.strip_prefix(&*self.scope) else { return false };
        if self.kind == StoreKind::Http && !stays_below(&self.scope, address) {
            return false;
        }
        self.scope.is_empty() || self.scope.ends_with('/') || rest.is_empty() || rest.starts_with(['/', '?'])
    }

    pub(super) fn has_credentials(&self) -> bool {
        self.values.keys().any(|name| is_credential(name))
    }
}

/// Returns whether a web address is below another one once `..` is resolved, as it is sent.
fn stays_below(scope: &str, address: &str) -> bool {
    match (Url::parse(scope), Url::parse(address)) {
        (Ok(scope), Ok(address)) => address.as_str().starts_with(scope.as_str()),
        _ => false,
    }
}

/// Returns whether a setting is part of the credentials, which are used together.
pub(super) fn is_credential(name: &str) -> bool {
    matches!(name, "s3_access_key_id" | "s3_profile" | "azure_client_id" | "gcs_service_account")
        || SETTINGS.iter().any(|s| s.definition.name == name && s.definition.kind == Kind::Secret)
}

/// The table function `pelton_secrets()`: names, types and scopes, without values.
#[derive(Debug)]
pub(crate) struct SecretsFunction {
    stores: Arc<Stores>,
}

impl SecretsFunction {
    /// Registers the function for a session's stores.
    pub fn register(context: &SessionContext, stores: Arc<Stores>) {
        context.register_udtf("pelton_secrets", Arc::new(Self { stores }));
    }
}

impl TableFunctionImpl for SecretsFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> DataFusionResult<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return Err(wrap(Error::Query("pelton_secrets() takes no arguments".to_owned())));
        }
        let secrets = self.stores.state.lock().secrets.clone();
        let column = |text: fn(&Secret) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(secrets.iter().map(text)))
        };
        let options = |secret: &Secret| secret.values.keys().copied().collect::<Vec<_>>().join(", ");
        let columns = [
            ("name", column(|secret| secret.name.clone())),
            ("type", column(|secret| secret.kind.name().to_owned())),
            ("scope", column(|secret| shown(&secret.scope).into_owned())),
            ("settings", column(options)),
        ];
        let fields = columns.iter().map(|(name, _)| Field::new(*name, DataType::Utf8, false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batch =
            RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, column)| column).collect())?;
        Ok(Arc::new(MemTable::try_new(schema, vec![vec![batch]])?))
    }
}

#[cfg(test)]
mod tests;
