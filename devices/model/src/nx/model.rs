//! Model of a machine with its engines, and its windows.

use std::io;
use std::sync::Arc;

use pelton_device_nx::hw::Crb;
use pelton_device_nx::{Credits, Limits, Opener, Pasted, Window};

use super::clock::ModelledTime;
use super::config::Config;
use super::counters::Counters;
use super::engine::{Engines, WindowId};
use super::memory::Submitted;

/// Engines with their windows. Threads end when the model and all its windows are dropped.
#[derive(Clone)]
pub struct Model {
    engines: Arc<Engines>,
}

impl Model {
    /// Returns a model.
    pub fn new(config: Config) -> Model {
        Model { engines: Arc::new(Engines::new(config)) }
    }

    /// Opens a window of an engine with credits of a kind. The first one starts the engine.
    ///
    /// # Errors
    /// There is no such engine, or the system has no thread to give.
    pub fn open(&self, engine: usize, credits: Credits) -> io::Result<Arc<dyn Window>> {
        let id = self.engines.open(engine, credits)?;
        Ok(Arc::new(ModelWindow { engines: Arc::clone(&self.engines), id }))
    }

    /// Returns the opener for a driver, of windows with credits of a kind.
    pub fn opener(&self, credits: Credits) -> Opener {
        let model = self.clone();
        Arc::new(move |engine| model.open(engine, credits))
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.engines.shared.lock().counters.clone()
    }

    /// Returns the modelled time.
    pub fn clock(&self) -> ModelledTime {
        self.engines.shared.lock().clock.report()
    }

    /// Returns a line with the modelled time and the number of injected faults, for the device
    /// called `name`.
    pub fn report(&self, name: &str) -> String {
        format!("{name} {}; {} faults injected", self.clock(), self.counters().injected())
    }
}

/// An open window.
struct ModelWindow {
    engines: Arc<Engines>,
    id: WindowId,
}

impl Window for ModelWindow {
    fn limits(&self) -> Limits {
        let Config { credits, max_bytes, .. } = self.engines.shared.config;
        Limits { credits, max_bytes }
    }

    #[allow(unsafe_code)]
    unsafe fn paste(&self, request: &Crb) -> Pasted {
        // SAFETY: the caller makes the promise of `Submitted::new`, and a window's requests are
        // dropped when their status is written, or before `close` returns.
        self.engines.shared.paste(self.id, request, |request| unsafe { Submitted::new(request) })
    }

    fn close(&self) {
        self.engines.shared.close(self.id);
    }
}

impl Drop for ModelWindow {
    fn drop(&mut self) {
        self.close();
    }
}
