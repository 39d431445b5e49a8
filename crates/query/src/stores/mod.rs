//! Object stores: `s3://`, `gs://`, `az://` and `https://`.
//!
//! [`Stores`] opens them for the listing of `pelton-pages`, with settings from secrets, SET, the
//! environment and AWS's profiles, in this order. Values of secrets never leave it.

mod address;
mod client;
mod open;
mod output;
mod profile;
mod secrets;
mod settings;
mod signatures;
mod upload;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::ObjectStore;
use parking_lot::Mutex;
use pelton_pages::listing::{OpenStore, OpenedStore};
use pelton_settings::Settings;

use crate::error::{Error, Result};
use address::Address;
use client::IoThread;
pub use output::{Output, StoreFile};
pub(crate) use output::{StoreFolder, check_is_one, is_in_store, shown_place, unused_mark};
pub(crate) use secrets::SecretsFunction;
pub use secrets::{Secret, SecretOptions};
pub use settings::StoreKind;
use settings::Values;
pub(crate) use settings::{is_setting, shown_option};
use signatures::Signatures;
pub use upload::Upload;

/// Stores that are kept open. More are closed all at once, since opening one costs little beside
/// its first request.
const MAX_OPENED: usize = 64;

/// Object stores of an engine, with their settings.
#[derive(Default)]
pub struct Stores {
    state: Mutex<State>,
    /// Shared with branches.
    io: Arc<OnceLock<IoThread>>,
    signatures: Signatures,
    /// Clouds of which the machine's own role was tried, with the result.
    roles: Mutex<BTreeMap<StoreKind, bool>>,
}

#[derive(Default)]
struct State {
    set: Values,
    secrets: Vec<Secret>,
    opened: HashMap<String, Opened>,
}

/// An open store and its address.
#[derive(Clone)]
struct Opened {
    store: Arc<dyn ObjectStore>,
    origin: Arc<str>,
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stores")
    }
}

impl Stores {
    /// Takes over the settings of a session. If one has changed, stores are opened anew; files that
    /// are open stay with their store.
    pub fn configure(&self, settings: &Settings) {
        let set = settings::of_session(settings);
        let mut state = self.state.lock();
        if state.set != set {
            state.set = set;
            state.opened.clear();
            drop(state);
            self.roles.lock().clear();
        }
    }

    /// Returns stores with the present settings and secrets, for another session.
    pub fn branch(&self) -> Self {
        let state = self.state.lock();
        let state = State { set: state.set.clone(), secrets: state.secrets.clone(), opened: HashMap::new() };
        let roles = self.roles.lock().clone();
        let (io, signatures) = (self.io.clone(), self.signatures.clone());
        Self { state: Mutex::new(state), io, signatures, roles: Mutex::new(roles) }
    }

    /// Adds a secret. `replaces` allows it to take the place of one with its name.
    ///
    /// # Errors
    /// A secret of that name is there.
    pub fn add_secret(&self, secret: Secret, replaces: bool) -> Result<()> {
        let mut state = self.state.lock();
        let existing = state.secrets.iter().position(|other| other.name == secret.name);
        match existing {
            Some(index) if replaces => state.secrets[index] = secret,
            Some(_) => {
                let name = &secret.name;
                return Err(Error::Query(format!(
                    "there is a secret {name}; CREATE OR REPLACE SECRET replaces it"
                )));
            }
            None => state.secrets.push(secret),
        }
        state.opened.clear();
        drop(state);
        self.roles.lock().clear();
        Ok(())
    }

    /// Removes a secret, and returns whether it was there.
    pub fn remove_secret(&self, name: &str) -> bool {
        let mut state = self.state.lock();
        let before = state.secrets.len();
        state.secrets.retain(|secret| secret.name != name);
        state.opened.clear();
        state.secrets.len() < before
    }

    /// Returns the names of the secrets, in the order of their creation.
    pub fn secrets(&self) -> Vec<String> {
        self.state.lock().secrets.iter().map(|secret| secret.name.clone()).collect()
    }

    /// Returns the name of a table of files with numbers in place of query strings, which may be
    /// signatures.
    pub(crate) fn hide<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.signatures.hide(name)
    }

    /// Returns a name as it was before [`hide`](Self::hide).
    pub(crate) fn reveal<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.signatures.reveal(name)
    }

    /// Returns the settings for an address: those of the secret with the longest scope, before
    /// those that were set.
    fn values(&self, kind: StoreKind, address: &str) -> Values {
        let state = self.state.lock();
        let of_kind = settings::SETTINGS.iter().filter(|setting| setting.is_for(kind));
        let set = of_kind.filter_map(|setting| state.set.get_key_value(setting.definition.name));
        let mut values: Values = set.map(|(name, value)| (*name, value.clone())).collect();
        let secrets = state.secrets.iter().filter(|secret| secret.kind == kind && secret.covers(address));
        if let Some(secret) = secrets.max_by_key(|secret| secret.scope.len()) {
            if secret.has_credentials() {
                values.retain(|name, _| !secrets::is_credential(name));
            }
            values.extend(secret.values.iter().map(|(name, value)| (*name, value.clone())));
        }
        values
    }

    /// Returns the thread for network I/O.
    fn io(&self) -> Result<&IoThread, String> {
        if let Some(io) = self.io.get() {
            return Ok(io);
        }
        let started = IoThread::start().map_err(|e| format!("cannot start a thread for network I/O: {e}"))?;
        // another thread may have been faster
        Ok(self.io.get_or_init(|| started))
    }

    async fn opened(&self, address: &str) -> Result<OpenedStore, String> {
        let parsed = Address::parse(address)?;
        let found = self.state.lock().opened.get(&parsed.key).cloned();
        let opened = match found {
            Some(opened) => opened,
            None => {
                let values = self.values(parsed.kind, address);
                let opened = open::open(self, &parsed, &values).await?;
                let mut state = self.state.lock();
                if state.opened.len() >= MAX_OPENED {
                    state.opened.clear();
                }
                state.opened.insert(parsed.key.clone(), opened.clone());
                opened
            }
        };
        let is_listed = parsed.kind != StoreKind::Http;
        Ok(OpenedStore { store: opened.store, origin: opened.origin, path: parsed.path, is_listed })
    }
}

impl OpenStore for Stores {
    fn open<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<OpenedStore, String>> {
        self.opened(address).boxed()
    }
}
