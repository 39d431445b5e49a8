//! Kernels under AddressSanitizer and UndefinedBehaviorSanitizer, and with a block's threads in another order.

use pelton_device_cuda::{HostOptions, Order, sanitizer};

use super::host::Host;
use super::tpch::all_wholly;
use crate::support::Scratch;
use crate::tpch::tables;

/// The host build with both sanitizers.
pub fn sanitized() -> HostOptions {
    HostOptions { sanitize: true, ..HostOptions::default() }
}

fn tpch(options: HostOptions, codec: &str, context: &str) {
    let (scratch, host) = (Scratch::new(), Host::new(Some(options)));
    for (table, path) in tables(codec, &scratch) {
        host.register(table, &path);
    }
    all_wholly(&host, context);
}

#[test]
fn all_queries_under_the_sanitizers() {
    if sanitizer::enter("gpu::sanitized::all_queries_under_the_sanitizers") {
        tpch(sanitized(), "snappy", "the sanitizers");
    }
}

#[test]
fn all_queries_with_threads_in_other_orders() {
    tpch(HostOptions { order: Some(Order::Backward), ..HostOptions::default() }, "zstd", "backward");
    tpch(HostOptions { order: Some(Order::Random(7)), ..HostOptions::default() }, "gzip", "in random order");
}
