//! HTTP client of the object stores: requests run on a thread of their own, and are counted.

use std::fmt;
use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use async_trait::async_trait;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    SpawnedReqwestConnector,
};
use object_store::{ClientOptions, HeaderValue};
use pelton_pages::traffic;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Thread for network I/O. The threads of a query may decode for longer than a server waits.
#[derive(Debug, Clone)]
pub(super) struct IoThread {
    handle: Handle,
    /// Dropped with the last clone, which ends the thread.
    _ends: Arc<oneshot::Sender<()>>,
}

impl IoThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread, or no sockets.
    pub fn start() -> io::Result<Self> {
        let (ends, ended) = oneshot::channel::<()>();
        let (started, starts) = mpsc::channel();
        thread::Builder::new().name("pelton-io".to_owned()).spawn(move || {
            match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => {
                    // the other side waits for it
                    let _ = started.send(Ok(runtime.handle().clone()));
                    let _ = runtime.block_on(ended);
                }
                Err(error) => _ = started.send(Err(error)),
            }
        })?;
        let handle = starts.recv().map_err(|_| io::Error::other("the thread for network I/O ended"))??;
        Ok(Self { handle, _ends: Arc::new(ends) })
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Makes clients that run on an [`IoThread`].
pub(super) struct Connector {
    pub io: Handle,
    /// Query string of the address, which may be a signature.
    pub query: Option<String>,
    /// Value of the header `Authorization`.
    pub authorization: Option<HeaderValue>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = SpawnedReqwestConnector::new(self.io.clone()).connect(options)?;
        let (query, authorization) = (self.query.clone(), self.authorization.clone());
        Ok(HttpClient::new(Counted { inner, query, authorization }))
    }
}

/// A client that counts its requests.
struct Counted {
    inner: HttpClient,
    query: Option<String>,
    authorization: Option<HeaderValue>,
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

#[async_trait]
impl HttpService for Counted {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(query) = &self.query {
            let address = format!("{}?{query}", request.uri());
            let address = address.parse();
            *request.uri_mut() = address.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        }
        if let Some(value) = &self.authorization {
            request.headers_mut().insert("authorization", value.clone());
        }
        let start = Instant::now();
        let response = self.inner.execute(request).await;
        traffic::request(start.elapsed());
        response
    }
}
