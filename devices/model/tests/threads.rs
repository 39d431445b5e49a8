//! Threads of the model, in a process of their own, because they are counted by name.

mod support;

use std::time::{Duration, Instant};

use pelton_device_model::iaa::{Fault, Faults, Model};

use support::{Job, noop};

fn count() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("iaa-model-")).count()
}

/// Waits until there are no threads, and returns false for a thread that hangs. The system lists a
/// thread for a moment after it was joined.
fn are_gone() -> bool {
    let hangs = Instant::now() + Duration::from_secs(60);
    while count() > 0 && Instant::now() < hangs {
        std::thread::yield_now();
    }
    count() == 0
}

/// In sequence, because both count all threads of the process.
#[test]
fn threads() {
    threads_start_with_work_and_end_with_the_last_portal();
    idle_threads_sleep();
}

fn threads_start_with_work_and_end_with_the_last_portal() {
    let faults = Faults::none().at(1, Fault::NoAnswer).at(2, Fault::Late(Duration::from_secs(3600)));
    let model = Model::builder().devices(4).threads(3).faults(faults).build();
    let portals = model.open();
    assert_eq!(count(), 0);
    let mut jobs: Vec<Job> = (0..30).map(|_| Job::new(noop())).collect();
    for (nth, job) in jobs.iter_mut().enumerate() {
        job.submit(&portals[nth % 4]);
        if nth != 1 && nth != 2 {
            job.wait();
        }
    }
    assert!((1..=3).contains(&count()), "{}", count());
    drop(model);
    let mut job = Job::new(noop());
    job.submit(&portals[0]);
    job.wait();
    // A record that never comes and one that comes in an hour delay nothing.
    drop(portals);
    assert!(are_gone(), "{} threads", count());
    assert!(jobs[1].now().is_none() && jobs[2].now().is_none());
}

fn idle_threads_sleep() {
    let model = Model::builder().threads(2).build();
    let portal = model.open().remove(0);
    let mut job = Job::new(noop());
    job.submit(&portal);
    job.wait();
    std::thread::sleep(Duration::from_millis(20));
    // Returns the CPU time of the process in nanoseconds, summed over its threads.
    let used = || -> u64 {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let time = |path: std::path::PathBuf| -> Option<u64> {
            std::fs::read_to_string(path.join("comm")).ok().filter(|name| name.starts_with("iaa-model-"))?;
            std::fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        tasks.filter_map(|task| time(task.ok()?.path())).sum()
    };
    let before = used();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(used(), before, "threads without work used the processor");
}
