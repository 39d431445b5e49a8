//! Jobs in flight, from tasks to requests in the windows and back.
//!
//! An [operation](in_flight) is a job with all memory that the engine may access for it: its
//! buffers and the blocks of its request. Each request goes to the [window](open_window) with the
//! most free credits, and each answer leads to the next request or to the result. Memory is freed
//! only after the status block is valid or the window is closed.
//!
//! A [worker] thread takes tasks and runs the [submission loop](submission). A caller of a blocking
//! run has a loop of its own. Operations stay on their thread, so they need no lock.

mod in_flight;
mod jobs;
mod memory;
mod open_window;
mod submission;
mod worker;

pub(crate) use in_flight::InFlight;
pub(crate) use jobs::{Owned, failure};
pub(crate) use memory::{Borrowed, Buffers, Parts, Request, Source};
pub(crate) use open_window::Windows;
pub(crate) use submission::run;
pub(crate) use worker::{JobHandler, Worker};
