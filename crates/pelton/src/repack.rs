//! Files written with another codec.

use std::io::Write;

use pelton_pages::{
    FooterOptions, Packing, ParquetFile, RepackOptions, RepackProgress, Repacked, listing, repack,
};
use pelton_query::{Error, Result};

use crate::cancel::CancelHandle;
use crate::engine::Engine;

impl Engine {
    /// Returns the Parquet files at a location, as [`Engine::register`] takes it, by the names that
    /// errors call them.
    ///
    /// # Errors
    /// There is none, or they can't be listed.
    pub fn files(&self, location: &str) -> Result<Vec<String>> {
        let listed = self.threads().block_on(listing::list(location, &**self.session.stores()))?;
        Ok(listed.iter().map(|file| file.location.name().to_string()).collect())
    }

    /// Writes a Parquet file with another codec to `to`; values, encodings and metadata stay. The
    /// devices decompress and compress the pages. `progress` is called on the calling thread, after
    /// every few pages.
    ///
    /// # Errors
    /// The file can't be read or is damaged, `to` can't be written, or `cancel` was used. `to` then
    /// holds an incomplete file.
    pub fn repack(
        &self,
        file: &str,
        packing: Packing,
        to: &mut dyn Write,
        cancel: &CancelHandle,
        progress: &mut dyn FnMut(RepackProgress),
    ) -> Result<Repacked> {
        self.threads().block_on(async {
            let listed = listing::list(file, &**self.session.stores()).await?;
            let [only] = &listed[..] else {
                return Err(Error::Table(format!("{file}: {} files; repack them one by one", listed.len())));
            };
            let file = ParquetFile::open(only.location.clone(), &FooterOptions::default()).await?;
            let options = RepackOptions { file, packing, router: self.router() };
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Error::Cancelled),
                repacked = repack(&options, to, progress) => Ok(repacked?),
            }
        })
    }
}
