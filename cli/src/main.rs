//! The `pelton` command as a program.

use std::process::ExitCode;

use pelton_allocator::{MiMalloc, keep_freed_memory};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    keep_freed_memory();
    pelton::request_all_queues();
    pelton_cli::main(std::env::args_os()).into()
}
