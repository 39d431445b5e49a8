//! Kernels under AddressSanitizer and UndefinedBehaviorSanitizer, and with a block's threads in
//! another order.

use pelton_device_cuda::{HostOptions, Order, sanitizer};
use pelton_tpch::queries::QUERIES;

use super::host::Host;
use super::tpch::{all_wholly, wholly};
use crate::support::Scratch;
use crate::tpch::tables;

/// Returns the host build with both sanitizers.
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

/// Spilled groups and join tables, with strings as keys (Q16, Q22) and values (Q3, Q15).
#[test]
fn queries_in_passes_under_the_sanitizers() {
    if !sanitizer::enter("gpu::sanitized::queries_in_passes_under_the_sanitizers") {
        return;
    }
    let (scratch, host) = (Scratch::new(), Host::in_passes(sanitized(), 4));
    for (table, path) in tables("snappy", &scratch) {
        host.register(table, &path);
    }
    for query in QUERIES.iter().filter(|query| [3, 15, 16, 22].contains(&query.number)) {
        wholly(&host, query).unwrap_or_else(|what| panic!("query {}: {what}", query.number));
    }
}

#[test]
fn all_queries_with_threads_in_other_orders() {
    tpch(HostOptions { order: Some(Order::Backward), ..HostOptions::default() }, "zstd", "backward");
    tpch(HostOptions { order: Some(Order::Random(7)), ..HostOptions::default() }, "gzip", "in random order");
}
