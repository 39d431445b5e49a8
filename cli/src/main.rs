//! The `pelton` command as a program.

use std::process::ExitCode;

use pelton_allocator::{Allocator, keep_freed_memory, return_freed_memory};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    keep_freed_memory();
    pelton::on_memory_limit(return_freed_memory);
    pelton::request_all_queues();
    pelton_cli::main(std::env::args_os()).into()
}
