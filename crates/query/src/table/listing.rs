//! From what a user calls a table's place to the files that lie there.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use pelton_pages::{Location, unescape};
use url::Url;

use crate::error::{Error, Result};

/// A file of a table, with the values that its path gives to partition columns:
/// `year=2024/part-0.parquet`.
#[derive(Debug, Clone)]
pub struct ListedFile {
    /// Where it lies.
    pub location: Location,
    /// `(column, value)` from the path, outermost first.
    pub partitions: Vec<(String, String)>,
}

/// File names that are taken from a directory.
const EXTENSIONS: [&str; 3] = [".parquet", ".parq", ".pq"];

/// Lists the files at a location: a file, a directory (all Parquet files below it), a glob, or a
/// URL of an object store.
///
/// # Errors
/// There is nothing, or it can't be listed.
pub async fn list(location: &str) -> Result<Vec<ListedFile>> {
    let place = Place::new(location)?;
    let files = place.files().await?;
    if files.is_empty() {
        let what = match place.glob {
            Some(_) => "no file matches",
            None => "the directory holds no file that ends in .parquet, .parq or .pq",
        };
        return Err(Error::Missing(format!("{location}: {what}")));
    }
    let listed = files.into_iter().map(|meta| {
        let relative = place.relative(&meta);
        let name = if relative.is_empty() { location.to_owned() } else { place.name(&relative) };
        let partitions = partitions(&relative);
        ListedFile { location: Location::new(place.store.clone(), meta, name), partitions }
    });
    Ok(listed.collect())
}

struct Place {
    location: String,
    store: Arc<dyn ObjectStore>,
    /// The part of the path before the first wildcard.
    base: Path,
    /// The pattern for what follows, if there are wildcards.
    glob: Option<Pattern>,
}

impl Place {
    fn new(location: &str) -> Result<Self> {
        let error = |what: String| Error::Table(format!("{location}: {what}"));
        if location.contains("://") && !location.starts_with("file://") {
            let url = Url::parse(location).map_err(|e| error(e.to_string()))?;
            // credentials and regions come from the environment, under the names that each cloud's
            // own tools use
            let settings = std::env::vars_os().filter_map(|(key, value)| {
                Some((key.into_string().ok()?.to_ascii_lowercase(), value.into_string().ok()?))
            });
            let (store, path) = object_store::parse_url_opts(&url, settings).map_err(|e| {
                error(format!(
                    "{e}; object stores other than local files need a build with the feature `cloud`"
                ))
            })?;
            let (base, glob) = split_glob(path.as_ref()).map_err(&error)?;
            let base = Path::parse(base).map_err(|e| error(e.to_string()))?;
            return Ok(Self { location: location.to_owned(), store: store.into(), base, glob });
        }
        let path = location.strip_prefix("file://").unwrap_or(location);
        // a file whose name holds a wildcard character is meant itself
        let (base, glob) =
            if FilePath::new(path).exists() { (path, None) } else { split_glob(path).map_err(&error)? };
        let base = if base.is_empty() { "." } else { base };
        let absolute: PathBuf = std::fs::canonicalize(base).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::Missing(format!("{location}: no such file or directory")),
            _ => error(e.to_string()),
        })?;
        let base = Path::from_absolute_path(&absolute).map_err(|e| error(e.to_string()))?;
        Ok(Self { location: location.to_owned(), store: Arc::new(LocalFileSystem::new()), base, glob })
    }

    async fn files(&self) -> Result<Vec<ObjectMeta>> {
        let error = |e: object_store::Error| Error::Table(format!("{}: {e}", self.location));
        if self.glob.is_none()
            && let Ok(meta) = self.store.head(&self.base).await
        {
            return Ok(vec![meta]);
        }
        let mut files: Vec<ObjectMeta> =
            self.store.list(Some(&self.base)).try_collect().await.map_err(error)?;
        files.retain(|meta| self.wants(meta));
        files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(files)
    }

    fn wants(&self, meta: &ObjectMeta) -> bool {
        let relative = self.relative(meta);
        match &self.glob {
            Some(pattern) => {
                let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
                pattern.matches_with(&relative, options)
            }
            None => {
                let hidden =
                    relative.split('/').any(|part| part.starts_with(['.', '_']) && !part.contains('='));
                !hidden && EXTENSIONS.iter().any(|extension| relative.ends_with(extension))
            }
        }
    }

    /// A file's path below the base; empty for the base itself.
    fn relative(&self, meta: &ObjectMeta) -> String {
        let parts = meta.location.prefix_match(&self.base);
        let parts = parts.map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>());
        parts.unwrap_or_default().join("/")
    }

    /// What to call a file in errors: the location as it was given, and what follows.
    fn name(&self, relative: &str) -> String {
        let base = match &self.glob {
            Some(_) => split_glob(&self.location).map_or("", |(base, _)| base),
            None => &self.location,
        };
        match base.trim_end_matches('/') {
            "" if base.starts_with('/') => format!("/{relative}"),
            "" => relative.to_owned(),
            base => format!("{base}/{relative}"),
        }
    }
}

/// Splits a path at the last separator before its first wildcard.
fn split_glob(path: &str) -> std::result::Result<(&str, Option<Pattern>), String> {
    let Some(wildcard) = path.find(['*', '?', '[']) else { return Ok((path, None)) };
    let split = path[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
    let pattern = Pattern::new(&path[split..]).map_err(|e| format!("bad pattern: {e}"))?;
    Ok((&path[..split], Some(pattern)))
}

/// `key=value` directories of a relative path.
fn partitions(relative: &str) -> Vec<(String, String)> {
    let directories = relative.rsplit_once('/').map_or("", |(directories, _)| directories);
    let pairs = directories.split('/').filter_map(|part| part.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), unescape(value))).collect()
}
