use pelton_device_cpu::CpuDevice;
use pelton_device_cuda::{Gpu, HostOptions};
use pelton_gpu::exec::{Engine, Run};
use pelton_query::{ScanContext, Session, SessionOptions};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let dir = &args[1];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let router = pelton_job::Router::builder().device(CpuDevice::builder().threads(2).build()).build();
    let scan = ScanContext { router, verify_checksums: false, window_bytes: 32 << 20, encoded_filters: None };
    let session = Session::new(SessionOptions {
        threads: 2,
        memory_limit: None,
        scan: scan.clone(),
        accelerator: None,
    })
    .unwrap();
    let gpu = Gpu::host(HostOptions {
        memory_limit: std::env::var("MEM").ok().map(|m| m.parse().unwrap()),
        ..HostOptions::default()
    })
    .unwrap();
    let engine = Engine::new(gpu, scan)
        .unwrap()
        .with_passes(std::env::var("PASSES").map_or(1, |p| p.parse().unwrap()));
    runtime.block_on(async {
        for t in ["lineitem", "orders", "customer", "part", "partsupp", "supplier", "nation", "region"] {
            session.register(t, &format!("{dir}/{t}.parquet")).await.unwrap();
        }
    });
    for arg in &args[2..] {
        let sql = std::fs::read_to_string(arg).unwrap_or(arg.clone());
        let state = session.context().state();
        let plan = runtime.block_on(async {
            let p = state.create_logical_plan(&sql).await.unwrap();
            state.optimize(&p).unwrap()
        });
        let query = match pelton_gpu::plan::lower(&plan) {
            Ok(q) => q,
            Err(r) => {
                println!("{arg}: REFUSED {r:?}");
                continue;
            }
        };
        if std::env::var("SHOW").is_ok() {
            println!("{query}");
            println!("{}", pelton_gpu::codegen::generate(&query));
        }
        let counters: Vec<_> = query.scans.iter().map(|_| Arc::default()).collect();
        let cancelled = AtomicBool::new(false);
        let t = std::time::Instant::now();
        let schema = Arc::new(plan.schema().as_arrow().clone());
        let run = match Run::new(&engine, &query, &counters, &cancelled) {
            Ok(r) => r,
            Err(e) => {
                println!("{arg}: COMPILE {e}");
                continue;
            }
        };
        let c = t.elapsed();
        let got = run.finish(&schema, runtime.handle()).map(|f| {
            if f.passes > 0 {
                println!("passes {}", f.passes)
            };
            f.batches
        });
        let cpu = runtime.block_on(async {
            let plan = session.sql(&sql).await.unwrap();
            let s = session.run(plan).unwrap();
            futures::TryStreamExt::try_collect::<Vec<_>>(s).await.unwrap()
        });
        let show = |b: &[arrow::record_batch::RecordBatch]| {
            arrow::util::pretty::pretty_format_batches(b)
                .unwrap()
                .to_string()
                .lines()
                .skip(3)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        match got {
            Err(e) => println!("{arg}: ERROR {e}"),
            Ok(got) => {
                let (a, b) = (show(&got), show(&cpu));
                println!(
                    "{arg}: {} rows {} compile {c:?} total {:?}",
                    a.len(),
                    if a == b { "SAME" } else { "DIFFERENT" },
                    t.elapsed()
                );
                if a != b {
                    println!(
                        "gpu:\n{}\ncpu:\n{}",
                        a.iter().take(8).cloned().collect::<Vec<_>>().join("\n"),
                        b.iter().take(8).cloned().collect::<Vec<_>>().join("\n")
                    );
                }
            }
        }
    }
}
